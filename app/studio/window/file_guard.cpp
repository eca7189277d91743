// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/studio/window/file_guard.h"

#include "app/studio/document/document.h"
#include "app/studio/document/file_identity.h"
#include "app/studio/theme/message_bar.h"

#include <QFileInfo>
#include <algorithm>

namespace unroll {

FileGuard::FileGuard(const Document& document, MessageBar& bar, QWidget* window)
    : QObject(window), m_document(document), m_bar(bar), m_window(window)
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
        m_reported.clear();
        return;
    }
    if (now.isEmpty() || now == m_reported || !m_bar.shownText().isEmpty())
        return;
    m_reported = now;
    const QString name = QFileInfo(m_document.path()).fileName();
    if (m_document.isModified()) {
        m_words = tr("%1 was changed by another program. Saving will ask which version to keep.").arg(name);
        m_bar.ask(m_words, {});
    } else {
        m_words = tr("%1 was changed by another program.").arg(name);
        m_bar.ask(m_words, {{tr("Reload"), [this] { reload(); }}});
    }
}

/// What was typed since the question must not be lost by answering it.
void FileGuard::reload()
{
    m_reported.clear();
    if (m_document.isModified())
        look();
    else
        Q_EMIT reloadAsked();
}

void FileGuard::documentReplaced()
{
    std::erase_if(m_offered, [this](const Offer& offer) {
        return offer.whileOpen && !isSameFile(offer.side->file(), m_document.path());
    });
    m_reported.clear();
    m_bar.hide();
    ask();
}

void FileGuard::fileChanged()
{
    if (m_words.isEmpty() || m_document.isModified() || isChangedOnDisk())
        return;
    m_bar.takeBack(m_words);
    m_words.clear();
}

/// Whether it holds nothing but what is saved. Which signal was viewed last is no change.
bool FileGuard::isIdle(const SideFile& side) const
{
    if (side.file().isEmpty())
        return false;
    auto changes = side.read();
    const auto now = isSameFile(side.file(), m_document.path()) ? Result<Experiment>(m_document.experiment())
                                                                : loadExperiment(side.file().toStdString());
    if (!changes || !now)
        return false;
    changes->folder = now->folder;
    changes->watchNode = now->watchNode;
    changes->watchSignal = now->watchSignal;
    return *changes == *now;
}

void FileGuard::offer(const SideFiles& found, bool whileOpen)
{
    std::vector<Offer> wanted;
    for (const auto& side : found)
        if (isIdle(*side))
            side->remove();
        else
            wanted.push_back({side, whileOpen});
    m_offered.insert(m_offered.begin(), wanted.begin(), wanted.end());
    ask();
}

SideFiles FileGuard::offered() const
{
    SideFiles all;
    for (const Offer& offer : m_offered)
        all.push_back(offer.side);
    return all;
}

void FileGuard::ask()
{
    if (m_list)
        m_list->setFound(offered());
    if (m_offered.empty())
        return;
    if (m_offered.size() > 1)
        return m_bar.ask(recoverySentence(m_offered.size()), {{tr("Show List …"), [this] {
                                                                   showList();
                                                                   ask(); // as long as nothing is decided
                                                               }}});
    const SideFile& side = *m_offered.front().side;
    const RecoveryRow row = recoveryRow(side);
    const QString sentence = side.file().isEmpty()
                                 ? tr("“%1” from %2 was never saved to a file.").arg(row.title, row.when)
                             : isSameFile(side.file(), m_document.path())
                                 ? tr("Unsaved changes from %1 were found.").arg(row.when)
                                 : tr("Unsaved changes of %1 from %2 were found.").arg(row.file, row.when);
    m_bar.ask(sentence,
              {{tr("Restore"), [this] { restore(offered()); }}, {tr("Discard"), [this] { discard(offered()); }}});
}

void FileGuard::showList()
{
    if (!m_list || m_list->isHidden()) { // one that was closed is on its way out
        m_list = new RecoveryList(m_window);
        connect(m_list, &RecoveryList::restoreAsked, this, &FileGuard::restore);
        connect(m_list, &RecoveryList::discardAsked, this, &FileGuard::discard);
    }
    m_list->setFound(offered());
    m_list->show();
    m_list->raise();
    m_list->activateWindow();
}

/// The document may be another one when changes are restored: what is left is asked for after that.
void FileGuard::restore(const SideFiles& chosen)
{
    forget(chosen);
    for (const auto& side : chosen)
        Q_EMIT restoreAsked(side);
    m_bar.hide();
    ask();
}

void FileGuard::discard(const SideFiles& chosen)
{
    forget(chosen);
    for (const auto& side : chosen)
        side->remove();
    m_bar.hide();
    ask();
}

void FileGuard::forget(const SideFiles& chosen)
{
    std::erase_if(m_offered, [&](const Offer& offer) {
        return std::find(chosen.begin(), chosen.end(), offer.side) != chosen.end();
    });
}

} // namespace unroll
