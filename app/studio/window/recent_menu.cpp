// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/studio/window/recent_menu.h"

#include <QFileInfo>

namespace unroll {

namespace {

/// In a menu a single & marks the key of an entry.
QString plain(QString words)
{
    return words.replace('&', "&&");
}

} // namespace

RecentMenu::RecentMenu(const QString& title, const RecentFiles& files, QWidget* parent)
    : QMenu(title, parent), m_files(files)
{
    setToolTipsVisible(true);
    connect(this, &QMenu::aboutToShow, this, &RecentMenu::fill);
}

void RecentMenu::fill()
{
    clear();
    const QStringList recent = m_files.entries();
    const QStringList names = fileLabels(recent);
    for (qsizetype i = 0; i < recent.size(); ++i) {
        const QString path = recent[i];
        QAction* entry = addAction(plain(names[i]), this, [this, path] { Q_EMIT asked(path); });
        entry->setEnabled(QFileInfo(path).isFile());
        entry->setToolTip(entry->isEnabled() ? path : tr("%1 was not found.").arg(path));
    }
    if (recent.isEmpty())
        addAction(tr("No files yet"))->setEnabled(false);
    addSeparator();
    addAction(tr("&Clear List"), this, [this] { m_files.clear(); })->setEnabled(!recent.isEmpty());
}

} // namespace unroll
