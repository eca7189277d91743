// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>

namespace unroll {

class MainWindow;
class StudyPanel;

/// What a window does about studies: brings the one that is opened into view, and opens its runs.
class StudyCommands : public QObject {
    Q_OBJECT
public:
    explicit StudyCommands(MainWindow& window);

private:
    MainWindow& m_window;
};

} // namespace unroll
