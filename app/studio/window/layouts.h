// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/studio/window/panels.h"
#include "app/studio/window/window_actions.h"

#include <QMainWindow>

namespace unroll {

/// An arrangement of the panels, defined in the table of panels.
struct WindowLayout {
    const char* name;
    QAction* WindowActions::*action; ///< the command for it
};

/// train (everything in sight but the palette), edit (palette, canvas and inspector), watch (state and curves large),
/// inspect (the lenses large, curves small).
const std::vector<WindowLayout>& layouts();
QStringList layoutNames();
bool applyLayout(const QString& name, QMainWindow& window, const PanelSet& panels); ///< false: no such name

/// QMainWindow::restoreState; false: `state` is none. Qt 6.4 shows its tab bars one by one out of a set that the
/// window's layout changes when a bar's show() activates it (QWidget::setVisible): the layout is off until all are
/// shown.
bool restorePanels(QMainWindow& window, const QByteArray& state, int version);

/// Gives each dock its title or takes it away, as it stands alone or in a tab; the tab in front has the title's
/// buttons.
void refreshTitles(const QMainWindow& window, const QList<Dock*>& docks);

} // namespace unroll
