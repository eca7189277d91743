// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/remote/wire_snapshot.h"

#include "core/remote/wire_values.h"

#include <fmt/format.h>
#include <utility>

namespace unroll {

namespace {

Json baselineJson(const Baseline& baseline)
{
    Json json{JsonObject{}};
    json.add("loss", baseline.loss);
    json.add("unit", baseline.unit);
    json.add("guess", baseline.guess);
    if (baseline.accuracy)
        json.add("accuracy", *baseline.accuracy);
    json.add("accuracy_guess", baseline.accuracyGuess);
    return json;
}

Baseline baselineFrom(const MemberReader& members)
{
    return {members.real("loss"), members.text("unit"), members.text("guess"), members.maybe("accuracy"),
            members.text("accuracy_guess")};
}

void addMaybe(Json& json, const char* name, const std::optional<double>& value)
{
    if (value)
        json.add(name, *value);
}

Json samplesJson(const std::vector<Sample>& samples)
{
    Json list{JsonArray{}};
    for (const Sample& sample : samples) {
        Json json{JsonObject{}};
        json.add("step", sample.step);
        json.add("text", sample.text);
        list.push(std::move(json));
    }
    return list;
}

void addProgress(Json& json, const Snapshot& snapshot)
{
    json.add("state", static_cast<int>(snapshot.state));
    json.add("step", snapshot.step);
    json.add("steps", snapshot.steps);
    json.add("tokens_per_second", snapshot.tokensPerSecond);
    json.add("seconds_left", snapshot.secondsLeft);
    json.add("device", snapshot.device);
    Json ranks{JsonObject{}};
    ranks.add("count", snapshot.ranks.count);
    ranks.add("bytes", snapshot.ranks.bytes);
    ranks.add("seconds", snapshot.ranks.seconds);
    json.add("ranks", std::move(ranks));
    json.add("run_folder", snapshot.runFolder);
    json.add("checkpointed", snapshot.checkpointed);
    json.add("learning_rate", snapshot.learningRate);
    json.add("failure", snapshot.failure);
    json.add("can_go_on", snapshot.canGoOn);
}

void readProgress(const MemberReader& members, Snapshot& snapshot)
{
    snapshot.state = members.kind("state", RunState::Unknown);
    snapshot.step = members.whole("step");
    snapshot.steps = members.whole("steps");
    snapshot.tokensPerSecond = members.real("tokens_per_second");
    snapshot.secondsLeft = members.real("seconds_left");
    snapshot.device = members.text("device");
    members.inside("ranks", [&](const MemberReader& ranks) {
        snapshot.ranks = {ranks.whole("count", 1), ranks.whole("bytes"), ranks.real("seconds")};
    });
    snapshot.runFolder = members.text("run_folder");
    snapshot.checkpointed = members.whole("checkpointed", -1);
    snapshot.learningRate = members.real("learning_rate");
    snapshot.failure = members.text("failure");
    snapshot.canGoOn = members.flag("can_go_on");
}

void addFigures(Json& json, const Snapshot& snapshot)
{
    json.add("measures", measuresJson(snapshot.measures));
    if (snapshot.baseline)
        json.add("baseline", baselineJson(*snapshot.baseline));
    addMaybe(json, "entropy_floor", snapshot.entropyFloor);
    addMaybe(json, "entropy_expected", snapshot.entropyExpected);
    if (snapshot.finalBaseline)
        json.add("final_baseline", baselineJson(*snapshot.finalBaseline));
    addMaybe(json, "final_floor", snapshot.finalFloor);
    json.add("best_validation_loss", snapshot.bestValidationLoss);
    json.add("best_step", snapshot.bestStep);
    json.add("frames_kept", snapshot.framesKept);
    json.add("frames_stamp", snapshot.framesStamp);
    json.add("frames_not_kept", snapshot.framesNotKept);
    json.add("not_read", snapshot.notRead);
    json.add("looks_per_minute", snapshot.looksPerMinute);
    json.add("heavy_looks_per_minute", snapshot.heavyLooksPerMinute);
}

void readFigures(const MemberReader& members, Snapshot& snapshot)
{
    members.inside("measures", [&](const MemberReader& measures) { snapshot.measures = measuresFrom(measures); });
    members.inside("baseline", [&](const MemberReader& baseline) { snapshot.baseline = baselineFrom(baseline); });
    snapshot.entropyFloor = members.maybe("entropy_floor");
    snapshot.entropyExpected = members.maybe("entropy_expected");
    members.inside("final_baseline",
                   [&](const MemberReader& baseline) { snapshot.finalBaseline = baselineFrom(baseline); });
    snapshot.finalFloor = members.maybe("final_floor");
    snapshot.bestValidationLoss = members.real("best_validation_loss");
    snapshot.bestStep = members.whole("best_step");
    snapshot.framesKept = members.whole("frames_kept");
    snapshot.framesStamp = members.natural("frames_stamp");
    snapshot.framesNotKept = members.text("frames_not_kept");
    snapshot.notRead = members.text("not_read");
    snapshot.looksPerMinute = members.real("looks_per_minute");
    snapshot.heavyLooksPerMinute = members.real("heavy_looks_per_minute");
}

void addTexts(Json& json, const Snapshot& snapshot)
{
    json.add("samples", samplesJson(snapshot.samples));
    Json problems{JsonArray{}};
    for (const Diagnostic& problem : snapshot.problems)
        problems.push(problemJson(problem));
    json.add("problems", std::move(problems));
    json.add("not_kept", snapshot.notKept);
    json.add("not_opened", snapshot.notOpened);
    json.add("log", wordsJson(snapshot.log));
}

void readTexts(const MemberReader& members, Snapshot& snapshot)
{
    snapshot.samples = members.each("samples", [](const MemberReader& sample) {
        return Sample{sample.whole("step"), sample.text("text")};
    });
    snapshot.problems = members.each("problems", problemFrom);
    snapshot.notKept = members.text("not_kept");
    snapshot.notOpened = members.text("not_opened");
    snapshot.log = members.texts("log");
}

} // namespace

Message SnapshotSender::message(const Snapshot& snapshot)
{
    BlockWriter blocks;
    std::map<std::shared_ptr<const void>, std::int64_t> now;
    const auto named = [&](const auto& shared, const auto& make) {
        const auto before = m_sent.find(shared);
        const auto here = now.find(shared);
        const bool isKnown = before != m_sent.end() || here != now.end();
        const std::int64_t number = here != now.end() ? here->second : isKnown ? before->second : ++m_last;
        now[shared] = number;
        Json json = isKnown ? Json(JsonObject{}) : make();
        json.add("number", number);
        return json;
    };
    Json head{JsonObject{}};
    head.add("kind", "snapshot");
    addProgress(head, snapshot);
    addFigures(head, snapshot);
    addTexts(head, snapshot);
    Json frames{JsonArray{}};
    for (const auto& frame : snapshot.frames)
        frames.push(named(frame, [&] { return lensFrameJson(*frame, blocks); }));
    head.add("frames", std::move(frames));
    if (const auto& report = snapshot.initialWeights)
        head.add("initial_weights", named(report, [&] { return weightReportJson(*report); }));
    if (const auto& kept = snapshot.keptWeights)
        head.add("kept_weights", named(kept, [&] { return keptWeightsJson(*kept, blocks); }));
    m_sent = std::move(now);
    return {std::move(head), blocks.take()};
}

Result<std::shared_ptr<const Snapshot>> SnapshotReceiver::snapshot(const Message& message)
{
    const BlockReader blocks(message.body);
    std::string fault;
    const MemberReader members(message.head, blocks, fault);
    Known now;
    /// The value of that number, or made by `make` where it comes with it; `what` is a member that it has then.
    const auto known = [&](const MemberReader& each, const char* what, const auto& make) {
        using Value = decltype(make(each));
        const std::pair number(std::string(what), each.whole("number", -1));
        if (const auto here = now.find(number); here != now.end())
            return std::static_pointer_cast<const Value>(here->second);
        std::shared_ptr<const Value> value;
        if (each.has(what))
            value = std::make_shared<const Value>(make(each));
        else if (const auto before = m_known.find(number); before != m_known.end())
            value = std::static_pointer_cast<const Value>(before->second);
        if (!value)
            each.wrong("number");
        now[number] = value;
        return value;
    };
    auto snapshot = std::make_shared<Snapshot>();
    readProgress(members, *snapshot);
    readFigures(members, *snapshot);
    readTexts(members, *snapshot);
    snapshot->frames =
        members.each("frames", [&](const MemberReader& each) { return known(each, "query", lensFrameFrom); });
    members.inside("initial_weights", [&](const MemberReader& each) {
        snapshot->initialWeights = known(each, "loaded", weightReportFrom);
    });
    members.inside("kept_weights",
                   [&](const MemberReader& each) { snapshot->keptWeights = known(each, "tensors", keptWeightsFrom); });
    if (!fault.empty())
        return fail(fmt::format("a snapshot cannot be read: its {} is not as expected", fault));
    m_known = std::move(now);
    return snapshot;
}

} // namespace unroll
