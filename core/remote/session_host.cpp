// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/remote/session_host.h"

#include "core/remote/wire_commands.h"
#include "core/remote/wire_values.h"
#include "core/session/run_record.h"

#include <algorithm>
#include <chrono>
#include <fmt/format.h>
#include <span>
#include <unistd.h>
#include <utility>

namespace unroll {

namespace {

constexpr std::size_t kMostHostRows = 65536;
constexpr std::size_t kLeastHostRows = 4096; ///< at hand; older ones are in the run's folder
constexpr std::size_t kRowsAMessage = 2048;
constexpr double kSnapshotSeconds = 0.03; ///< between two

double hostClock()
{
    return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

} // namespace

SessionHost::SessionHost(Session& session, const Experiment& experiment, std::string runFolder,
                         std::vector<LensQuery> own)
    : m_session(session),
      m_experiment(experimentToJson(experiment)),
      m_experimentFolder(experiment.folder),
      m_runFolder(std::move(runFolder)),
      m_own(std::move(own))
{}

Result<void> SessionHost::openDoor()
{
    auto door = EngineDoor::open(m_runFolder);
    if (!door) {
        m_note = "nobody can attach to this run later: " + door.error().text();
        return tl::unexpected(door.error());
    }
    m_door = std::move(*door);
    return {};
}

void SessionHost::take(std::unique_ptr<Channel> viewer, std::int64_t from)
{
    if (m_viewer) {
        Message bye = commandMessage("bye");
        bye.head.add("replaced", true);
        (void)m_viewer->send(bye);
        m_viewer->exchange();
    }
    m_viewer = std::move(viewer);
    m_sender = SnapshotSender();
    forgetSent();
    m_heardAt = hostClock();
    m_heardBytes = 0;
    const auto isSeen = [from](const MetricRow& row) { return row.step < from; };
    m_rowsSent = static_cast<std::size_t>(std::partition_point(m_rows.begin(), m_rows.end(), isSeen) - m_rows.begin());
    const std::int64_t first = m_rows.empty() ? m_session.snapshot()->step + 1 : m_rows.front().step;
    if (!m_runFolder.empty() && from < first)
        if (auto older = readRunRows(m_runFolder)) {
            std::erase_if(*older, [&](const MetricRow& row) { return isSeen(row) || row.step >= first; });
            m_older = std::move(*older);
        }
    sendStarted();
}

void SessionHost::sendStarted()
{
    Message started = commandMessage("started");
    started.head.add("run", m_runFolder);
    started.head.add("experiment", m_experiment);
    started.head.add("folder", m_experimentFolder);
    started.head.add("process", static_cast<std::int64_t>(::getpid()));
    if (!m_note.empty())
        started.head.add("note", m_note);
    send(started);
}

void SessionHost::keep(const std::vector<MetricRow>& rows)
{
    m_rows.insert(m_rows.end(), rows.begin(), rows.end());
    m_nextIsDue = m_next != nullptr;
    if (!m_runFolder.empty() && m_rows.size() > 2 * kLeastHostRows) {
        const std::size_t sent = m_viewer ? m_rowsSent : m_rows.size();
        const auto gone = static_cast<std::ptrdiff_t>(std::min(sent, m_rows.size() - kLeastHostRows));
        m_rows.erase(m_rows.begin(), m_rows.begin() + gone);
        m_rowsSent -= m_viewer ? static_cast<std::size_t>(gone) : m_rowsSent;
    }
    while (m_rows.size() > kMostHostRows)
        mergeRows();
}

/// As MetricQueue does; a pair of which the viewer has one is sent again.
void SessionHost::mergeRows()
{
    std::vector<MetricRow> merged;
    merged.reserve(m_rows.size() / 2 + 1);
    for (std::size_t i = 0; i < m_rows.size(); i += 2) {
        if (i + 1 < m_rows.size()) {
            m_rows[i + 1].values.merge(m_rows[i].values);
            merged.push_back(std::move(m_rows[i + 1]));
        } else {
            merged.push_back(std::move(m_rows[i]));
        }
    }
    m_rows = std::move(merged);
    m_rowsSent /= 2;
}

void SessionHost::turn(double seconds)
{
    std::vector<const Channel*> channels{m_viewer.get()};
    for (const auto& waiting : m_waiting)
        channels.push_back(waiting.get());
    for (const Errand& errand : m_errands)
        channels.push_back(errand.channel.get());
    waitFor(channels, seconds, {m_door ? m_door->file() : -1});
    letIn();
    readWaiting();
    answerErrands();
    if (!m_viewer)
        return;
    m_viewer->exchange();
    readViewer();
    if (m_viewer && !m_viewer->hasUnsent()) {
        sendNews();
        if (m_viewer)
            m_viewer->exchange();
    }
    if (m_viewer && m_viewer->isClosed())
        drop("the viewer has disconnected");
    else if (m_viewer && hostClock() - m_heardAt > kSilenceSeconds)
        drop("the viewer did not answer");
}

void SessionHost::letIn()
{
    constexpr std::size_t kMostWaiting = 8;
    while (m_door && m_waiting.size() < kMostWaiting) {
        auto comer = m_door->next();
        if (!comer)
            return;
        m_waiting.push_back(std::move(comer));
    }
}

/// The first message says what a comer wants.
void SessionHost::readWaiting()
{
    for (std::size_t i = 0; i < m_waiting.size();) {
        m_waiting[i]->exchange();
        auto message = m_waiting[i]->next();
        const bool greets = message && *message && (*message)->kind() == "hello";
        if (greets) {
            (void)m_waiting[i]->send(commandMessage("hello"));
            m_waiting[i]->exchange();
        }
        if (greets || (message && !*message && !m_waiting[i]->isClosed())) {
            ++i;
            continue;
        }
        auto comer = std::move(m_waiting[i]);
        m_waiting.erase(m_waiting.begin() + static_cast<std::ptrdiff_t>(i));
        if (message && *message && (*message)->kind() == "attach") {
            const Json* from = (*message)->head.find("from");
            take(std::move(comer), from != nullptr ? from->asInt().value_or(0) : 0);
        } else if (message && *message && (*message)->kind() == "command") {
            takeErrand(std::move(comer), **message);
        }
    }
}

void SessionHost::takeErrand(std::unique_ptr<Channel> channel, const Message& message)
{
    const Json* named = message.head.find("command");
    const std::string command = named != nullptr && named->asString() != nullptr ? *named->asString() : std::string();
    const bool isKnown = command == "stop" || command == "pause" || command == "run" || command == "checkpoint";
    if (isKnown) {
        m_errands.push_back({std::move(channel), command, m_session.snapshot()->step});
        (void)applyCommand(m_session, commandMessage(command.c_str()));
        return;
    }
    Message bye = commandMessage("bye");
    bye.head.add("failure", fmt::format("\"{}\" is no command for a run from outside", command));
    (void)channel->send(bye);
    channel->exchange();
}

bool SessionHost::isDone(const Errand& errand, const Snapshot& snapshot)
{
    if (hasEnded(snapshot.state))
        return true;
    if (errand.command == "pause")
        return snapshot.state == RunState::Paused;
    if (errand.command == "run")
        return snapshot.state == RunState::Running;
    return errand.command == "checkpoint" && snapshot.checkpointed >= errand.step;
}

/// They are kept until the other end has gone, which takes its answer first.
void SessionHost::answerErrands()
{
    if (m_errands.empty())
        return;
    const auto snapshot = m_session.snapshot();
    for (Errand& errand : m_errands) {
        if (!errand.isAnswered && isDone(errand, *snapshot)) {
            errand.isAnswered = true;
            Message done = commandMessage("done");
            done.head.add("state", runStateWord(snapshot->state));
            done.head.add("step", snapshot->step);
            done.head.add("checkpointed", snapshot->checkpointed);
            (void)errand.channel->send(done);
        }
        errand.channel->exchange();
    }
    std::erase_if(m_errands, [](const Errand& errand) { return errand.channel->isClosed(); });
}

void SessionHost::readViewer()
{
    if (m_viewer->bytesIn() != std::exchange(m_heardBytes, m_viewer->bytesIn()))
        m_heardAt = hostClock();
    while (m_viewer) {
        const auto message = m_viewer->next();
        if (!message) {
            Message bye = commandMessage("bye");
            bye.head.add("failure", "a command could not be read: " + message.error().text());
            send(bye);
            return drop(message.error().text());
        }
        if (!*message)
            return;
        follow(**message);
    }
}

void SessionHost::follow(const Message& message)
{
    const std::string kind = message.kind();
    if (kind == "leave")
        return drop({});
    if (kind == "close") {
        m_wantsEnd = true;
        return;
    }
    if (kind == "moved" && m_door)
        if (const Json* folder = message.head.find("folder"); folder != nullptr && folder->asString() != nullptr) {
            m_runFolder = *folder->asString();
            m_door->moved(m_runFolder);
        }
    if (kind == "ask" && !m_own.empty()) {
        Message all = message;
        JsonArray open;
        if (const Json* asked = message.head.find("open"); asked != nullptr && asked->asArray() != nullptr)
            open = *asked->asArray();
        for (const LensQuery& query : m_own)
            open.push_back(queryJson(query));
        all = commandMessage("ask");
        all.head.add("open", Json(std::move(open)));
        (void)applyCommand(m_session, all);
        return;
    }
    if (const auto applied = applyCommand(m_session, message); !applied) {
        m_trouble = applied.error().text();
        Message note = commandMessage("note");
        note.head.add("text", m_trouble);
        send(note);
    }
}

void SessionHost::send(const Message& message)
{
    if (!m_viewer)
        return;
    if (const auto sent = m_viewer->send(message); !sent)
        m_trouble = sent.error().text();
    m_sentAt = hostClock();
}

/// A snapshot goes after the rows up to its step, and before later ones: a quick run has new rows at every turn.
void SessionHost::sendNews()
{
    const double now = hostClock();
    const bool owesRows = !m_older.empty() || m_rowsSent < m_rows.size();
    const bool owesEarlier = !m_older.empty() || (owesRows && m_next && m_rows[m_rowsSent].step <= m_next->step);
    if (m_nextIsDue && !owesEarlier) {
        m_snapshotAt = now;
        return sendSnapshot(std::exchange(m_next, nullptr));
    }
    if (auto newest = m_session.snapshot(); !m_next && newest != m_sent && now - m_snapshotAt >= kSnapshotSeconds)
        m_next = std::move(newest);
    if (owesRows)
        sendRows();
    else if (now - m_sentAt > kPingSeconds)
        send(commandMessage("ping"));
}

void SessionHost::sendRows()
{
    std::vector<MetricRow>& rows = m_older.empty() ? m_rows : m_older;
    const std::size_t begin = m_older.empty() ? m_rowsSent : 0;
    const std::size_t count = std::min(kRowsAMessage, rows.size() - begin);
    BlockWriter blocks;
    Message message = commandMessage("rows");
    message.head.add("rows", rowsJson(std::span(rows).subspan(begin, count), blocks));
    message.body = blocks.take();
    send(message);
    if (m_older.empty())
        m_rowsSent += count;
    else
        m_older.erase(m_older.begin(), m_older.begin() + static_cast<std::ptrdiff_t>(count));
}

/// What is too large for a message is left out, and said.
void SessionHost::sendSnapshot(const std::shared_ptr<const Snapshot>& snapshot)
{
    m_sent = snapshot;
    m_nextIsDue = false;
    SnapshotSender before = m_sender;
    Message message = m_sender.message(*snapshot);
    if (message.body.size() > kMostBodyBytes) {
        m_sender = before;
        Snapshot smaller = *snapshot;
        smaller.frames.clear();
        smaller.keptWeights.reset();
        smaller.notKept = "they are larger than a message between two processes may be";
        message = m_sender.message(smaller);
    }
    send(message);
}

void SessionHost::forgetSent()
{
    m_sent.reset();
    m_next.reset();
    m_nextIsDue = false;
    m_older.clear();
}

/// Nothing more is examined for a viewer that has gone.
void SessionHost::drop(const std::string& why)
{
    if (!why.empty())
        m_trouble = why;
    m_viewer.reset();
    forgetSent();
    m_session.ask(m_own);
}

void SessionHost::end(const std::string& failure, double seconds)
{
    m_door.reset();
    m_waiting.clear();
    answerErrands();
    m_errands.clear();
    if (!m_viewer)
        return;
    const double until = hostClock() + seconds;
    const auto flush = [&] {
        while (m_viewer->hasUnsent() && !m_viewer->isClosed() && hostClock() < until) {
            waitFor({m_viewer.get()}, 0.05);
            m_viewer->exchange();
        }
    };
    flush();
    while ((!m_older.empty() || m_rowsSent < m_rows.size()) && !m_viewer->isClosed() && hostClock() < until) {
        sendRows();
        flush();
    }
    if (auto newest = m_session.snapshot(); newest != m_sent)
        sendSnapshot(newest);
    Message bye = commandMessage("bye");
    if (!failure.empty())
        bye.head.add("failure", failure);
    send(bye);
    flush();
    m_viewer.reset();
}

} // namespace unroll
