// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/studio/document/recent_list.h"

namespace unroll {

/// The files opened or saved last, by their paths.
class RecentFiles : public RecentList {
public:
    static constexpr qsizetype kMost = 10;

    explicit RecentFiles(QSettings& settings) : RecentList(settings, "recent", kMost) {}
};

/// What each of these files is called in a list: its name, and behind it the folder where several have the same.
QStringList fileLabels(const QStringList& paths);
/// The folder of a file, with ~ for the reader's own.
QString shortFolder(const QString& path);

} // namespace unroll
