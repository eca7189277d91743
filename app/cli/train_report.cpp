// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/train_report.h"

#include "app/cli/terminal.h"
#include "app/cli/verbs.h"

#include "core/base/number_text.h"
#include "core/base/signed_number.h"
#include "core/remote/remote_session.h"

#include <algorithm>
#include <fmt/format.h>
#include <limits>

namespace unroll::cli {
namespace {

std::string evaluationText(const MetricRow& row)
{
    std::string line = fmt::format("step {}", row.step);
    if (row.values.count("train/loss") == 0)
        line += "  train/loss n/a"; // the update had no target
    for (const char* name : {"train/loss", "val/loss", "val/bpc", "val/acc", "final/loss", "final/bpc", "final/acc"})
        if (auto value = row.values.find(name); value != row.values.end())
            line += fmt::format("  {} {}", name, fixedNumber(value->second, 4));
    return line;
}

bool isEvaluation(const MetricRow& row)
{
    return row.values.count("val/loss") != 0 || row.values.count("final/loss") != 0;
}

constexpr const char* kRefusedWord = "refused";
constexpr const char* kDetachedWord = "detached";

bool hasProblem(const Snapshot& snapshot, const char* code)
{
    return std::any_of(snapshot.problems.begin(), snapshot.problems.end(),
                       [code](const Diagnostic& problem) { return problem.code == code; });
}

} // namespace

bool wasRefused(const Snapshot& snapshot)
{
    return snapshot.state == RunState::Failed && snapshot.device.empty() && // it is told when all is built
           !hasProblem(snapshot, kEngineLost);
}

std::optional<int> failureCode(const Snapshot& snapshot)
{
    if (snapshot.state == RunState::Interrupted)
        return kBrokeOff;
    if (snapshot.state != RunState::Failed)
        return {};
    return hasProblem(snapshot, "not-finite") ? kDiverged : wasRefused(snapshot) ? kFailed : kBrokeOff;
}

bool wasReplaced(const Snapshot& snapshot)
{
    return hasProblem(snapshot, kViewerReplaced);
}

void sayRefused(const std::string& failure)
{
    Json json{JsonObject{}};
    json.add("kind", "end");
    json.add("state", kRefusedWord);
    json.add("step", 0);
    json.add("failure", failure);
    sayJson(json);
}

std::vector<std::string> newLines(const std::vector<std::string>& before, const std::vector<std::string>& now)
{
    for (std::size_t gone = 0; gone <= before.size(); ++gone) {
        const auto kept = static_cast<std::ptrdiff_t>(before.size() - gone);
        if (before.size() - gone <= now.size() &&
            std::equal(before.begin() + static_cast<std::ptrdiff_t>(gone), before.end(), now.begin()))
            return {now.begin() + kept, now.end()};
    }
    return now;
}

Json rowJson(const MetricRow& row)
{
    Json json{JsonObject{}};
    json.add("kind", "metrics");
    json.add("step", row.step);
    json.add("tokens", row.tokens);
    json.add("seconds", row.seconds);
    for (const auto& [name, value] : row.values)
        json.add(name, value);
    return json;
}

TrainReport::TrainReport(std::string place, bool json, bool quiet)
    : m_place(std::move(place)), m_json(json), m_quiet(quiet), m_bar(!quiet)
{}

void TrainReport::sayRow(const MetricRow& row)
{
    if (isEvaluation(row))
        m_isWhole = row.values.count("final/loss") != 0;
    if (m_json) {
        sayJson(rowJson(row));
    } else if (isEvaluation(row)) {
        m_bar.clear();
        say(evaluationText(row));
    }
    for (const auto& [name, value] : row.values)
        m_newest.values[name] = value;
    m_newest.step = row.step;
    m_newest.tokens = row.tokens;
    m_newest.seconds = row.seconds;
    const auto loss = row.values.find("train/loss");
    m_progress.noTargets = loss == row.values.end();
    if (!m_progress.noTargets)
        m_progress.loss = loss->second;
    if (auto value = row.values.find("val/loss"); value != row.values.end())
        m_progress.validationLoss = value->second;
}

void TrainReport::saySamplesBefore(std::int64_t step)
{
    auto later =
        std::find_if(m_samples.begin(), m_samples.end(), [step](const Sample& sample) { return sample.step >= step; });
    std::for_each(m_samples.begin(), later, [this](const Sample& sample) { saySample(sample); });
    m_samples.erase(m_samples.begin(), later);
}

void TrainReport::saySample(const Sample& sample)
{
    if (m_json) {
        Json json{JsonObject{}};
        json.add("kind", "sample");
        json.add("step", sample.step);
        json.add("text", sample.text);
        sayJson(json);
        return;
    }
    m_bar.clear();
    say(fmt::format("step {}  sample\n{}\n", sample.step, sample.text));
}

void TrainReport::tellNew(const Snapshot& snapshot)
{
    const auto lines = newLines(m_log, snapshot.log);
    const bool problems = snapshot.problems.size() > m_problems;
    if (!lines.empty() || problems)
        m_bar.clear();
    for (const std::string& line : lines) {
        const bool isListed = std::any_of(snapshot.problems.begin(), snapshot.problems.end(),
                                          [&](const auto& d) { return d.sentence == line; });
        if (!m_quiet && !isListed) // problems come below, with their place
            tell(line);
    }
    if (problems)
        tellDiagnostics(m_place,
                        {snapshot.problems.begin() + static_cast<std::ptrdiff_t>(m_problems), snapshot.problems.end()});
    m_log = snapshot.log;
    m_problems = snapshot.problems.size();
}

void TrainReport::update(const std::vector<MetricRow>& rows, const Snapshot& snapshot)
{
    for (const Sample& sample : snapshot.samples)
        if (sample.step > m_sampled) {
            m_sampled = sample.step;
            m_samples.push_back(sample);
        }
    for (const MetricRow& row : rows) {
        saySamplesBefore(row.step);
        sayRow(row);
    }
    tellNew(snapshot);
    if (snapshot.state == RunState::Running)
        drawBar(snapshot);
}

void TrainReport::drawBar(const Snapshot& snapshot)
{
    m_progress.step = snapshot.step;
    m_progress.steps = snapshot.steps;
    m_progress.tokensPerSecond = snapshot.tokensPerSecond;
    m_progress.secondsLeft = snapshot.secondsLeft;
    m_bar.draw(m_progress);
}

/// Of the targets that the newest evaluation was of.
TrainReport::Besides TrainReport::besides(const Snapshot& snapshot) const
{
    return m_isWhole ? Besides{snapshot.finalBaseline, snapshot.finalFloor}
                     : Besides{snapshot.baseline, snapshot.entropyFloor};
}

void TrainReport::sayEnd(const Snapshot& snapshot, const ReportEnd& how) const
{
    const auto& [baseline, floor] = besides(snapshot);
    Json json{JsonObject{}};
    json.add("kind", "end");
    json.add("state", how.detached           ? kDetachedWord
                      : wasRefused(snapshot) ? kRefusedWord
                                             : runStateWord(snapshot.state));
    json.add("step", snapshot.step);
    json.add("run", how.on.empty() ? snapshot.runFolder : how.run);
    if (!how.on.empty())
        json.add("on", how.on);
    json.add("checkpointed", snapshot.checkpointed);
    if (snapshot.bestStep > 0) {
        json.add("best", snapshot.bestValidationLoss);
        json.add("best_step", snapshot.bestStep);
    }
    for (const auto& [name, value] : m_newest.values)
        json.add(name, value);
    json.add("tokens", m_newest.tokens);
    json.add("seconds", m_newest.seconds);
    if (snapshot.measures.isKnown()) {
        json.add("parameters", snapshot.measures.parameters);
        json.add("loss_unit", snapshot.measures.lossUnit);
    }
    if (baseline) {
        json.add("baseline", baseline->loss);
        json.add("baseline_guess", baseline->guess);
    }
    if (floor)
        json.add("entropy_floor", *floor);
    if (snapshot.entropyExpected)
        json.add("entropy_expected", *snapshot.entropyExpected);
    if (snapshot.framesKept > 0)
        json.add("kept_frames", snapshot.framesKept);
    if (snapshot.ranks.count > 1) {
        json.add("ranks", snapshot.ranks.count);
        json.add("sum_bytes", snapshot.ranks.bytes);
        json.add("sum_seconds", snapshot.ranks.seconds);
    }
    if (!snapshot.failure.empty())
        json.add("failure", snapshot.failure);
    sayJson(json);
}

void TrainReport::end(const Snapshot& snapshot, const ReportEnd& how)
{
    m_bar.clear();
    saySamplesBefore(std::numeric_limits<std::int64_t>::max());
    ReportEnd known = how;
    known.detached = how.detached || wasReplaced(snapshot);
    if (m_json)
        sayEnd(snapshot, known);
    if (snapshot.state == RunState::Interrupted)
        tellError({snapshot.failure, m_place});
    if (m_quiet || failureCode(snapshot))
        return;
    if (known.detached)
        tell("detached; the run continues");
    else
        tellEnd(snapshot, known);
}

void TrainReport::tellEnd(const Snapshot& snapshot, const ReportEnd& how) const
{
    const auto& [baseline, floor] = besides(snapshot);
    std::string beside;
    if (baseline)
        beside = fmt::format("; baseline ({}) {:.4f}", baseline->guess, baseline->loss);
    if (floor)
        beside += fmt::format("; entropy of these data {:.4f} nats", *floor);
    if (floor && snapshot.entropyExpected)
        beside += fmt::format(" ({:.4f} of their source)", *snapshot.entropyExpected);
    if (!beside.empty())
        beside += m_isWhole ? ", on the whole validation split" : ", on the validation slice";
    tell(fmt::format("{} at step {} of {} on {}{}", runStateWord(snapshot.state), snapshot.step, snapshot.steps,
                     snapshot.device, beside));
    if (snapshot.framesKept > 0)
        tell(fmt::format("{} of lenses kept: inspect {} --kept list", counted(snapshot.framesKept, "frame"),
                         snapshot.runFolder));
    if (!how.on.empty() && !how.run.empty())
        tell(fmt::format("run: {} on {}", how.run, how.on));
    else if (!snapshot.runFolder.empty())
        tell(fmt::format("run: {}", snapshot.runFolder));
}

} // namespace unroll::cli
