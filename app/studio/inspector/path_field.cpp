// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/studio/inspector/path_field.h"

#include <QDir>
#include <QDropEvent>
#include <QFileDialog>
#include <QFileInfo>
#include <QMimeData>
#include <QUrl>

namespace unroll {

namespace {

/// The one file that is carried; empty: none, or several. A line edit would write its URL.
QString carriedFile(const QDropEvent& event)
{
    const QList<QUrl> urls = event.mimeData()->urls();
    return urls.size() == 1 ? urls.front().toLocalFile() : QString();
}

/// As a copy, whatever the hand proposes: a move would take the file from where it lies.
void acceptCopy(QDropEvent& event)
{
    event.setDropAction(Qt::CopyAction);
    event.accept();
}

} // namespace

PathField::PathField(const std::vector<std::string>& suffixes, QWidget* parent) : QLineEdit(parent)
{
    if (suffixes.empty())
        return;
    QStringList patterns, names;
    for (const std::string& suffix : suffixes) {
        patterns << "*." + QString::fromStdString(suffix) << "*." + QString::fromStdString(suffix).toUpper();
        names << QString::fromStdString(suffix).toUpper();
    }
    m_filters = {tr("%1 files (%2)").arg(names.join(tr(" and ")), patterns.join(' ')), tr("All files (*)")};
}

void PathField::choose()
{
    auto* dialog = new QFileDialog(this, tr("Choose a file"));
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setFileMode(QFileDialog::ExistingFile);
    if (!m_filters.isEmpty())
        dialog->setNameFilters(m_filters);
    if (const QFileInfo now(text()); now.isAbsolute() && now.dir().exists())
        dialog->setDirectory(now.dir());
    connect(dialog, &QFileDialog::fileSelected, this, &PathField::take);
    dialog->open();
}

void PathField::take(const QString& path)
{
    setText(path);
    Q_EMIT chosen(path);
}

void PathField::dragEnterEvent(QDragEnterEvent* event)
{
    if (carriedFile(*event).isEmpty())
        return QLineEdit::dragEnterEvent(event);
    acceptCopy(*event);
}

void PathField::dragMoveEvent(QDragMoveEvent* event)
{
    if (carriedFile(*event).isEmpty())
        return QLineEdit::dragMoveEvent(event);
    acceptCopy(*event);
}

void PathField::dropEvent(QDropEvent* event)
{
    const QString file = carriedFile(*event);
    if (file.isEmpty())
        return QLineEdit::dropEvent(event);
    acceptCopy(*event);
    take(file);
}

} // namespace unroll
