// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QSettings>
#include <QString>

class QMainWindow;

namespace unroll {

class LensPanels;
class PanelSet;

/// How panels were left in each layout, for the next time and the next start: where they stand and how large they are,
/// what is closed and what floats, further views of lenses, and what each view of a lens was set to. Kept in the
/// settings of the program.
class LayoutMemory {
public:
    /// All must outlive it.
    LayoutMemory(QMainWindow& window, const PanelSet& panels, LensPanels& lenses, QSettings& settings);

    void keep(const QString& layout) const; ///< as the panels stand now
    void keepChoices() const;               ///< of the views of lenses, in every layout
    /// The layout is in force as it is defined; its panels go to where they were left. False: nothing is kept, or it is
    /// of another version, with other panels.
    bool recall(const QString& layout) const;
    void recallChoices() const;
    void forget(const QString& layout) const;

private:
    QMainWindow& m_window;
    const PanelSet& m_panels;
    LensPanels& m_lenses;
    QSettings& m_settings;
};

} // namespace unroll
