// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/runs/race.h"

#include "core/base/field_reader.h"
#include "core/base/input_file.h"
#include "core/format/atomic_file.h"

#include <algorithm>
#include <fmt/format.h>

namespace unroll {
namespace {

constexpr std::int64_t kRaceVersion = 1;

Json laneJson(const Race& race, const RaceLane& lane)
{
    Json json{JsonObject{}};
    json.add("name", lane.name);
    json.add("wish", lane.wish);
    json.add("param", lane.param);
    json.add("value", lane.value);
    json.add("error", lane.error);
    json.add("parameters", lane.parameters);
    json.add("flops", lane.flops);
    json.add("state", lane.state);
    Json runs{JsonArray{}};
    if (!lane.refused.empty()) {
        json.add("refused", lane.refused);
        json.add("runs", runs);
        return json;
    }
    json.add("file", lane.file());
    for (std::uint64_t seed : race.seeds)
        runs.push(lane.run(seed));
    json.add("runs", runs);
    return json;
}

RaceLane laneOf(const Json& json, std::string& fault)
{
    FieldReader reader(json, "a lane: ", fault);
    RaceLane lane;
    lane.name = reader.text("name");
    lane.wish = reader.text("wish");
    lane.param = reader.text("param");
    lane.value = reader.whole("value");
    lane.error = reader.real("error");
    lane.parameters = reader.whole("parameters");
    lane.flops = reader.real("flops");
    lane.state = reader.real("state");
    lane.refused = reader.maybeText("refused");
    if (lane.name.empty() || lane.name.find('/') != std::string::npos)
        reader.blame("name", "a name for a file");
    return lane;
}

} // namespace

std::string RaceLane::run(std::uint64_t seed) const
{
    return fmt::format("runs/{}-seed-{}", name, seed);
}

std::string RaceLane::width() const
{
    return !refused.empty() ? "cannot match" : param.empty() ? "as it is" : fmt::format("{} = {}", param, value);
}

std::size_t Race::refusedCount() const
{
    return static_cast<std::size_t>(
        std::count_if(lanes.begin(), lanes.end(), [](const RaceLane& lane) { return !lane.refused.empty(); }));
}

const RaceLane* Race::lane(const std::string& wish, std::size_t nth) const
{
    for (const RaceLane& each : lanes)
        if (each.wish == wish && nth-- == 0)
            return &each;
    return nullptr;
}

std::vector<std::string> raceWarnings(const Race& race)
{
    using Figure = double (*)(const RaceLane&);
    constexpr std::pair<const char*, Figure> kFigures[] = {
        {"parameters", [](const RaceLane& lane) { return static_cast<double>(lane.parameters); }},
        {"FLOPs a token", [](const RaceLane& lane) { return lane.flops; }},
        {"state values", [](const RaceLane& lane) { return lane.state; }}};
    std::vector<const RaceLane*> lanes;
    for (const RaceLane& lane : race.lanes)
        if (lane.refused.empty())
            lanes.push_back(&lane);
    std::vector<std::string> sentences;
    for (const auto& [words, figure] : kFigures) {
        const auto [least, most] =
            std::minmax_element(lanes.begin(), lanes.end(), [figure = figure](const RaceLane* a, const RaceLane* b) {
                return figure(*a) < figure(*b);
            });
        if (least == lanes.end() || figure(**most) <= kUnequal * figure(**least))
            continue;
        const double low = figure(**least), high = figure(**most);
        const std::string times = low > 0 ? fmt::format(", {:.1f} times as many", high / low) : std::string();
        sentences.push_back(fmt::format("{} differ: {:.0f} in {}, {:.0f} in {}{}", words, low, (*least)->name, high,
                                        (*most)->name, times));
    }
    return sentences;
}

std::string frameNote(const Race& race)
{
    const bool framed = std::any_of(race.lanes.begin(), race.lanes.end(),
                                    [](const RaceLane& lane) { return lane.param == kFrameParam; });
    return framed ? "frame = N: a Linear layer to N features, the cell, a Linear layer back." : "";
}

Json raceToJson(const Race& race)
{
    Json json{JsonObject{}};
    json.add("race", kRaceVersion);
    json.add("experiment", race.experiment);
    json.add("node", race.node);
    json.add("match", race.match);
    json.add("target", race.target);
    json.add("tolerance", race.tolerance);
    json.add("steps", race.steps);
    json.add("seconds", race.seconds);
    json.add("threads", race.threads);
    json.add("tokens_a_step", race.tokens);
    Json seeds{JsonArray{}};
    for (std::uint64_t seed : race.seeds)
        seeds.push(std::to_string(seed));
    json.add("seeds", seeds);
    Json lanes{JsonArray{}};
    for (const RaceLane& lane : race.lanes)
        lanes.push(laneJson(race, lane));
    json.add("lanes", lanes);
    if (const auto sentences = raceWarnings(race); !sentences.empty()) {
        Json warnings{JsonArray{}};
        for (const std::string& sentence : sentences)
            warnings.push(sentence);
        json.add("warnings", warnings);
    }
    return json;
}

Result<Race> raceFromJson(const Json& json, const std::string& source)
{
    Race race;
    std::string fault;
    FieldReader reader(json, "", fault);
    const std::int64_t version = reader.whole("race");
    if (fault.empty() && version != kRaceVersion)
        return fail(fmt::format("is a race of version {}; this program reads version {}", version, kRaceVersion),
                    source);
    race.experiment = reader.text("experiment");
    race.node = reader.text("node");
    race.match = reader.text("match");
    race.target = reader.real("target");
    race.tolerance = reader.maybeReal("tolerance").value_or(race.tolerance);
    race.steps = reader.whole("steps");
    race.seconds = reader.real("seconds");
    race.threads = reader.whole("threads");
    race.tokens = reader.whole("tokens_a_step");
    for (const Json& seed : reader.array("seeds")) {
        const std::string* text = seed.asString();
        const auto number = text != nullptr ? Json::number(*text).asUnsigned() : std::nullopt;
        number ? race.seeds.push_back(*number) : reader.blame("seeds", "numbers as texts");
    }
    for (const Json& lane : reader.array("lanes"))
        race.lanes.push_back(laneOf(lane, fault));
    if (!fault.empty())
        return fail(fault, source);
    return race;
}

Result<Race> readRace(const std::filesystem::path& folder)
{
    constexpr std::uint64_t kMostRaceBytes = 16 << 20;
    const std::string file = (folder / kRaceFile).string();
    if (std::error_code error; !std::filesystem::exists(file, error))
        return fail("there is no race here: race.json is missing", folder.string());
    const auto text = readWholeFile(file, kMostRaceBytes);
    if (!text)
        return tl::unexpected(text.error());
    const auto json = readJson(*text, file);
    return json ? raceFromJson(*json, file) : tl::unexpected(json.error());
}

Result<void> writeRace(const Race& race, const std::filesystem::path& folder)
{
    return format::writeFileAtomically(folder / kRaceFile, writeJson(raceToJson(race)) + "\n");
}

std::string freeLaneName(const Race& race, const std::string& block)
{
    const auto taken = [&](const std::string& name) {
        return std::any_of(race.lanes.begin(), race.lanes.end(), [&](const auto& lane) { return lane.name == name; });
    };
    std::string name = block;
    for (int number = 2; taken(name); ++number)
        name = fmt::format("{}-{}", block, number);
    return name;
}

} // namespace unroll
