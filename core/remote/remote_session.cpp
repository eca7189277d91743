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

/// One question to a place, whose answer is a message of this kind.
template <class Answer>
struct Question {
    const RemotePlace& place;
    Message message;
    const char* answerKind;
    Answer (*read)(const MemberReader&);
};

/// Nothing: the answer has not come yet.
template <class Answer>
Result<std::optional<Answer>> hearAnswer(Channel& channel, const Question<Answer>& question)
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
        if ((*message)->kind() != question.answerKind)
            continue;
        Answer answer = question.read(members);
        if (!fault.empty())
            return fail(fmt::format("the answer to \"{}\" cannot be read: its {} is not as expected",
                                    question.message.kind(), fault));
        return answer;
    }
}

template <class Answer>
Result<Answer> answerOf(const Question<Answer>& question, double seconds)
{
    auto pipe = question.place.connect();
    if (!pipe)
        return tl::unexpected(pipe.error());
    (void)pipe->channel->send(commandMessage("hello"));
    (void)pipe->channel->send(question.message);
    const auto until = std::chrono::steady_clock::now() + std::chrono::duration<double>(seconds);
    while (std::chrono::steady_clock::now() < until) {
        pipe->channel->exchange();
        auto answer = hearAnswer(*pipe->channel, question);
        if (!answer)
            return tl::unexpected(answer.error());
        if (*answer)
            return std::move(**answer);
        if (pipe->channel->isClosed()) {
            pipe->channel.reset();
            const auto how = pipe->child ? pipe->child->ended(1) : std::nullopt;
            const std::string words = pipe->child ? pipe->child->lastWords() : std::string();
            return fail(
                unreachableText(question.place, fmt::format("the command {}{}", how.value_or("has closed its pipe"),
                                                            words.empty() ? "" : " (" + words + ")")));
        }
        waitFor({pipe->channel.get()}, 0.1);
    }
    return fail(fmt::format("{} gave no answer within {:.0f} s", question.place.name, seconds));
}

std::vector<RemoteRun> runsFrom(const MemberReader& members)
{
    auto runs = members.each("runs", [](const MemberReader& run) {
        return RemoteRun{run.text("run"),   run.text("title"),  run.text("state"),
                         run.whole("step"), run.whole("steps"), run.whole("changed")};
    });
    std::stable_sort(runs.begin(), runs.end(),
                     [](const RemoteRun& a, const RemoteRun& b) { return a.changed > b.changed; });
    return runs;
}

RemoteStand standFrom(const MemberReader& members)
{
    return {runStateFromWord(members.text("state")).value_or(RunState::Unknown), members.whole("step"),
            members.whole("checkpointed")};
}

/// A line of one word that names no path is a host.
bool isHostName(const std::vector<std::string>& words)
{
    return words.size() == 1 && words.front().find('/') == std::string::npos;
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
    if (isHostName(words))
        return fmt::format("ssh -T -o ServerAliveInterval=10 {} {}", words.front(), kHostWords);
    return line;
}

std::string unreachableText(const RemotePlace& place, const std::string& reason)
{
    return fmt::format("{} cannot be reached: {}{}{}", place.name, reason, place.advice.empty() ? "" : "; ",
                       place.advice);
}

RemotePlace placeOfLine(const std::string& line)
{
    RemotePlace place;
    const std::vector<std::string> words = wordsOf(line);
    const auto host =
        std::find_if(words.begin(), words.end(), [](const std::string& word) { return word.find('@') != word.npos; });
    place.name = host != words.end() ? *host : line.substr(0, 40);
    if (host == words.end() && isHostName(words))
        place.advice = fmt::format("a single word is taken as a host for ssh; for a command write its path, or sh -c "
                                   "'{}'",
                                   words.front());
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
    Message list = commandMessage("list");
    list.head.add("place", folder);
    return answerOf(Question<std::vector<RemoteRun>>{place, std::move(list), "runs", runsFrom}, seconds);
}

Result<RemoteStand> commandRemoteRun(const RemotePlace& place, const std::string& run, const std::string& command,
                                     double seconds)
{
    Message message = commandMessage("command");
    message.head.add("run", run);
    message.head.add("command", command);
    return answerOf(Question<RemoteStand>{place, std::move(message), "done", standFrom}, seconds);
}

} // namespace unroll
