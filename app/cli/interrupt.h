// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

namespace unroll::cli {

/// From now on Ctrl-C, SIGTERM and SIGHUP set a flag; a second one ends the process at once with exit code 130.
void watchInterrupts();
/// Whether one came.
bool interrupted();

} // namespace unroll::cli
