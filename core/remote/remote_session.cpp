// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/remote/remote_session.h"

#include "core/base/member_reader.h"
#include "core/remote/remote_link.h"
#include "core/remote/wire_commands.h"

#include <algorithm>
#include <chrono>
#include <fmt/format.h>
#include <sstream>
#include <thread>
#include <utility>

namespace unroll {

namespace {

constexpr const char* kHostWords = "unroll-cli session --stdio";

class LinkedSession : public RemoteSession {
public:
    LinkedSession(RemoteTask task, RemotePlace place)
        : m_leavesRunning(place.leavesRunning),
          m_thread([this, task = std::move(task), place = std::move(place)](const std::stop_token& stop) mutable {
              RemoteLink(std::move(task), std::move(place), m_desk, m_metrics, m_box).serve(stop);
          })
    {}
    ~LinkedSession() override
    {
        m_thread.request_stop();
        m_desk.wake();
        m_thread.join();
    }

    void run() override { m_desk.push(commandMessage("run")); }
    void step(std::int64_t count) override { m_desk.push(stepMessage(count)); }
    void pause() override { m_desk.push(commandMessage("pause")); }
    void stop() override { m_desk.push(commandMessage("stop")); }
    void setLearningRate(double peak) override { m_desk.push(rateMessage(peak)); }
    void ask(std::vector<LensQuery> open) override { m_desk.push(askMessage(open)); }
    void setReading(const ReadingRequest& reading) override { m_desk.push(readingMessage(reading)); }
    void drew(double) override {} // it takes nothing from a processor that trains
    void look() override { m_desk.push(commandMessage("look")); }
    void sample(const std::string& prompt, std::int64_t tokens, const SamplingRule& rule, std::uint64_t seed) override
    {
        m_desk.push(sampleMessage(prompt, tokens, rule, seed));
    }
    void checkpoint() override { m_desk.push(commandMessage("checkpoint")); }
    void keepWeights() override { m_desk.push(commandMessage("keep_weights")); }
    void folderMoved(const std::string& folder) override { m_desk.push(movedMessage(folder)); }

    std::vector<MetricRow> takeMetrics() override { return m_metrics.take(); }
    std::shared_ptr<const Snapshot> snapshot() const override { return m_box.newest(); }
    bool finish(double seconds) override { return m_box.waitForEnd(seconds); }

    std::optional<Experiment> experiment() const override { return m_desk.experiment(); }
    bool leavesRunning() const override { return m_leavesRunning; }
    std::string farFolder() const override { return m_desk.folder(); }

private:
    RemoteDesk m_desk;
    MetricQueue m_metrics;
    SnapshotBox m_box;
    bool m_leavesRunning;
    std::jthread m_thread; ///< last member: joined before what it uses goes
};

ConnectRemote connectBy(std::vector<std::string> words)
{
    return [words = std::move(words)]() -> Result<RemotePipe> {
        auto child = ChildProcess::start(words, ChildProcess::Life::WithUs);
        if (!child)
            return tl::unexpected(child.error());
        auto channel = (*child)->takeChannel();
        return RemotePipe{std::move(*child), std::move(channel)};
    };
}

std::vector<std::string> wordsOf(const std::string& line)
{
    std::istringstream in(line);
    std::vector<std::string> words;
    for (std::string word; in >> word;)
        words.push_back(word);
    return words;
}

/// The answer to "list"; nothing: it has not come yet.
Result<std::optional<std::vector<RemoteRun>>> hearRuns(Channel& channel)
{
    for (;;) {
        const auto message = channel.next();
        if (!message)
            return tl::unexpected(message.error());
        if (!*message)
            return std::nullopt;
        const BlockReader blocks((*message)->body);
        std::string fault;
        const MemberReader members((*message)->head, blocks, fault);
        if ((*message)->kind() == "bye")
            return fail(members.text("failure"));
        if ((*message)->kind() != "runs")
            continue;
        auto runs = members.each("runs", [](const MemberReader& run) {
            return RemoteRun{run.text("run"),   run.text("title"),  run.text("state"),
                             run.whole("step"), run.whole("steps"), run.whole("changed")};
        });
        if (!fault.empty())
            return fail(fmt::format("the list of runs cannot be read: its {} is not as expected", fault));
        std::stable_sort(runs.begin(), runs.end(),
                         [](const RemoteRun& a, const RemoteRun& b) { return a.changed > b.changed; });
        return runs;
    }
}

} // namespace

std::string hostCommand(const std::string& line)
{
    const std::vector<std::string> words = wordsOf(line);
    const bool isWhole = std::find(words.begin(), words.end(), "session") != words.end();
    if (words.empty() || isWhole)
        return line;
    if (words.front() == "ssh")
        return fmt::format("{} {}", line, kHostWords);
    if (words.size() == 1 && words.front().find('/') == std::string::npos)
        return fmt::format("ssh -T -o ServerAliveInterval=10 {} {}", words.front(), kHostWords);
    return line;
}

RemotePlace placeOfLine(const std::string& line)
{
    RemotePlace place;
    const std::vector<std::string> words = wordsOf(line);
    const auto host =
        std::find_if(words.begin(), words.end(), [](const std::string& word) { return word.find('@') != word.npos; });
    place.name = host != words.end() ? *host : line.substr(0, 40);
    place.connect = connectBy({"/bin/sh", "-c", hostCommand(line)});
    return place;
}

RemotePlace localPlace(const std::string& program)
{
    RemotePlace place;
    place.name = "the engine's process";
    place.connect = connectBy({program, "session", "--stdio"});
    place.sameDisk = true;
    place.leavesRunning = false;
    return place;
}

std::unique_ptr<RemoteSession> startRemoteSession(const Experiment& experiment, const BlockRegistry& registry,
                                                  const SessionOptions& options, RemotePlace place)
{
    RemoteTask task;
    task.experiment = experiment;
    task.options = options;
    task.registry = &registry;
    return std::make_unique<LinkedSession>(std::move(task), std::move(place));
}

std::unique_ptr<RemoteSession> attachRemoteSession(const std::string& run, RemotePlace place)
{
    RemoteTask task;
    task.run = run;
    return std::make_unique<LinkedSession>(std::move(task), std::move(place));
}

Result<std::vector<RemoteRun>> listRemoteRuns(const RemotePlace& place, const std::string& folder, double seconds)
{
    auto pipe = place.connect();
    if (!pipe)
        return tl::unexpected(pipe.error());
    Message list = commandMessage("list");
    list.head.add("place", folder);
    (void)pipe->channel->send(commandMessage("hello"));
    (void)pipe->channel->send(list);
    const auto until = std::chrono::steady_clock::now() + std::chrono::duration<double>(seconds);
    while (std::chrono::steady_clock::now() < until) {
        pipe->channel->exchange();
        auto runs = hearRuns(*pipe->channel);
        if (!runs)
            return tl::unexpected(runs.error());
        if (*runs)
            return std::move(**runs);
        if (pipe->channel->isClosed()) {
            pipe->channel.reset();
            const auto how = pipe->child ? pipe->child->ended(1) : std::nullopt;
            const std::string words = pipe->child ? pipe->child->lastWords() : std::string();
            return fail(fmt::format("{} cannot be reached: the command {}{}", place.name,
                                    how.value_or("has closed its pipe"), words.empty() ? "" : " (" + words + ")"));
        }
        waitFor({pipe->channel.get()}, 0.1);
    }
    return fail(fmt::format("{} gave no answer within {:.0f} s", place.name, seconds));
}

} // namespace unroll
