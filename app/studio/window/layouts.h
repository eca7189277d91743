// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/studio/window/dock.h"

#include <QMainWindow>

namespace unroll {

/// The panels of a window.
struct Docks {
    Dock* inspector = nullptr;
    Dock* training = nullptr;
    Dock* curves = nullptr;
    Dock* state = nullptr;
    Dock* samples = nullptr;
    Dock* runs = nullptr;
    Dock* problems = nullptr;
    Dock* palette = nullptr;

    QList<Dock*> all() const { return {inspector, training, curves, state, samples, runs, problems, palette}; }
};

/// Arrangements of the panels, by name: train (everything in sight but the palette), edit (palette, canvas and inspector), watch (state and curves large).
QStringList layoutNames();
bool applyLayout(const QString& name, QMainWindow& window, const Docks& docks); ///< false: no such name

/// Gives each dock its title or takes it away, as it stands alone or in a tab; the tab in front has the title's buttons.
void refreshTitles(const QMainWindow& window, const Docks& docks);

} // namespace unroll
