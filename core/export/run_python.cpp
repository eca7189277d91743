// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/export/run_python.h"

#include "core/base/input_file.h"
#include "core/base/python_choice.h"
#include "core/base/spawn_plan.h"
#include "core/export/python_program.h"

#include <cerrno>
#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <fmt/format.h>
#include <sstream>
#include <sys/wait.h>
#include <unistd.h>
#include <utility>

namespace unroll {
namespace {

constexpr std::uint64_t kMostPrinted = 16 << 20; // bytes
constexpr mode_t kPrivate = 0600;
constexpr const char* kAnotherPython = "name a Python with torch 2.11: UNROLL_PYTHON=/path/to/python";

/// What comes before the program: the end of its standard input, which is that of this process, ends it at once.
constexpr const char* kEndsWithUs =
    "import os, threading\n"
    "threading.Thread(target=lambda: os.read(0, 1) or os._exit(1), daemon=True).start()\n";

/// A pipe that nothing is written to. The child reads from it and sees its end when this process ends, however it does:
/// by SIGKILL too, and where the child was started by another program in between.
class LifeLine {
public:
    LifeLine() : m_error(pipe2(m_ends, O_CLOEXEC) == 0 ? 0 : errno) {}
    ~LifeLine()
    {
        for (const int end : m_ends)
            if (end >= 0)
                close(end);
    }
    LifeLine(const LifeLine&) = delete;
    LifeLine& operator=(const LifeLine&) = delete;

    int childsEnd() const { return m_ends[0]; }
    int error() const { return m_error; }

private:
    int m_ends[2] = {-1, -1};
    int m_error;
};

/// The last line that names an error, "ValueError: ...": what a traceback ends with, without the help some add to it.
std::string namedError(const std::string& printed)
{
    std::istringstream lines(printed);
    std::string last;
    for (std::string line; std::getline(lines, line);) {
        const std::size_t colon = line.find(": ");
        const std::string_view name = std::string_view(line).substr(0, colon);
        const bool isName = colon != std::string::npos && name.find(' ') == std::string_view::npos;
        if (isName && (name.ends_with("Error") || name.ends_with("Exception") || name.ends_with("Exit")))
            last = line;
    }
    return last;
}

/// Starts it with its output in two files; the error number where that fails.
int startPython(const std::vector<std::string>& words, const LifeLine& line, const std::string& output,
                const std::string& errors, pid_t& child)
{
    if (line.error() != 0)
        return line.error();
    std::vector<char*> arguments;
    for (const std::string& word : words)
        arguments.push_back(const_cast<char*>(word.c_str()));
    arguments.push_back(nullptr);
    SpawnPlan plan;
    posix_spawn_file_actions_adddup2(&plan.actions, line.childsEnd(), STDIN_FILENO);
    for (const auto& [file, name] : {std::pair(STDOUT_FILENO, &output), {STDERR_FILENO, &errors}})
        posix_spawn_file_actions_addopen(&plan.actions, file, name->c_str(), O_WRONLY | O_CREAT | O_TRUNC, kPrivate);
    plan.closeOthers();
    return posix_spawnp(&child, words.front().c_str(), &plan.actions, &plan.attributes, arguments.data(), environ);
}

/// Waits for its end, which a wish to stop brings about; its status, or the error number as a negative one. It is
/// reaped after it can no longer be killed: until then its number is nobody else's.
int statusAtEnd(pid_t child, const std::stop_token& stop)
{
    {
        const std::stop_callback ending(stop, [child] { kill(child, SIGKILL); });
        siginfo_t ended = {};
        while (waitid(P_PID, static_cast<id_t>(child), &ended, WEXITED | WNOWAIT) < 0)
            if (errno != EINTR)
                return -errno;
    }
    int status = 0;
    while (waitpid(child, &status, 0) < 0)
        if (errno != EINTR)
            return -errno;
    return status;
}

} // namespace

Result<std::string> runPython(const std::string& program, const std::vector<std::string>& words,
                              const std::filesystem::path& folder, const std::stop_token& stop)
{
    std::vector<std::string> all{chosenPython(pythonBesideTorch()), "-B", "-c", kEndsWithUs + program};
    all.insert(all.end(), words.begin(), words.end());
    const std::filesystem::path output = folder / "output", errors = folder / "errors";
    const LifeLine line;
    pid_t child = 0;
    if (const int failed = startPython(all, line, output, errors, child); failed != 0)
        return fail(fmt::format("cannot be started: {}; {}", std::strerror(failed), kAnotherPython), all.front());
    const int status = statusAtEnd(child, stop);
    if (stop.stop_requested())
        return fail("it was stopped", all.front());
    if (status < 0)
        return fail(fmt::format("its end cannot be waited for: {}", std::strerror(-status)), all.front());
    if (status == 0)
        return readWholeFile(output, kMostPrinted);
    if (WIFSIGNALED(status))
        return fail(fmt::format("it was ended by signal {}", WTERMSIG(status)), all.front());
    const std::string said = namedError(readWholeFile(errors, kMostPrinted).value_or(std::string()));
    if (said.starts_with("ModuleNotFoundError: No module named 'torch'"))
        return fail(fmt::format("it has no torch; {}", kAnotherPython), all.front());
    return fail(said.empty() ? fmt::format("it ended with {}", WEXITSTATUS(status)) : said, all.front());
}

} // namespace unroll
