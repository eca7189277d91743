// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/result.h"
#include "core/remote/channel.h"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace unroll {

/// A process that was started here and speaks by its standard input and output, which are one pipe. What it writes on
/// standard error is read: its last words tell why it ended.
class ChildProcess {
public:
    enum class Life {
        WithUs,  ///< ended by the destructor
        OnItsOwn ///< a session of its own, without a terminal: goes on when this process ends
    };

    /// The program and its arguments; looked up in PATH. An error says what the system refused.
    static Result<std::unique_ptr<ChildProcess>> start(const std::vector<std::string>& words, Life life);
    ~ChildProcess(); ///< with Life::WithUs asks it to end (SIGTERM), and makes it after a second
    ChildProcess(const ChildProcess&) = delete;
    ChildProcess& operator=(const ChildProcess&) = delete;

    /// The other end of its pipe, once; null afterwards.
    std::unique_ptr<Channel> takeChannel() { return std::move(m_channel); }
    int process() const { return m_process; }
    int errors() const { return m_errors; } ///< to be waited for; -1: closed
    /// Reads what there is on its standard error; the newest is kept.
    void readErrors();
    /// Lets go of its standard error: the process outlives this one.
    void releaseErrors();

    /// How it ended: "ended with exit code 3", "was ended by signal 9 (Killed)"; nothing: it runs. Waits so long.
    std::optional<std::string> ended(double seconds = 0);
    /// The last line that it wrote on standard error; empty: none.
    std::string lastWords();

private:
    ChildProcess() = default;

    std::unique_ptr<Channel> m_channel;
    int m_process = -1;
    int m_errors = -1;
    Life m_life = Life::WithUs;
    std::string m_said;
    std::optional<std::string> m_end;
};

} // namespace unroll
