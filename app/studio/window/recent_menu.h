// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/studio/document/recent_files.h"

#include <QMenu>

namespace unroll {

/// The recent files as a menu. All windows share them, so it is filled when it opens. Files that are not there at the
/// moment are listed but cannot be chosen.
class RecentMenu : public QMenu {
    Q_OBJECT
public:
    RecentMenu(const QString& title, const RecentFiles& files, QWidget* parent = nullptr);

Q_SIGNALS:
    void asked(const QString& path);

private:
    void fill();

    RecentFiles m_files;
};

} // namespace unroll
