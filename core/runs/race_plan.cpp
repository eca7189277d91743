// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/runs/race_plan.h"

#include "core/check/kept_state.h"
#include "core/check/ports.h"
#include "core/experiment/adjust.h"
#include "core/experiment/data_paths.h"
#include "core/experiment/match_group.h"

#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <optional>
#include <tuple>

namespace unroll {
namespace {

namespace fs = std::filesystem;

constexpr const char* kUnmatched = "none";

MatchedSize matchedSize(const std::string& word)
{
    return word == "flops" ? MatchedSize::Flops : word == "state" ? MatchedSize::State : MatchedSize::Parameters;
}

/// Ports that wires hold and that the block at `node` has not: "lstm has no input targets, which head has".
std::string missingPort(const Experiment& before, const Experiment& after, const BlockRegistry& registry,
                        const std::string& node)
{
    const Node* was = findNodeAt(before.graph, node);
    const Node* is = findNodeAt(after.graph, node);
    const std::string path = node.substr(0, node.find_last_of('.') == std::string::npos ? 0 : node.find_last_of('.'));
    const Node* group = path.empty() ? nullptr : findNodeAt(after.graph, path);
    if (was == nullptr || is == nullptr || (!path.empty() && (group == nullptr || !group->group)))
        return {};
    const Graph& graph = group != nullptr ? *group->group->graph : after.graph;
    const NodePorts ports = portsOf(*is, registry);
    const auto lacks = [](const std::vector<PortSpec>& some, const std::string& name) {
        return std::none_of(some.begin(), some.end(), [&](const PortSpec& port) { return port.name == name; });
    };
    for (const Wire& wire : graph.wires)
        for (const auto& [end, some, word] :
             {std::tuple(&wire.to, &ports.inputs, "input"), std::tuple(&wire.from, &ports.outputs, "output")})
            if (end->node == is->id && lacks(*some, end->port))
                return fmt::format("{} has no {} {}, which {} has: name a block with the same ports", is->block, word,
                                   end->port, was->block);
    return {};
}

/// A lane whose size is what its settings make it.
Result<MatchedWidth> asItIs(const Experiment& experiment, const CheckLane& check)
{
    MatchedWidth lane{experiment, {}, 0, 0, 0, check(experiment)};
    if (!lane.checked.runnable())
        return fail(firstFault(lane.checked));
    return lane;
}

/// What may not change while lanes and seeds are added.
Result<void> sameRace(const Race& before, const Race& now, const fs::path& folder)
{
    const auto differs = [&](const char* what, const auto& was, const auto& is) {
        return fail(fmt::format("the race in this folder has {} {}, not {}; name another folder", what, was, is),
                    folder.string());
    };
    if (before.node != now.node)
        return differs("the node", before.node, now.node);
    if (before.match != now.match)
        return differs("matched", before.match, now.match);
    if (before.target != now.target)
        return differs("the target", before.target, now.target);
    if (before.tolerance != now.tolerance)
        return differs("the tolerance", before.tolerance, now.tolerance);
    if (before.steps != now.steps)
        return differs("steps", before.steps, now.steps);
    if (before.seconds != now.seconds)
        return differs("seconds", before.seconds, now.seconds);
    if (now.threads != 0 && before.threads != now.threads)
        return differs("threads", before.threads, now.threads);
    return {};
}

Race emptyRace(const RaceWish& wish, const Experiment& experiment, const CheckedGraph& checked)
{
    Race race;
    race.experiment = wish.experiment;
    race.node = wish.node;
    race.match = wish.match;
    race.tolerance = wish.tolerance;
    race.tokens = checked.steps * experiment.training.batch * experiment.training.accumulation;
    race.steps = wish.steps > 0 ? wish.steps : experiment.training.steps;
    if (wish.tokens > 0 && race.tokens > 0)
        race.steps = (wish.tokens + race.tokens - 1) / race.tokens;
    race.seconds = wish.seconds;
    race.threads = wish.threads;
    return race;
}

/// The experiment of a lane, as it is written beside the race.
Experiment placedLane(Experiment lane, const Race& race, const BlockRegistry& registry, const fs::path& folder)
{
    const std::string to = fs::absolute(folder / "lanes").string();
    lane.graph = moveDataPaths(lane.graph, registry, lane.folder, to);
    lane.folder = to;
    lane.training.steps = race.steps;
    lane.training.threads = race.threads;
    return lane;
}

/// A lane that is there already was made of the same experiment, or the race is another one.
Result<void> sameLane(const RaceLane& lane, const Experiment& now, const fs::path& folder)
{
    const auto before = loadExperiment((folder / lane.file()).string());
    if (!before)
        return tl::unexpected(before.error());
    const auto made = experimentFromText(experimentToText(now), lane.file());
    if (made && before->graph == made->graph && before->training == made->training)
        return {};
    return fail(
        fmt::format("the lane {} was made of another experiment or other settings; name another folder", lane.name),
        folder.string());
}

/// A lane that takes no part, with the reason.
RaceLane refusedLane(const Error& error)
{
    RaceLane lane;
    lane.refused = error.text();
    return lane;
}

Result<void> addLane(RacePlan& plan, const std::string& text, std::size_t nth, const Experiment& experiment,
                     const BlockRegistry& registry, const CheckLane& check, const fs::path& folder)
{
    Race& race = plan.race;
    if (auto wished = wishedExperiment(experiment, registry, race.node, text); !wished)
        return tl::unexpected(wished.error());
    const RaceLane* known = race.lane(text, nth);
    RaceLane* there = known != nullptr ? &race.lanes[static_cast<std::size_t>(known - race.lanes.data())] : nullptr;
    auto matched = wishedLane(experiment, registry, check, race.node, text, race.match, race.target, race.tolerance);
    if (matched)
        matched->experiment.title = fmt::format("{}: {}", experiment.title, text);
    else if (there != nullptr && there->refused.empty())
        return tl::unexpected(matched.error());
    RaceLane lane = matched ? sizedLane(*matched) : refusedLane(matched.error());
    lane.wish = text;
    lane.name = there != nullptr ? there->name : freeLaneName(race, laneWord(race.node, *blockWish(text)));
    if (matched) {
        Experiment placed = placedLane(matched->experiment, race, registry, folder);
        if (there != nullptr && there->refused.empty()) {
            if (auto same = sameLane(*there, placed, folder); !same)
                return same;
            lane = *there;
        }
        plan.lanes[lane.name] = std::move(placed);
    }
    if (there != nullptr)
        *there = std::move(lane);
    else
        race.lanes.push_back(std::move(lane));
    return {};
}

} // namespace

RaceLane sizedLane(const MatchedWidth& matched)
{
    RaceLane lane;
    lane.param = matched.param;
    lane.value = matched.value;
    lane.error = matched.error;
    lane.parameters = matched.checked.cost.parameters;
    lane.flops = matched.checked.cost.forwardFlops + matched.checked.cost.backwardFlops;
    lane.state = static_cast<double>(stateNumbers(matched.checked, matched.experiment.graph));
    return lane;
}

std::string firstFault(const CheckedGraph& checked)
{
    for (const Diagnostic& diagnostic : checked.diagnostics)
        if (diagnostic.severity == Severity::Error)
            return diagnostic.sentence;
    return "it cannot be trained";
}

Result<double> raceTarget(const std::string& match, const Experiment& experiment, const CheckedGraph& checked)
{
    if (!checked.runnable())
        return fail(firstFault(checked));
    if (match == kUnmatched)
        return 0.0;
    const double target = sizeOf(matchedSize(match), checked, experiment.graph);
    if (target <= 0)
        return fail(fmt::format("{} are 0 there, so there is nothing to match", matchedSizeText(matchedSize(match))));
    return target;
}

Result<Experiment> wishedExperiment(const Experiment& experiment, const BlockRegistry& registry,
                                    const std::string& node, const std::string& wish)
{
    const auto wished = blockWish(wish);
    if (!wished)
        return tl::unexpected(wished.error());
    return isGroupWish(experiment, node, *wished) ? withGroupWish(experiment, registry, node, *wished)
                                                  : withBlockWish(experiment, registry, node, *wished);
}

Result<MatchedWidth> wishedLane(const Experiment& experiment, const BlockRegistry& registry, const CheckLane& check,
                                const std::string& node, const std::string& wish, const std::string& match,
                                double target, double tolerance)
{
    const auto changed = wishedExperiment(experiment, registry, node, wish);
    if (!changed)
        return tl::unexpected(changed.error());
    if (const std::string fault = missingPort(experiment, *changed, registry, node); !fault.empty())
        return fail(fault);
    if (match == kUnmatched)
        return asItIs(*changed, check);
    const BlockWish wished = *blockWish(wish);
    const bool isMatchedInside = findNodeAt(changed->graph, node)->group != nullptr;
    return (isMatchedInside ? matchGroup : matchWidth)(*changed, registry, check, node, wished, matchedSize(match),
                                                       target, tolerance);
}

Result<RacePlan> planRace(const RaceWish& wish, const Experiment& experiment, const BlockRegistry& registry,
                          DataCache& data, const fs::path& folder)
{
    const CheckLane check = [&](const Experiment& each) { return checkExperiment(each, registry, data); };
    const CheckedGraph checked = check(experiment);
    const auto target = raceTarget(wish.match, experiment, checked);
    if (!target)
        return fail(target.error().message, wish.experiment);
    RacePlan plan;
    plan.race = emptyRace(wish, experiment, checked);
    plan.race.target = *target;
    std::error_code error;
    if (fs::exists(folder / kRaceFile, error)) {
        auto before = readRace(folder);
        if (!before)
            return tl::unexpected(before.error());
        if (auto same = sameRace(*before, plan.race, folder); !same)
            return tl::unexpected(same.error());
        plan.race = std::move(*before);
    }
    if (plan.race.threads == 0)
        plan.race.threads = wish.coresEach;
    for (std::int64_t number = 0; number < wish.seeds; ++number) {
        const std::uint64_t seed = experiment.seed + static_cast<std::uint64_t>(number);
        if (std::find(plan.race.seeds.begin(), plan.race.seeds.end(), seed) == plan.race.seeds.end())
            plan.race.seeds.push_back(seed);
    }
    std::map<std::string, std::size_t> seen;
    for (const std::string& block : wish.blocks)
        if (auto added = addLane(plan, block, seen[block]++, experiment, registry, check, folder); !added)
            return tl::unexpected(added.error());
    return plan;
}

Result<void> saveRace(const RacePlan& plan, const fs::path& folder)
{
    std::error_code error;
    fs::create_directories(folder / "lanes", error);
    if (error)
        return fail("cannot be made: " + error.message(), folder.string());
    for (const RaceLane& lane : plan.race.lanes)
        if (const auto made = plan.lanes.find(lane.name);
            made != plan.lanes.end() && !fs::exists(folder / lane.file(), error))
            if (auto saved = saveExperiment(made->second, (folder / lane.file()).string()); !saved)
                return saved;
    return writeRace(plan.race, folder);
}

} // namespace unroll
