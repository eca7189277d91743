// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/interrupt.h"

#include "app/cli/verbs.h"

#include <csignal>
#include <cstdint>
#include <ctime>
#include <unistd.h>
#ifdef __linux__
#include <sys/prctl.h>
#endif

namespace unroll::cli {
namespace {

// A signal handler can reach nothing but a global.
volatile std::sig_atomic_t signalsCaught = 0;
volatile std::sig_atomic_t checkpointWished = 0;

constexpr double kOneRequest = 0.5; ///< seconds: `timeout` and a terminal send a process and its group one signal each
volatile double firstCaught = 0;

double monotonicSeconds()
{
    timespec now = {};
    clock_gettime(CLOCK_MONOTONIC, &now); // may be called in a signal handler
    return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

/// The first asks for a checkpoint and an end; another, later than kOneRequest, ends at once.
void caught(int)
{
    const double now = monotonicSeconds();
    if (signalsCaught == 0)
        firstCaught = now;
    else if (now - firstCaught > kOneRequest)
        _exit(kInterrupted);
    signalsCaught = 1;
}

void wished(int)
{
    checkpointWished = 1;
}

struct sigaction answer(void (*handler)(int))
{
    struct sigaction action = {};
    action.sa_handler = handler;
    sigemptyset(&action.sa_mask);
    action.sa_flags = SA_RESTART;
    return action;
}

} // namespace

void watchInterrupts()
{
    const struct sigaction action = answer(caught);
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

void endWithParent(std::int64_t parent)
{
#ifdef __linux__
    prctl(PR_SET_PDEATHSIG, SIGTERM);
    if (getppid() != parent) // it ended before it could be watched
        raise(SIGTERM);
#endif
}

void watchCheckpointWishes()
{
    const struct sigaction action = answer(wished);
    sigaction(SIGUSR1, &action, nullptr);
}

bool takeCheckpointWish()
{
    if (checkpointWished == 0)
        return false;
    checkpointWished = 0; // before the checkpoint: a wish that comes meanwhile is another one
    return true;
}

bool interrupted()
{
    return signalsCaught != 0;
}

} // namespace unroll::cli
