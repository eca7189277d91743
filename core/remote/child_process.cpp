// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/remote/child_process.h"

#include "core/base/reason.h"
#include "core/base/spawn_plan.h"
#include "core/base/visible.h"

#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

extern char** environ;

namespace unroll {

namespace {

constexpr std::size_t kMostSaid = 4096;

std::string endText(int status)
{
    if (WIFSIGNALED(status))
        return fmt::format("was ended by signal {} ({})", WTERMSIG(status), strsignal(WTERMSIG(status)));
    return fmt::format("ended with exit code {}", WEXITSTATUS(status));
}

} // namespace

Result<std::unique_ptr<ChildProcess>> ChildProcess::start(const std::vector<std::string>& words, Life life)
{
    auto pipe = pipePair();
    if (!pipe)
        return tl::unexpected(pipe.error());
    const auto [ours, theirs] = *pipe;
    std::unique_ptr<ChildProcess> child(new ChildProcess);
    child->m_channel = std::make_unique<Channel>(ours, ours);
    child->m_life = life;
    int errors[2] = {-1, -1};
    if (::pipe2(errors, O_CLOEXEC) != 0) {
        ::close(theirs);
        return fail("a pipe cannot be made: " + reasonOf(errno));
    }
    child->m_errors = errors[0];
    fcntl(errors[0], F_SETFL, O_NONBLOCK);
    SpawnPlan plan(life == Life::OnItsOwn);
    posix_spawn_file_actions_adddup2(&plan.actions, theirs, STDIN_FILENO);
    posix_spawn_file_actions_adddup2(&plan.actions, theirs, STDOUT_FILENO);
    posix_spawn_file_actions_adddup2(&plan.actions, errors[1], STDERR_FILENO);
    plan.closeOthers();
    std::vector<std::string> copies = words;
    std::vector<char*> arguments;
    for (std::string& word : copies)
        arguments.push_back(word.data());
    arguments.push_back(nullptr);
    pid_t process = -1;
    const int refused =
        posix_spawnp(&process, arguments.front(), &plan.actions, &plan.attributes, arguments.data(), environ);
    ::close(theirs);
    ::close(errors[1]);
    if (refused != 0)
        return fail("cannot be started: " + reasonOf(refused), words.front());
    child->m_process = process;
    return child;
}

ChildProcess::~ChildProcess()
{
    m_channel.reset();
    if (m_errors >= 0)
        ::close(m_errors);
    if (m_life == Life::OnItsOwn || m_process < 0 || ended(0))
        return;
    ::kill(m_process, SIGTERM);
    if (!ended(1)) {
        ::kill(m_process, SIGKILL);
        (void)ended(1);
    }
}

void ChildProcess::readErrors()
{
    std::array<char, 1024> piece;
    while (m_errors >= 0) {
        const ssize_t count = ::read(m_errors, piece.data(), piece.size());
        if (count < 0 && (errno == EAGAIN || errno == EWOULDBLOCK))
            return;
        if (count < 0 && errno == EINTR)
            continue;
        if (count <= 0)
            return releaseErrors();
        m_said.append(piece.data(), static_cast<std::size_t>(count));
        if (m_said.size() > kMostSaid)
            m_said.erase(0, m_said.size() - kMostSaid);
    }
}

void ChildProcess::releaseErrors()
{
    if (m_errors >= 0)
        ::close(m_errors);
    m_errors = -1;
}

std::optional<std::string> ChildProcess::ended(double seconds)
{
    const auto until = std::chrono::steady_clock::now() + std::chrono::duration<double>(seconds);
    while (!m_end) {
        int status = 0;
        const pid_t found = ::waitpid(m_process, &status, WNOHANG);
        if (found == m_process)
            m_end = endText(status);
        else if (found < 0 && errno != EINTR)
            m_end = "has ended";
        else if (std::chrono::steady_clock::now() >= until)
            return {};
        else
            std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
    return m_end;
}

std::string ChildProcess::lastWords()
{
    readErrors();
    std::string_view said = m_said;
    while (!said.empty() && (said.back() == '\n' || said.back() == '\r' || said.back() == ' '))
        said.remove_suffix(1);
    const std::size_t line = said.rfind('\n');
    return visibleText(line == std::string_view::npos ? said : said.substr(line + 1));
}

} // namespace unroll
