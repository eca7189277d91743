// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>

namespace unroll::cli {

/// From now on Ctrl-C, SIGTERM and SIGHUP set a flag; a second one ends the process at once with exit code 130.
void watchInterrupts();
/// Whether one came.
bool interrupted();

/// From now on the end of the parent process, which has this id, is a SIGTERM to this one; if it has ended already, at
/// once. Linux; elsewhere nothing.
void endWithParent(std::int64_t parent);

/// From now on SIGUSR1, by which batch systems warn of the end of a job's time, sets a flag and ends nothing.
void watchCheckpointWishes();
/// Whether one came since the last call.
bool takeCheckpointWish();

} // namespace unroll::cli
