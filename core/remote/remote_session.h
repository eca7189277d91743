// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/block/registry.h"
#include "core/remote/channel.h"
#include "core/remote/child_process.h"
#include "core/session/session.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace unroll {

/// A pipe to the other side, and the process behind it where one was started here.
struct RemotePipe {
    std::unique_ptr<ChildProcess> child; ///< null: none
    std::unique_ptr<Channel> channel;
};
using ConnectRemote = std::function<Result<RemotePipe>()>;

// Codes of problems that a remote session adds to those of the run.
inline constexpr const char* kLinkRefused = "link-refused";       ///< nothing was started or attached to
inline constexpr const char* kLinkLost = "link-lost";             ///< the connection; the run may go on
inline constexpr const char* kEngineLost = "engine-lost";         ///< the process that trained the run has ended
inline constexpr const char* kViewerReplaced = "viewer-replaced"; ///< the run goes on, with another viewer

/// Where a run is trained, and how it is reached.
struct RemotePlace {
    std::string name;      ///< for people: "user@box"
    std::string advice;    ///< said where it cannot be reached: how the line was understood; empty: nothing to say
    ConnectRemote connect; ///< called again whenever the connection was lost
    /// Paths name the same files there: no data are sent, and the run's folder is one of this machine's.
    bool sameDisk = false;
    bool leavesRunning = true;  ///< the run goes on when its session is destroyed; false: it is stopped and saved
    double silenceSeconds = 30; ///< without a byte, after which the connection counts as lost
    double retrySeconds = 1;    ///< before the first try to connect again; doubled up to a minute
};

/// Why nothing could be started or attached to there.
std::string unreachableText(const RemotePlace& place, const std::string& reason);
/// By a line that a user types: "user@box" and "ssh user@box" are completed to a command that starts `unroll-cli
/// session --stdio` there; any other command is started as it is, by the shell.
RemotePlace placeOfLine(const std::string& line);
/// What that line comes to.
std::string hostCommand(const std::string& line);
/// A process of this machine: the program and its words.
RemotePlace localPlace(const std::string& program);

/// A run in another process. What is asked for while the connection is lost is sent when it is there again. The
/// snapshot has a problem "link-lost" meanwhile, with a sentence; rows that came in between are sent afterwards.
class RemoteSession : public Session {
public:
    /// The experiment that is trained there, once the other side has told it; nothing: not yet.
    virtual std::optional<Experiment> experiment() const = 0;
    virtual bool leavesRunning() const = 0; ///< RemotePlace::leavesRunning
    /// The run's folder there; empty: not known yet, or nothing is written.
    virtual std::string farFolder() const = 0;
};

/// Begins a run there. As startSession(): it waits for run() or step(). The registry says which settings are data
/// files.
std::unique_ptr<RemoteSession> startRemoteSession(const Experiment& experiment, const BlockRegistry& registry,
                                                  const SessionOptions& options, RemotePlace place);

/// Joins a run that is there: one that trains (whoever started it), with all rows from its beginning, or one that has
/// ended, read-only.
std::unique_ptr<RemoteSession> attachRemoteSession(const std::string& run, RemotePlace place);

/// How a run stands after a command.
struct RemoteStand {
    RunState state = RunState::Unknown;
    std::int64_t step = 0, checkpointed = -1; ///< as Snapshot has them
};
/// Tells the process that trains this run "stop", "pause", "run" or "checkpoint", and waits until that is done, so long
/// at most. Whoever views the run stays attached. Errors: no process that trains it can be met there.
Result<RemoteStand> commandRemoteRun(const RemotePlace& place, const std::string& run, const std::string& command,
                                     double seconds = 180);

struct RemoteRun {
    std::string folder, title, state;
    std::int64_t step = 0, steps = 0, changed = 0; ///< changed: seconds since 1970
};
/// The runs of a folder there (empty: runs/), newest first. Waits so long at most.
Result<std::vector<RemoteRun>> listRemoteRuns(const RemotePlace& place, const std::string& folder, double seconds = 30);

} // namespace unroll
