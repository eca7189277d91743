// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/spawn_plan.h"

#include <csignal>
#include <unistd.h>

namespace unroll {

SpawnPlan::SpawnPlan(bool ownSession)
{
    posix_spawn_file_actions_init(&actions);
    posix_spawnattr_init(&attributes);
    sigset_t none, usual;
    sigemptyset(&none);
    sigemptyset(&usual);
    for (const int signal : {SIGPIPE, SIGINT, SIGTERM, SIGHUP})
        sigaddset(&usual, signal);
    posix_spawnattr_setsigmask(&attributes, &none);
    posix_spawnattr_setsigdefault(&attributes, &usual);
    short flags = POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF;
#ifdef POSIX_SPAWN_SETSID
    if (ownSession)
        flags = static_cast<short>(flags | POSIX_SPAWN_SETSID);
#endif
    posix_spawnattr_setflags(&attributes, flags);
}

SpawnPlan::~SpawnPlan()
{
    posix_spawn_file_actions_destroy(&actions);
    posix_spawnattr_destroy(&attributes);
}

void SpawnPlan::closeOthers()
{
#if defined(__GLIBC__) && __GLIBC_PREREQ(2, 34)
    posix_spawn_file_actions_addclosefrom_np(&actions, STDERR_FILENO + 1);
#endif
}

} // namespace unroll
