// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>

class QMainWindow;

namespace unroll {

class Document;
class Dock;
class PanelSet;
class Problems;

/// What stands above the panels of a window: a title alone or a tab, by where the docks are; how many problems there
/// are; what the samples of this experiment are called.
class DockTitles : public QObject {
    Q_OBJECT
public:
    /// All must outlive it; it belongs to the window.
    DockTitles(QMainWindow& window, const PanelSet& panels, const Document& document, const Problems& problems);

    void follow(const Dock& dock); ///< one that came later

private:
    void arrangeLater();
    void countProblems();
    void nameSamples();

    QMainWindow& m_window;
    const PanelSet& m_panels;
    const Document& m_document;
    const Problems& m_problems;
};

} // namespace unroll
