// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "tests/gui/fixture.h"

#include <QImage>
#include <functional>
#include <vector>

namespace unroll::test {

/// Something that the studio can show, and how to come there from a window on the default experiment. The pictures and
/// the test of the look walk the same list, so that what is tested has been seen.
struct StudioState {
    QByteArray name;
    std::function<void(Studio&)> reach;
    bool passes = false; ///< gone as soon as events are handled, as a bar that moves: viewed once
};

std::vector<StudioState> canvasStates();  ///< gestures, palettes, menus, groups, mistakes
std::vector<StudioState> panelStates();   ///< layouts and every panel without a run, the bars above the canvas
std::vector<StudioState> runStates();     ///< everything that a run brings
std::vector<StudioState> lensStates();    ///< every lens with the answers of a real run
std::vector<StudioState> runListStates(); ///< the list of runs on disk
std::vector<StudioState> exportStates();  ///< the dialog from first to last
std::vector<StudioState> importStates();  ///< weights of other packages
std::vector<StudioState> tableStates();   ///< data that are numbers
std::vector<StudioState> compareStates(); ///< lenses on two sides
std::vector<StudioState> raceStates();    ///< blocks compared: the dialog, the panel
std::vector<StudioState> fieldStates();   ///< the family of cells, a state of matrices
std::vector<StudioState> studyStates();   ///< searches over settings

std::vector<StudioState> startStates(); ///< the start page and the lesson of an experiment

/// All of them.
std::vector<StudioState> studioStates();

/// The dialog that the state opened, or the window.
QWidget& shownIn(Studio& studio);

/// What is shown, with the menus and panels that stand above it, at the ratio of the screen.
QImage pictureOf(Studio& studio);

/// Lets what was started come to an end: layouts, the check, a tick of the run. Looks so many milliseconds apart see
/// nothing move; further apart for what is answered by another thread.
void settle(const QWidget& window, int milliseconds = 20);

} // namespace unroll::test
