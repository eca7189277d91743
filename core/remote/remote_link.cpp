// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/remote/remote_link.h"

#include "core/remote/wire_commands.h"
#include "core/remote/wire_values.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <fmt/format.h>
#include <thread>
#include <utility>

namespace unroll {

namespace {

constexpr double kLinkTurn = 0.25;    ///< seconds
constexpr double kLinkPing = 5;       ///< likewise
constexpr double kGreetSeconds = 60;  ///< a host may have to be woken, a password to be typed
constexpr double kStartSeconds = 120; ///< an engine is started there
constexpr double kCloseSeconds = 120; ///< for a last checkpoint
constexpr std::size_t kMostNotes = 50;

double linkClock()
{
    return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

std::string wordOf(const Message& message, const char* name)
{
    const Json* found = message.head.find(name);
    return found != nullptr && found->asString() != nullptr ? *found->asString() : std::string();
}

} // namespace

RemoteLink::RemoteLink(RemoteTask task, RemotePlace place, RemoteDesk& desk, MetricQueue& metrics, SnapshotBox& box)
    : m_task(std::move(task)), m_place(std::move(place)), m_desk(desk), m_metrics(metrics), m_box(box)
{
    m_snapshot.state = RunState::Building;
    m_started = !m_task.run.empty();
}

void RemoteLink::serve(const std::stop_token& stop)
{
    if (!m_place.sameDisk)
        note(fmt::format("connecting to {}", m_place.name));
    publish();
    while (!stop.stop_requested() && !m_over)
        if (connect(stop))
            follow(stop);
        else if (!m_over)
            waitToRetry(stop);
    leave();
}

/// A first connection that fails ends the session; a later one is tried again.
bool RemoteLink::connect(const std::stop_token& stop)
{
    auto pipe = m_place.connect();
    if (!pipe) {
        if (m_tries == 0)
            fail(unreachableText(m_place, pipe.error().text()), kLinkRefused);
        else
            lose(pipe.error().text());
        return false;
    }
    m_pipe = std::move(*pipe);
    m_receiver = SnapshotReceiver();
    m_greeted = m_told = false;
    m_joins = m_lastStep >= 0;
    m_heardAt = linkClock();
    m_heardBytes = 0;
    if (!greet(stop) || !open())
        return false;
    if (m_tries > 0) {
        note(fmt::format("the connection to {} is restored", m_place.name));
        for (const auto& said : {m_reading, m_open})
            if (said)
                (void)m_pipe.channel->send(*said);
    }
    return true;
}

/// Says who is here, and waits until the other side has done so.
bool RemoteLink::greet(const std::stop_token& stop)
{
    Message hello = commandMessage("hello");
    if (!m_pipe.channel->send(hello))
        return false;
    const double until = linkClock() + kGreetSeconds;
    while (!m_greeted && !m_over && !stop.stop_requested()) {
        m_pipe.channel->exchange();
        readMessages();
        const bool isGone = m_pipe.channel == nullptr || m_pipe.channel->isClosed();
        if (m_greeted || m_over)
            break;
        if (isGone || linkClock() > until) {
            const std::string why = isGone ? howItEnded() : fmt::format("no answer for {:.0f} s", kGreetSeconds);
            if (m_tries == 0)
                fail(unreachableText(m_place, why), kLinkRefused);
            else
                lose(why);
            return false;
        }
        waitFor({m_pipe.channel.get()}, kLinkTurn, {m_pipe.child ? m_pipe.child->errors() : -1});
        if (m_pipe.child)
            m_pipe.child->readErrors();
    }
    return m_greeted && !m_over;
}

bool RemoteLink::open()
{
    if (!m_started)
        return begin();
    Message attach = commandMessage("attach");
    attach.head.add("run", m_task.run);
    attach.head.add("from", std::max<std::int64_t>(m_lastStep, 0));
    return m_pipe.channel->send(attach).has_value();
}

void RemoteLink::follow(const std::stop_token& stop)
{
    while (!stop.stop_requested() && !m_over && m_pipe.channel) {
        sendCommands();
        m_pipe.channel->exchange();
        readMessages();
        if (m_over || !m_pipe.channel)
            return;
        if (m_pipe.channel->isClosed())
            return lose(howItEnded());
        const double now = linkClock();
        const double patience = m_told ? m_place.silenceSeconds : std::max(m_place.silenceSeconds, kStartSeconds);
        if (now - m_heardAt > patience)
            return lose(fmt::format("no answer for {:.0f} s", patience));
        if (now - m_saidAt > kLinkPing && !m_pipe.channel->hasUnsent()) {
            m_saidAt = now;
            (void)m_pipe.channel->send(commandMessage("ping"));
        }
        waitFor({m_pipe.channel.get()}, kLinkTurn,
                {m_started ? m_desk.bell() : -1, m_pipe.child ? m_pipe.child->errors() : -1});
        if (m_pipe.child)
            m_pipe.child->readErrors();
    }
}

/// Once the run is known there; until then they wait.
void RemoteLink::sendCommands()
{
    if (!m_started)
        return;
    for (Message& message : m_desk.take()) {
        const std::string kind = message.kind();
        if (const auto sent = m_pipe.channel->send(message); !sent)
            note(sent.error().text());
        if (kind == "ask")
            m_open = std::move(message);
        else if (kind == "reading")
            m_reading = std::move(message);
    }
}

void RemoteLink::readMessages()
{
    while (m_pipe.channel && !m_over) {
        if (m_pipe.channel->bytesIn() != std::exchange(m_heardBytes, m_pipe.channel->bytesIn()))
            m_heardAt = linkClock();
        const auto message = m_pipe.channel->next();
        if (!message) {
            if (m_greeted && m_started)
                return lose(message.error().text());
            const std::string words = m_pipe.child ? m_pipe.child->lastWords() : std::string();
            return fail(fmt::format("{} cannot be used: {}{}", m_place.name, message.error().message,
                                    words.empty() ? "" : " (" + words + ")"),
                        kLinkRefused);
        }
        if (!*message)
            return;
        hear(**message);
    }
}

void RemoteLink::hear(const Message& message)
{
    const std::string kind = message.kind();
    if (kind == "hello")
        m_greeted = true;
    else if (kind == "started")
        hearStarted(message);
    else if (kind == "rows")
        hearRows(message);
    else if (kind == "snapshot")
        hearSnapshot(message);
    else if (kind == "bye")
        hearBye(message);
    else if (kind == "note")
        note(wordOf(message, "text"));
    else if (kind == "got")
        sendPieces();
    else if (kind == "wants") {
        if (const Json* hashes = message.head.find("hashes"); hashes != nullptr && hashes->asArray() != nullptr)
            for (const Json& hash : *hashes->asArray())
                if (hash.asString() != nullptr)
                    m_wanted.push_back(*hash.asString());
        sendPieces();
    }
}

void RemoteLink::hearStarted(const Message& message)
{
    const std::string run = wordOf(message, "run");
    m_task.run = run.empty() ? m_task.run : run;
    m_started = m_told = true;
    m_task.options.keptWeights.reset();
    m_tries = 0;
    m_lost.reset();
    const Json* document = message.head.find("experiment");
    auto experiment = document != nullptr ? experimentFromJson(*document, "the experiment")
                                          : Result<Experiment>(tl::unexpected(Error{"none came", {}}));
    if (experiment) {
        experiment->folder = wordOf(message, "folder");
        m_desk.learn(std::move(*experiment), m_task.run);
    } else {
        note("the experiment of the run cannot be read: " + experiment.error().text());
    }
    if (const std::string said = wordOf(message, "note"); !said.empty())
        note(said);
    if (!m_place.sameDisk && !m_task.run.empty())
        note(fmt::format("the run is {} on {}", m_task.run, m_place.name));
    publish();
}

/// Rows of the step at which the last connection ended come again, perhaps from the disk, which has fewer values.
void RemoteLink::hearRows(const Message& message)
{
    const BlockReader blocks(message.body);
    std::string fault;
    std::vector<MetricRow> rows;
    MemberReader(message.head, blocks, fault).inside("rows", [&](const MemberReader& each) { rows = rowsFrom(each); });
    if (!fault.empty())
        return lose(fmt::format("rows cannot be read: their {} is not as expected", fault));
    for (MetricRow& row : rows) {
        const bool isLater = row.step > m_lastStep;
        const bool isNews = std::any_of(row.values.begin(), row.values.end(),
                                        [this](const auto& value) { return m_lastValues.count(value.first) == 0; });
        m_joins = m_joins && !isLater;
        if (m_joins && (row.step < m_lastStep || !isNews))
            continue;
        if (row.step != m_lastStep)
            m_lastValues.clear();
        for (const auto& [name, value] : row.values)
            m_lastValues.insert(name);
        m_lastStep = row.step;
        m_metrics.push(std::move(row));
    }
}

void RemoteLink::hearSnapshot(const Message& message)
{
    const auto snapshot = m_receiver.snapshot(message);
    if (!snapshot)
        return lose(snapshot.error().text());
    m_snapshot = **snapshot;
    publish();
}

void RemoteLink::hearBye(const Message& message)
{
    m_over = true;
    m_snapshot.canGoOn = false;
    const std::string failure = wordOf(message, "failure");
    if (!failure.empty() && !hasEnded(m_snapshot.state))
        return fail(failure, m_told ? kEngineLost : kLinkRefused);
    if (!failure.empty())
        m_lost = Diagnostic{.code = kEngineLost, .sentence = failure, .fix = {}};
    if (message.head.find("replaced") != nullptr) {
        m_lost = Diagnostic{.severity = Severity::Warning,
                            .code = kViewerReplaced,
                            .sentence =
                                "another viewer has attached to this run, which goes on; this one shows its last state",
                            .fix = {}};
        m_snapshot.state = RunState::Stopped;
    }
    publish();
}

/// How the process behind the pipe ended, in its own words if it had some.
std::string RemoteLink::howItEnded()
{
    if (!m_pipe.child)
        return "the pipe was closed";
    const auto how = m_pipe.child->ended(1);
    const std::string words = m_pipe.child->lastWords();
    return fmt::format("the command {}{}", how.value_or("has closed its pipe"),
                       words.empty() ? "" : " (" + words + ")");
}

/// What was trained goes on there; a run that was not known there yet is not started twice.
void RemoteLink::lose(std::string reason)
{
    m_pipe.channel.reset();
    m_pipe.child.reset();
    if (!m_started || m_task.run.empty())
        return fail(fmt::format("the connection to {} broke: {}", m_place.name, reason), kLinkLost);
    if (m_tries == 0)
        note(fmt::format("the connection to {} broke: {}", m_place.name, reason));
    ++m_tries;
    m_lost = Diagnostic{
        .code = kLinkLost,
        .sentence = fmt::format(
            "No connection to {}: {}. The run continues there if its process is alive; trying again (attempt {}).",
            m_place.name, reason, m_tries),
        .fix = {}};
    publish();
}

void RemoteLink::waitToRetry(const std::stop_token& stop)
{
    const double wait = std::min(60.0, m_place.retrySeconds * std::pow(2.0, std::min(m_tries - 1, 10)));
    const double until = linkClock() + std::max(wait, 0.0);
    while (!stop.stop_requested() && linkClock() < until)
        std::this_thread::sleep_for(std::chrono::milliseconds(20));
}

/// The session ends here: what was asked for last is sent; then the run goes on without us, or is stopped.
void RemoteLink::leave()
{
    if (!m_pipe.channel || m_pipe.channel->isClosed())
        return;
    Channel& channel = *m_pipe.channel;
    if (m_greeted && !m_over) {
        sendCommands();
        const bool leaves = m_place.leavesRunning && m_started; // what was not told to run has nothing to go on with
        (void)channel.send(commandMessage(leaves ? "leave" : "close"));
        const double until = linkClock() + (leaves ? 2 : kCloseSeconds);
        while (!channel.isClosed() && !m_over && linkClock() < until && (channel.hasUnsent() || !leaves)) {
            waitFor({&channel}, kLinkTurn);
            channel.exchange();
            readMessages();
        }
    }
    m_pipe.channel.reset();
    if (m_pipe.child)
        (void)m_pipe.child->ended(2); // what it has not passed on yet would be lost
    m_pipe.child.reset();
}

void RemoteLink::fail(const std::string& failure, const char* code)
{
    m_over = true;
    m_lost = Diagnostic{.code = code, .sentence = failure, .fix = {}};
    m_snapshot.state = RunState::Failed;
    m_snapshot.failure = failure;
    m_snapshot.canGoOn = false;
    publish();
}

void RemoteLink::note(const std::string& line)
{
    m_notes.push_back(line);
    if (m_notes.size() > kMostNotes)
        m_notes.erase(m_notes.begin());
    publish();
}

/// The other side's snapshot, with what is to be said of the connection.
void RemoteLink::publish()
{
    auto shown = std::make_shared<Snapshot>(m_snapshot);
    shown->log.insert(shown->log.begin(), m_notes.begin(), m_notes.end());
    if (m_lost)
        shown->problems.push_back(*m_lost);
    if (!m_place.sameDisk) {
        shown->runFolder.clear(); // it is none of this machine
        if (!shown->device.empty())
            shown->device = m_place.name + ": " + shown->device;
    }
    m_box.put(std::move(shown));
}

} // namespace unroll
