// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/runs/race_results.h"

#include "core/base/input_file.h"
#include "core/format/csv_pieces.h"
#include "core/runs/bootstrap.h"
#include "core/runs/run_summary.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <functional>
#include <numbers>

namespace unroll {
namespace {

namespace fs = std::filesystem;

/// What no run's folder says of itself: memory, by the run's name.
constexpr const char* kMeasuredFile = "measured.json";

/// The newest value of a column that was ever measured.
struct Newest {
    std::optional<double> validation, validationAccuracy, final, finalAccuracy, train;
};

void takeRow(const format::LogRow& row, RaceRun& run, Newest& newest)
{
    RaceSample sample;
    sample.step = row.step;
    for (const auto& [name, value] : row.values) {
        if (name == "tokens")
            sample.tokens = static_cast<std::int64_t>(value);
        else if (name == "seconds")
            sample.seconds = value;
        else if (name == "train/loss")
            newest.train = sample.train = value;
        else if (name == "val/loss")
            newest.validation = sample.validation = value;
        else if (name == "val/acc")
            newest.validationAccuracy = sample.accuracy = value;
        else if (name == "final/loss")
            newest.final = value;
        else if (name == "final/acc")
            newest.finalAccuracy = value;
    }
    if (std::isfinite(sample.validation) && (!run.best || sample.validation < *run.best))
        run.best = sample.validation;
    run.samples.push_back(sample);
}

double memoryOf(const fs::path& race, const std::string& run)
{
    constexpr std::uint64_t kMost = 16 << 20;
    const std::string file = (race / kMeasuredFile).string();
    const auto text = readWholeFile(file, kMost);
    const auto json = text ? readJson(*text, file) : tl::unexpected(text.error());
    const Json* of = json ? json->find(run) : nullptr;
    const Json* memory = of != nullptr ? of->find("memory") : nullptr;
    return memory != nullptr ? memory->asReal().value_or(0) : 0;
}

bool isDoneRun(const Race& race, const RaceRun& run)
{
    if (run.samples.empty())
        return false;
    if (run.state == RunState::Failed)
        return true;
    const bool inTime = race.seconds > 0 && run.samples.back().seconds >= race.seconds && hasEnded(run.state) &&
                        run.state != RunState::Interrupted;
    return inTime || (run.state == RunState::Finished && run.samples.back().step >= race.steps);
}

/// The mean of what is known; nothing where nothing is.
std::optional<double> knownMean(const std::vector<const RaceRun*>& runs,
                                const std::function<std::optional<double>(const RaceRun&)>& of)
{
    std::vector<double> known;
    for (const RaceRun* run : runs)
        if (const auto value = of(*run))
            known.push_back(*value);
    return known.empty() ? std::nullopt : std::optional(meanOf(known));
}

void takeLoss(const std::vector<const RaceRun*>& runs, RaceRow& row)
{
    std::vector<double> losses;
    for (const RaceRun* run : runs)
        if (run->loss && std::isfinite(*run->loss))
            losses.push_back(*run->loss);
    if (losses.empty())
        return;
    row.loss = meanOf(losses);
    if (losses.size() > 1) {
        const Interval interval = bootstrapInterval(losses);
        row.low = interval.low;
        row.high = interval.high;
    }
    if (row.lossUnit.starts_with("nats"))
        row.bits = *row.loss / std::numbers::ln2;
}

} // namespace

std::size_t RaceResults::doneCount() const
{
    std::size_t count = 0;
    for (const RaceLaneResults& lane : lanes)
        count += static_cast<std::size_t>(
            std::count_if(lane.runs.begin(), lane.runs.end(), [](const RaceRun& run) { return run.isDone; }));
    return count;
}

RaceRun RaceReading::readRun(const Race& race, const RaceLane& lane, std::uint64_t seed)
{
    RaceRun run;
    run.seed = seed;
    run.folder = m_folder / lane.run(seed);
    std::error_code error;
    const fs::path metrics = run.folder / "metrics.csv";
    if (!fs::exists(metrics, error))
        return run;
    const auto changed = fs::last_write_time(metrics, error);
    const auto bytes = fs::file_size(metrics, error);
    const auto known = std::find_if(m_ended.begin(), m_ended.end(), [&](const Known& each) {
        return each.run.folder == run.folder && each.changed == changed && each.bytes == bytes;
    });
    if (known != m_ended.end())
        return known->run;
    const RunSummary summary = readRunSummary(run.folder);
    run.state = summary.state;
    run.failure = summary.failure;
    run.trouble = summary.trouble;
    run.lossUnit = summary.measures.lossUnit;
    Newest newest;
    const auto read = format::readCsvRows(metrics, [&](const format::LogRow& row) { takeRow(row, run, newest); });
    if (!read)
        run.trouble = read.error().text();
    run.isDone = isDoneRun(race, run);
    run.loss = newest.final ? newest.final : newest.validation ? newest.validation : newest.train;
    run.accuracy = newest.final ? newest.finalAccuracy : newest.validationAccuracy;
    run.memory = memoryOf(m_folder, run.folder.filename().string());
    if (run.isDone && run.memory > 0) {
        std::erase_if(m_ended, [&](const Known& each) { return each.run.folder == run.folder; });
        m_ended.push_back({changed, bytes, run});
    }
    return run;
}

Result<RaceResults> RaceReading::read()
{
    auto race = readRace(m_folder);
    if (!race)
        return tl::unexpected(race.error());
    RaceResults results{m_folder, std::move(*race), {}};
    for (const RaceLane& lane : results.race.lanes) {
        RaceLaneResults found{lane, {}};
        for (const std::uint64_t seed : lane.refused.empty() ? results.race.seeds : std::vector<std::uint64_t>())
            found.runs.push_back(readRun(results.race, lane, seed));
        results.lanes.push_back(std::move(found));
    }
    return results;
}

RaceRow raceRow(const RaceLaneResults& lane)
{
    const RaceLane& of = lane.lane;
    RaceRow row;
    row.lane = of.name;
    row.wish = of.wish;
    row.width = of.width();
    row.refused = of.refused;
    row.parameters = of.parameters;
    row.flops = of.flops;
    row.state = of.state;
    row.runs = lane.runs.size();
    std::vector<const RaceRun*> done;
    for (const RaceRun& run : lane.runs) {
        if (row.lossUnit.empty())
            row.lossUnit = run.lossUnit;
        row.diverged += run.state == RunState::Failed ? 1 : 0;
        if (run.isDone && run.state != RunState::Failed)
            done.push_back(&run);
    }
    row.done = done.size();
    takeLoss(done, row);
    row.best = knownMean(done, [](const RaceRun& run) { return run.best; });
    row.accuracy = knownMean(done, [](const RaceRun& run) { return run.accuracy; });
    row.seconds = knownMean(done, [](const RaceRun& run) { return std::optional(run.samples.back().seconds); });
    row.tokensPerSecond = knownMean(done, [](const RaceRun& run) {
        const RaceSample& last = run.samples.back();
        return last.seconds > 0 ? std::optional(static_cast<double>(last.tokens) / last.seconds) : std::nullopt;
    });
    row.memory =
        knownMean(done, [](const RaceRun& run) { return run.memory > 0 ? std::optional(run.memory) : std::nullopt; });
    return row;
}

std::vector<RaceRow> raceRows(const RaceResults& results)
{
    std::vector<RaceRow> rows;
    for (const RaceLaneResults& lane : results.lanes)
        rows.push_back(raceRow(lane));
    std::stable_sort(rows.begin(), rows.end(), [](const RaceRow& a, const RaceRow& b) {
        if (a.refused.empty() != b.refused.empty())
            return a.refused.empty();
        return a.loss && (!b.loss || *a.loss < *b.loss);
    });
    return rows;
}

} // namespace unroll
