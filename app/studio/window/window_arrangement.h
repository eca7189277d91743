// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/studio/window/layout_memory.h"

#include <QObject>

namespace unroll {

/// The layout of a window: which one was chosen last, and whether what is done to its panels is remembered for the next
/// time.
class WindowArrangement : public QObject {
    Q_OBJECT
public:
    /// All must outlive it; it belongs to the window.
    WindowArrangement(QMainWindow& window, const PanelSet& panels, LensPanels& lenses, QSettings& settings);

    const QString& name() const { return m_layout; } ///< of the layout that was chosen last
    /// Panels as the layout is defined. False: there is none with this name.
    bool arrange(const QString& layout);
    /// Panels as they were left in this layout the last time, and what is changed about them now is remembered; else as
    /// arrange().
    bool show(const QString& layout);
    void choose(const QString& layout); ///< shows it, here and in the next window
    void showChosen();                  ///< in a new window: the layout that was chosen last, its views as they were
    void reset();                       ///< forgets how its panels were left
    /// Whether what is done to the panels is remembered for the next time; ending that, they are remembered as they
    /// stand.
    void setRemembering(bool on);
    void end(); ///< the window closes: panels and what their views are set to are remembered

Q_SIGNALS:
    void arranged();

private:
    QMainWindow& m_window;
    const PanelSet& m_panels;
    QSettings& m_settings;
    LayoutMemory m_memory;
    QString m_layout;
    bool m_remembers = false; ///< what is done to the panels is for the next time too
};

} // namespace unroll
