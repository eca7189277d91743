// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/interrupt.h"

#include "app/cli/verbs.h"

#include <csignal>
#include <unistd.h>

namespace unroll::cli {
namespace {

// A signal handler can reach nothing but a global.
volatile std::sig_atomic_t signalsCaught = 0;

void caught(int)
{
    if (signalsCaught != 0)
        _exit(kInterrupted);
    signalsCaught = 1;
}

} // namespace

void watchInterrupts()
{
    struct sigaction action = {};
    action.sa_handler = caught;
    sigemptyset(&action.sa_mask);
    action.sa_flags = SA_RESTART;
    for (int signal : {SIGINT, SIGTERM, SIGHUP})
        sigaction(signal, &action, nullptr);
}

bool interrupted()
{
    return signalsCaught != 0;
}

} // namespace unroll::cli
