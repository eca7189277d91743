// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/studio/window/file_guard.h"

#include "app/studio/document/document.h"
#include "app/studio/document/file_identity.h"
#include "app/studio/theme/message_bar.h"

#include <QFileInfo>
#include <QLocale>

namespace unroll {

FileGuard::FileGuard(const Document& document, MessageBar& bar, QObject* parent)
    : QObject(parent), m_document(document), m_bar(bar)
{
    connect(&document, &Document::replaced, this, &FileGuard::documentReplaced);
    connect(&document, &Document::fileChanged, this, &FileGuard::fileChanged);
}

bool FileGuard::isChangedOnDisk() const
{
    const QByteArray now = fileStamp(m_document.path());
    return !now.isEmpty() && now != m_document.stamp();
}

void FileGuard::look()
{
    const QByteArray now = fileStamp(m_document.path());
    if (now == m_document.stamp()) {
        m_bar.takeBack(m_words);
        m_told.clear();
        return;
    }
    if (now.isEmpty() || now == m_told || !m_bar.words().isEmpty())
        return;
    m_told = now;
    const QString name = QFileInfo(m_document.path()).fileName();
    if (m_document.isModified()) {
        m_words = tr("%1 was changed by another program. Saving will ask which of the two is to stay.").arg(name);
        m_bar.ask(m_words, {});
    } else {
        m_words = tr("%1 was changed by another program.").arg(name);
        m_bar.ask(m_words, {{tr("Reload"), [this] { reload(); }}});
    }
}

/// What was typed since the question must not be lost by answering it.
void FileGuard::reload()
{
    m_told.clear();
    if (m_document.isModified())
        look();
    else
        Q_EMIT reloadAsked();
}

void FileGuard::documentReplaced()
{
    std::erase_if(m_offered, [this](const auto& side) {
        return !side->file().isEmpty() && !isSameFile(side->file(), m_document.path());
    });
    m_told.clear();
    m_bar.hide();
    askNext();
}

void FileGuard::fileChanged()
{
    if (m_words.isEmpty() || m_document.isModified() || isChangedOnDisk())
        return;
    m_bar.takeBack(m_words);
    m_words.clear();
}

/// Whether it holds nothing but what is saved. Which signal was looked at last is no change.
bool FileGuard::isIdle(const SideFile& side) const
{
    if (side.file().isEmpty())
        return false;
    auto changes = side.read();
    if (!changes)
        return false;
    const Experiment now = m_document.experiment();
    changes->folder = now.folder;
    changes->watchNode = now.watchNode;
    changes->watchSignal = now.watchSignal;
    return *changes == now;
}

void FileGuard::offer(const std::vector<std::shared_ptr<SideFile>>& found)
{
    std::vector<std::shared_ptr<SideFile>> wanted;
    for (const auto& side : found)
        if (isIdle(*side))
            side->remove();
        else
            wanted.push_back(side);
    m_offered.insert(m_offered.begin(), wanted.begin(), wanted.end());
    askNext();
}

void FileGuard::askNext()
{
    if (m_offered.empty())
        return;
    const SideFile& side = *m_offered.front();
    const QString time = QLocale::system().toString(side.time(), QLocale::ShortFormat);
    QString sentence = tr("Unsaved changes from %1 were found.").arg(time);
    if (side.file().isEmpty()) {
        const auto changes = side.read();
        const QString title = changes ? QString::fromStdString(changes->title) : QString();
        sentence = tr("“%1” from %2 was never saved to a file.").arg(title.isEmpty() ? tr("Untitled") : title, time);
    }
    m_bar.ask(sentence, {{tr("Restore"), [this] { answer(true); }}, {tr("Discard"), [this] { answer(false); }}});
}

/// The document may be another one when the changes are restored: the next question is asked after that.
void FileGuard::answer(bool restores)
{
    const auto side = m_offered.front();
    m_offered.erase(m_offered.begin());
    if (restores)
        Q_EMIT restoreAsked(side);
    else
        side->remove();
    askNext();
}

} // namespace unroll
