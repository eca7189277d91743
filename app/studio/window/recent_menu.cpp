// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/studio/window/recent_menu.h"

#include <QDir>
#include <QFileInfo>

namespace unroll {

namespace {

constexpr const char* settingsKey = "recent";

/// In a menu a single & marks the key of an entry.
QString plain(QString words)
{
    return words.replace('&', "&&");
}

} // namespace

RecentMenu::RecentMenu(const QString& title, QSettings& settings, QWidget* parent)
    : QMenu(title, parent), m_settings(settings)
{
    setToolTipsVisible(true);
    connect(this, &QMenu::aboutToShow, this, &RecentMenu::fill);
}

QStringList RecentMenu::paths() const
{
    return m_settings.value(settingsKey).toStringList();
}

void RecentMenu::remember(const QString& path)
{
    QStringList recent = paths();
    recent.removeAll(path);
    recent.prepend(path);
    m_settings.setValue(settingsKey, QStringList(recent.mid(0, most)));
}

QString RecentMenu::shortFolder(const QString& path)
{
    const QString folder = QFileInfo(path).absolutePath(), home = QDir::homePath();
    const bool ofHome = folder == home || folder.startsWith(home + '/');
    return ofHome ? "~" + folder.mid(home.size()) : folder;
}

QStringList RecentMenu::labels(const QStringList& paths)
{
    QStringList names, labels;
    for (const QString& path : paths)
        names << QFileInfo(path).fileName();
    for (qsizetype i = 0; i < paths.size(); ++i)
        labels << (names.count(names[i]) == 1 ? names[i] : tr("%1 – %2").arg(names[i], shortFolder(paths[i])));
    return labels;
}

void RecentMenu::fill()
{
    clear();
    const QStringList recent = paths();
    const QStringList names = labels(recent);
    for (qsizetype i = 0; i < recent.size(); ++i) {
        const QString path = recent[i];
        QAction* entry = addAction(plain(names[i]), this, [this, path] { Q_EMIT asked(path); });
        entry->setEnabled(QFileInfo(path).isFile());
        entry->setToolTip(entry->isEnabled() ? path : tr("%1 is not there.").arg(path));
    }
    if (recent.isEmpty())
        addAction(tr("No files yet"))->setEnabled(false);
    addSeparator();
    addAction(tr("&Clear List"), this, [this] { m_settings.remove(settingsKey); })->setEnabled(!recent.isEmpty());
}

} // namespace unroll
