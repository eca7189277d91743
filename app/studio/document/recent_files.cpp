// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/studio/document/recent_files.h"

#include <QCoreApplication>
#include <QDir>
#include <QFileInfo>
#include <QSettings>

namespace unroll {

namespace {

constexpr const char* settingsKey = "recent";

} // namespace

QStringList RecentFiles::paths() const
{
    return m_settings.value(settingsKey).toStringList();
}

void RecentFiles::remember(const QString& path)
{
    QStringList recent = paths();
    recent.removeAll(path);
    recent.prepend(path);
    m_settings.setValue(settingsKey, QStringList(recent.mid(0, most)));
}

void RecentFiles::forgetAll()
{
    m_settings.remove(settingsKey);
}

QStringList fileLabels(const QStringList& paths)
{
    QStringList names, labels;
    for (const QString& path : paths)
        names << QFileInfo(path).fileName();
    for (qsizetype i = 0; i < paths.size(); ++i)
        labels << (names.count(names[i]) == 1
                       ? names[i]
                       : QCoreApplication::translate("RecentFiles", "%1 – %2").arg(names[i], shortFolder(paths[i])));
    return labels;
}

QString shortFolder(const QString& path)
{
    const QString folder = QFileInfo(path).absolutePath(), home = QDir::homePath();
    const bool ofHome = folder == home || folder.startsWith(home + '/');
    return ofHome ? "~" + folder.mid(home.size()) : folder;
}

} // namespace unroll
