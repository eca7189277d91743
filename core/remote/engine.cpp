// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/remote/engine.h"

#include "core/remote/session_host.h"
#include "core/remote/wire_commands.h"
#include "core/remote/wire_values.h"
#include "core/session/run_record.h"

#include <chrono>
#include <fmt/format.h>
#include <optional>
#include <utility>

namespace unroll {

namespace {

constexpr double kFirstWordSeconds = 60;
constexpr double kEngineTurn = 0.02;

double engineClock()
{
    return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

std::optional<Message> firstMessage(Channel& channel)
{
    const double until = engineClock() + kFirstWordSeconds;
    while (engineClock() < until) {
        channel.exchange();
        auto message = channel.next();
        if (!message)
            return {};
        if (*message && (*message)->kind() == "hello")
            (void)channel.send(commandMessage("hello"));
        else if (*message && (*message)->kind() != "ping")
            return std::move(*message);
        if (*message)
            continue;
        if (channel.isClosed())
            return {};
        waitFor({&channel}, 1);
    }
    return {};
}

/// What a first message asks for.
struct EngineTask {
    Experiment experiment;
    SessionOptions options;
    std::vector<MetricRow> rows; ///< of a run that has ended
};

Result<EngineTask> openTask(const MemberReader& members)
{
    const std::string run = members.text("run");
    auto record = readRunRecord(run);
    if (!record)
        return tl::unexpected(record.error());
    EngineTask task{std::move(record->experiment), {}, std::move(record->rows)};
    task.options.runFolder = record->snapshot.runFolder;
    if (const std::string checkpoint = members.text("checkpoint"); !checkpoint.empty())
        task.options.checkpoint = checkpoint;
    task.options.ended = std::make_shared<const Snapshot>(std::move(record->snapshot));
    return task;
}

Result<EngineTask> beginTask(const MemberReader& members)
{
    const Json* json = members.find("experiment");
    if (json == nullptr)
        return fail("no experiment was received");
    auto experiment = experimentFromJson(*json, "the experiment");
    if (!experiment)
        return tl::unexpected(experiment.error());
    experiment->folder = members.text("folder");
    EngineTask task{std::move(*experiment), {}, {}};
    members.inside("options", [&](const MemberReader& options) { task.options = optionsFrom(options); });
    return task;
}

Result<EngineTask> taskOf(const Message& message)
{
    const BlockReader blocks(message.body);
    std::string fault;
    const MemberReader members(message.head, blocks, fault);
    auto task = message.kind() == "open"    ? openTask(members)
                : message.kind() == "begin" ? beginTask(members)
                                            : fail("no run to start or to open was named");
    if (task && !fault.empty())
        return fail(fmt::format("what is to be run cannot be read: its {} is not as expected", fault));
    return task;
}

void refuse(Channel& channel, const std::string& failure)
{
    Message bye = commandMessage("bye");
    bye.head.add("failure", failure);
    (void)channel.send(bye);
    const double until = engineClock() + 5;
    while (channel.hasUnsent() && !channel.isClosed() && engineClock() < until) {
        waitFor({&channel}, 0.1);
        channel.exchange();
    }
}

/// Whether the engine has nothing more to do once no viewer is there.
class RestWatch {
public:
    RestWatch(Session& session, double seconds) : m_session(session), m_seconds(seconds) {}

    bool isOver(bool hasEnded, bool mayBeAttachedTo)
    {
        if (hasEnded || !mayBeAttachedTo)
            return true;
        const RunState state = m_session.snapshot()->state;
        const double now = engineClock();
        if (state == RunState::Running || state == RunState::Building)
            m_since = -1;
        else if (m_since < 0)
            m_since = now;
        return m_since >= 0 && now - m_since > m_seconds;
    }
    void someoneIsThere() { m_since = -1; }

private:
    Session& m_session;
    double m_seconds;
    double m_since = -1; ///< by engineClock(), when it began to rest; below 0: it does not
};

} // namespace

bool serveEngine(std::unique_ptr<Channel> first, const EngineSetup& setup)
{
    const auto message = firstMessage(*first);
    if (!message)
        return false;
    auto task = taskOf(*message);
    if (!task) {
        refuse(*first, task.error().text());
        return false;
    }
    const std::string folder = task->options.runFolder;
    const bool isOpened = task->options.ended != nullptr;
    const Experiment experiment = task->experiment;
    const auto session =
        startSession(std::move(task->experiment), setup.registry, setup.builders, std::move(task->options));
    SessionHost host(*session, experiment, isOpened ? std::string() : folder);
    host.keep(task->rows);
    if (!folder.empty() && !isOpened)
        (void)host.openDoor();
    const bool mayAttach = !folder.empty() && !isOpened;
    host.take(std::move(first), 0);
    RestWatch rest(*session, setup.restSeconds);
    for (bool stopping = false;;) {
        host.turn(kEngineTurn);
        host.keep(session->takeMetrics());
        const bool hasEnded = session->finish(0);
        if ((host.wantsEnd() || setup.interrupted()) && !std::exchange(stopping, true))
            session->stop();
        if (stopping && hasEnded)
            break;
        if (host.hasViewer())
            rest.someoneIsThere();
        else if (!stopping && rest.isOver(hasEnded, mayAttach)) {
            if (hasEnded)
                break;
            stopping = true;
            session->stop();
        }
    }
    host.keep(session->takeMetrics());
    host.end({});
    return true;
}

} // namespace unroll
