// SPDX-License-Identifier: GPL-3.0-or-later
// How long a thread of the kernels and of torch waits at a barrier with its processor busy, before it sleeps. libgomp's
// own 300,000 rounds are a millisecond or more: whoever else wants a processor then finds all of them taken by threads
// that do nothing, and the one thread that has work waits in the queue behind a stranger. A sleeping thread leaves its
// processor to it. Too few rounds, and threads are put to sleep and woken at every step of the work that one of them
// does alone: a tenth of the time.
#include <cstdlib>
#include <cstring>
#include <unistd.h>

#if defined(__linux__) && defined(__GLIBC__) && !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)

namespace {

// About 60 us, longer than most of what one thread does alone; figures in docs/benchmarks/intel-xeon-amx.md.
char shortWaits[] = "GOMP_SPINCOUNT=6000";

bool names(const char* variable, const char* name)
{
    const std::size_t length = std::strlen(name);
    return std::strncmp(variable, name, length) == 0 && variable[length] == '=';
}

/// libgomp reads its variables when it is loaded, so the program starts itself once more: here, before the libraries it
/// has loaded start, that costs 30 to 40 ms. A user's own choice stands, and where the start fails the program goes on
/// as it is.
void chooseShortWaits(int, char** arguments, char** environment)
{
    std::size_t count = 0;
    for (; environment[count] != nullptr; ++count)
        if (names(environment[count], "GOMP_SPINCOUNT") || names(environment[count], "OMP_WAIT_POLICY"))
            return;
    char program[4096];
    const ssize_t length = readlink("/proc/self/exe", program, sizeof program - 1);
    if (length <= 0)
        return;
    program[length] = '\0';
    auto** longer = static_cast<char**>(std::malloc((count + 2) * sizeof(char*)));
    if (longer == nullptr)
        return;
    std::memcpy(longer, environment, count * sizeof(char*));
    longer[count] = shortWaits;
    longer[count + 1] = nullptr;
    execve(program, arguments, longer);
    std::free(longer);
}

} // namespace

__attribute__((section(".preinit_array"), used)) static void (*const beforeAll)(int, char**, char**) = chooseShortWaits;

#endif
