// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <spawn.h>

namespace unroll {

/// File actions and attributes of posix_spawn for a program of another kind than this one: signals as a program expects
/// them, whatever this one has chosen. What is added to the actions comes before closeOthers().
struct SpawnPlan {
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;

    explicit SpawnPlan(bool ownSession = false);
    ~SpawnPlan();
    SpawnPlan(const SpawnPlan&) = delete;
    SpawnPlan& operator=(const SpawnPlan&) = delete;

    /// Files above the standard ones are not the child's, where the system can say so.
    void closeOthers();
};

} // namespace unroll
