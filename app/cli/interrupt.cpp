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
    for (int signal : {SIGINT, SIGTERM, SIGHUP}) {
        struct sigaction before = {};
        sigaction(signal, nullptr, &before);
        if (before.sa_handler != SIG_IGN) // nohup, or a shell's job in the background: it was meant to go on
            sigaction(signal, &action, nullptr);
    }
    // A reader that went away or a file that may not grow shows as a write that fails, and the training goes on.
    for (int signal : {SIGPIPE, SIGXFSZ})
        std::signal(signal, SIG_IGN);
}

bool interrupted()
{
    return signalsCaught != 0;
}

} // namespace unroll::cli
