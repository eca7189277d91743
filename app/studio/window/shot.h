// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/studio/window/main_window.h"
#include "app/studio/window/studio_options.h"

namespace unroll {

/// Opens a window, trains, waits until every view shows the last step, and writes the picture. Errors: the file cannot
/// be opened, the run failed, the picture cannot be written.
Result<void> takeShot(const StudioOptions& options, StudioContext& studio);

/// Opens what the options name: a path, the name of a gallery experiment, or the default. The error says what could not
/// be opened.
Result<void> openAsked(const StudioOptions& options, MainWindow& window);

} // namespace unroll
