// SPDX-License-Identifier: GPL-3.0-or-later
// A program that is started with standard streams closed gives their numbers to the first files it opens: what it says
// would then stand in a run's metrics. So the numbers are taken before anything is opened, in the way of libraries and
// of our own, by /dev/null.
#include <cerrno>
#include <fcntl.h>
#include <unistd.h>

namespace {

/// Nothing here may use what a library sets up, for none is set up yet. The lowest free number is given, so each stream
/// gets its own.
void takeClosedStreams()
{
    for (int stream = 0; stream <= 2; ++stream) {
        if (fcntl(stream, F_GETFD) >= 0 || errno != EBADF)
            continue;
        if (open("/dev/null", O_RDWR) < 0) // a place without devices: what is written there fails, and meets no file
            static_cast<void>(open("/", O_RDONLY | O_DIRECTORY));
    }
}

} // namespace

#if defined(__linux__) && defined(__GLIBC__) && !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
__attribute__((section(".preinit_array"), used)) static void (*const beforeLibraries)() = takeClosedStreams;
#else
__attribute__((constructor(101))) static void beforeMain()
{
    takeClosedStreams();
}
#endif
