// SPDX-License-Identifier: GPL-3.0-or-later
// What lenses cost on the gallery's character models: the time from a question to its answer while the run rests, for
// what units track and for touch, and how much slower training is with every lens open, pairs in turn.
#include "core/experiment/gallery.h"
#include "core/model/builders.h"
#include "core/session/session.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <string>
#include <thread>
#include <vector>

namespace unroll::bench {

namespace {

using Clock = std::chrono::steady_clock;

constexpr int kMostTurns = 60; ///< before the first pair

double since(Clock::time_point begin)
{
    return std::chrono::duration<double>(Clock::now() - begin).count();
}

double quantile(std::vector<double> values, double share)
{
    std::sort(values.begin(), values.end());
    return values.empty() ? 0 : values[static_cast<std::size_t>(share * static_cast<double>(values.size() - 1) + 0.5)];
}

double threadSeconds()
{
    timespec time{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

Experiment quiet(const std::string& name)
{
    Experiment experiment = loadExperiment(findExperiment(name).value().string()).value();
    experiment.training.evaluateEvery = experiment.training.sampleEvery = experiment.training.checkpointEvery = 0;
    experiment.training.evaluateWhole = false;
    experiment.training.steps = 1'000'000;
    return experiment;
}

std::unique_ptr<Session> started(const Experiment& experiment, bool keepsSummaries = false)
{
    return startSession(experiment, allSpecs(), allBuilders(), {.keepsSummaries = keepsSummaries});
}

template <class Condition>
bool wait(const Condition& condition, double seconds = 120)
{
    for (const auto begin = Clock::now(); !condition();) {
        if (since(begin) > seconds)
            return false;
        std::this_thread::sleep_for(std::chrono::microseconds(200));
    }
    return true;
}

bool stepped(Session& session, std::int64_t steps)
{
    const std::int64_t end = session.snapshot()->step + steps;
    session.step(steps);
    return wait([&] {
        const auto now = session.snapshot();
        return hasEnded(now->state) || (now->state == RunState::Paused && now->step >= end);
    });
}

/// Seconds from each of the questions to its answer, while the run rests. With `newWeights` an update goes before each:
/// a session does not answer a question twice for the same weights.
std::vector<double> answerTimes(Session& session, const std::vector<LensQuery>& queries, bool newWeights = false)
{
    std::vector<double> times;
    for (const LensQuery& query : queries) {
        session.ask({});
        if (newWeights && !stepped(session, 1))
            return {};
        const auto begin = Clock::now();
        session.ask({query});
        const auto answer = [&] { return session.snapshot()->frameOf(query); };
        if (!wait([&] { return answer() != nullptr; }))
            return {};
        if (answer()->data == nullptr) {
            std::printf("  %s: %s\n", query.lens.c_str(), answer()->trouble.c_str());
            return {};
        }
        times.push_back(since(begin));
    }
    return times;
}

void tell(const std::string& model, const char* what, const std::vector<double>& times, double bound)
{
    if (times.empty())
        return;
    const double middle = quantile(times, 0.5);
    std::printf("%-14s %-34s %7.0f ms median of %zu, %.0f .. %.0f; bound %.0f%s\n", model.c_str(), what, 1e3 * middle,
                times.size(), 1e3 * quantile(times, 0), 1e3 * quantile(times, 1), 1e3 * bound,
                middle > bound ? "  ABOVE" : "");
}

void answers(const std::string& model)
{
    const Experiment experiment = quiet(model);
    const auto session = started(experiment);
    if (!stepped(*session, 20))
        return;
    const std::string node = experiment.watchNode, signal = experiment.watchSignal;
    constexpr int kTimes = 7;
    std::vector<LensQuery> signalTracks(kTimes, LensQuery{"tracks", node, signal, {}});
    std::vector<LensQuery> modelTracks(kTimes, LensQuery{"tracks", node, signal, {{"scope", std::string("model")}}});
    answerTimes(*session, {signalTracks.front()}); // warms up
    tell(model, "what units of a signal track", answerTimes(*session, signalTracks, true), 1);
    tell(model, "what units of all states track", answerTimes(*session, modelTracks, true), 1);
    std::vector<LensQuery> touches;
    for (int i = 0; i < 3 * kTimes; ++i)
        touches.push_back({"touch", "", "", {{"edit", node + "." + signal + "[3] = 0." + std::to_string(i + 1)}}});
    answerTimes(*session, {touches.front()});
    tell(model, "touch, a unit pinned everywhere", answerTimes(*session, touches), 0.2);
    std::fflush(stdout);
}

/// Every lens once, of the signal that the experiment watches; as a window reads them.
std::vector<LensQuery> everyLens(const Experiment& experiment)
{
    std::vector<LensQuery> queries;
    for (const auto& lens : allLenses()) {
        LensQuery query{lens->spec().id, {}, {}, {}};
        if (lens->spec().takesSignal) {
            query.node = experiment.watchNode;
            query.signal = experiment.watchSignal;
        }
        if (query.lens == "touch")
            query.settings["edit"] = experiment.watchNode + "." + experiment.watchSignal + "[3] = 0";
        queries.push_back(std::move(query));
    }
    return queries;
}

/// A run that is trained in turns, with a reader that makes pictures of what it is shown, or without.
class Turns {
public:
    Turns(const Experiment& experiment, bool isWatched) : m_session(started(experiment, isWatched)), m_reads(isWatched)
    {
        if (isWatched)
            m_session->ask(everyLens(experiment));
    }

    /// Seconds of training for so many updates, by the run's own clock.
    double train(std::int64_t steps)
    {
        m_end += steps;
        m_session->step(steps);
        while (m_last.step < m_end && !hasEnded(m_session->snapshot()->state)) {
            std::this_thread::sleep_for(std::chrono::milliseconds(33));
            read();
            for (const MetricRow& row : m_session->takeMetrics()) {
                m_updates.push_back(row.seconds - m_last.seconds);
                m_last = row;
            }
        }
        rest();
        return m_last.seconds - std::exchange(m_taken, m_last.seconds);
    }

    /// Every lens has been, at least once.
    bool isAnswered() const { return m_session->snapshot()->frames.size() >= allLenses().size(); }
    /// Milliseconds of the median update: one that no snapshot follows, as long as these are fewer.
    double update() const { return 1e3 * quantile(m_updates, 0.5); }
    double looks() const { return m_session->snapshot()->looksPerMinute; }
    double heavyLooks() const { return m_session->snapshot()->heavyLooksPerMinute; }

private:
    void read()
    {
        const auto snapshot = m_session->snapshot();
        if (!m_reads || snapshot->frames == m_frames)
            return;
        const double began = threadSeconds();
        for (const auto& frame : snapshot->frames)
            if (frame->data && std::find(m_frames.begin(), m_frames.end(), frame) == m_frames.end())
                m_drawn += frame->data->figure().panels.size();
        m_frames = snapshot->frames;
        m_session->drew(threadSeconds() - began);
    }

    /// Until what is owed has been answered: the other one trains alone.
    void rest()
    {
        wait([&] {
            const auto now = m_session->snapshot();
            return now->state != RunState::Running &&
                   std::all_of(now->frames.begin(), now->frames.end(),
                               [&](const auto& frame) { return frame->step == now->step; });
        });
    }

    std::unique_ptr<Session> m_session;
    bool m_reads;
    std::int64_t m_end = 0;
    MetricRow m_last;
    double m_taken = 0;
    std::vector<double> m_updates;
    std::vector<std::shared_ptr<const LensFrame>> m_frames;
    std::size_t m_drawn = 0;
};

void slowdown(const std::string& model, int pairs, double seconds)
{
    const Experiment experiment = quiet(model);
    Turns alone(experiment, false), watched(experiment, true);
    const double twenty = alone.train(20);
    const auto steps = std::max<std::int64_t>(static_cast<std::int64_t>(seconds / twenty * 20), 1);
    watched.train(20);
    // What a lens costs is not known before its first answer, which therefore is on credit.
    for (int turn = 0; turn < kMostTurns && !watched.isAnswered(); ++turn)
        watched.train(steps);
    std::vector<double> ratios;
    double sumAlone = 0, sumWatched = 0;
    for (int pair = 0; pair < pairs; ++pair) {
        const bool watchedFirst = pair % 2 == 1;
        const double first = watchedFirst ? watched.train(steps) : alone.train(steps);
        const double second = watchedFirst ? alone.train(steps) : watched.train(steps);
        const double bare = watchedFirst ? second : first, open = watchedFirst ? first : second;
        sumAlone += bare;
        sumWatched += open;
        ratios.push_back(open / bare - 1);
    }
    std::printf(
        "%-14s training slowed by every lens: %.1f %% (median of %d pairs of %lld updates, half of them in "
        "%.1f .. %.1f; "
        "%.1f %% in all; bound 5); the median update %.1f ms, alone %.1f; %.0f shared looks a minute, each heavy "
        "lens %.2f\n",
        model.c_str(), 100 * quantile(ratios, 0.5), pairs, static_cast<long long>(steps), 100 * quantile(ratios, 0.25),
        100 * quantile(ratios, 0.75), 100 * (sumWatched / sumAlone - 1), watched.update(), alone.update(),
        watched.looks(), watched.heavyLooks());
    std::fflush(stdout);
}

} // namespace

} // namespace unroll::bench

/// Arguments: answers, slowdown or both (none), then names of experiments; --pairs=N --seconds=S of a turn.
int main(int count, char** words)
{
    using namespace unroll::bench;
    std::vector<std::string> models;
    bool asksAnswers = true, asksSlowdown = true;
    int pairs = 10;
    double seconds = 4;
    for (int i = 1; i < count; ++i) {
        const std::string word = words[i];
        if (word == "answers")
            asksSlowdown = false;
        else if (word == "slowdown")
            asksAnswers = false;
        else if (word.starts_with("--pairs="))
            pairs = std::max(1, std::atoi(word.c_str() + std::strlen("--pairs=")));
        else if (word.starts_with("--seconds="))
            seconds = std::max(0.1, std::atof(word.c_str() + std::strlen("--seconds=")));
        else if (const auto found = unroll::findExperiment(word); found)
            models.push_back(word);
        else {
            std::fprintf(stderr, "%s\n", found.error().text().c_str());
            return 2;
        }
    }
    if (models.empty())
        models = {"fable", "char-lstm", "char-mru", "char-sru", "char-gpt"};
    for (const std::string& model : models) {
        if (asksAnswers)
            answers(model);
        if (asksSlowdown)
            slowdown(model, pairs, seconds);
    }
}
