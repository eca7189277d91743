// SPDX-License-Identifier: GPL-3.0-or-later
// A limit on the address space (ulimit -v) that leaves no room for the libraries' own beginnings ends them in the
// middle of it, without a word that a user could act on. So it is examined before they begin, and memory that runs out
// where nothing of ours can catch it is told by a sentence too.
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <fcntl.h>
#include <new>
#include <sys/resource.h>
#include <unistd.h>

namespace {

constexpr rlim_t kNeeded =
    rlim_t(256) << 20; // what the libraries and the first threads take, and a little to work with

/// No stream and no allocation: neither may be had.
[[noreturn]] void end(const char* sentence)
{
    static_cast<void>(!write(STDERR_FILENO, sentence, std::strlen(sentence)));
    _exit(1);
}

/// Bytes of address space in use; 0: unknown.
rlim_t inUse()
{
    char text[64] = {};
    const int file = open("/proc/self/statm", O_RDONLY | O_CLOEXEC);
    if (file < 0)
        return 0;
    const ssize_t got = read(file, text, sizeof text - 1);
    close(file);
    return got > 0 ? static_cast<rlim_t>(std::strtoull(text, nullptr, 10)) * static_cast<rlim_t>(sysconf(_SC_PAGESIZE))
                   : 0;
}

void lookAtLimit()
{
    rlimit limit = {};
    if (getrlimit(RLIMIT_AS, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY && limit.rlim_cur < inUse() + kNeeded)
        end("error: the limit on memory (ulimit -v) is too small for this program to start\n");
}

[[noreturn]] void terminated()
{
    if (const std::exception_ptr thrown = std::current_exception()) {
        try {
            std::rethrow_exception(thrown);
        } catch (const std::bad_alloc&) {
            end("error: not enough memory (ulimit -v, or the machine's)\n");
        } catch (...) {
            std::abort(); // a fault of ours, to be looked into
        }
    }
    std::abort();
}

} // namespace

#if defined(__linux__) && defined(__GLIBC__) && !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
__attribute__((section(".preinit_array"), used)) static void (*const beforeLibraries)() = lookAtLimit;
#endif

__attribute__((constructor)) static void beforeMain()
{
    std::set_terminate(terminated);
}
