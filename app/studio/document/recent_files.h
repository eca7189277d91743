// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QStringList>

class QSettings;

namespace unroll {

/// The files opened or saved last, kept in the settings ("recent") and so the same in all windows. A handle; the settings must outlive it.
class RecentFiles {
public:
    static constexpr qsizetype most = 10;

    explicit RecentFiles(QSettings& settings) : m_settings(settings) {}

    QStringList paths() const; ///< newest first; a file may be gone
    void remember(const QString& path);
    void forgetAll();

private:
    QSettings& m_settings;
};

/// What each of these files is called in a list: its name, and behind it the folder where several have the same.
QStringList fileLabels(const QStringList& paths);
/// The folder of a file, with ~ for the reader's own.
QString shortFolder(const QString& path);

} // namespace unroll
