// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/session/run_record.h"

#include "core/base/input_file.h"
#include "core/format/csv_pieces.h"
#include "core/runs/run_folder.h"
#include "core/runs/run_summary.h"
#include "core/runs/sample_file.h"
#include "core/session/mailbox.h"

#include <algorithm>
#include <fmt/format.h>

namespace unroll {
namespace {

constexpr std::uint64_t kMostSampleBytes = 16 << 20;

MetricRow metricRow(const format::LogRow& row)
{
    MetricRow result;
    result.step = row.step;
    for (const auto& [name, value] : row.values)
        if (name == "tokens")
            result.tokens = static_cast<std::int64_t>(value);
        else if (name == "seconds")
            result.seconds = value;
        else
            result.values[name] = value;
    return result;
}

/// To a viewer that does not train it a run that goes on elsewhere has stopped.
RunState endedState(RunState state)
{
    return hasEnded(state) ? state : RunState::Stopped;
}

/// Why it ended; empty: as it was meant to.
std::string reasonOfEnd(const RunSummary& summary)
{
    if (summary.state == RunState::Failed)
        return summary.failure;
    if (summary.state != RunState::Interrupted)
        return {};
    return fmt::format("the process that trained the run ended without saving its end (killed, or the machine went "
                       "down); {}",
                       summary.checkpoint >= 0 ? fmt::format("the checkpoint of step {} is kept", summary.checkpoint)
                                               : "no checkpoint was saved");
}

Snapshot lastSnapshot(const RunSummary& summary)
{
    Snapshot last;
    last.state = endedState(summary.state);
    last.failure = reasonOfEnd(summary);
    last.step = summary.step;
    last.steps = summary.steps;
    last.device = summary.device;
    last.measures = summary.measures;
    last.runFolder = summary.folder.string();
    last.checkpointed = summary.checkpoint;
    last.bestValidationLoss = summary.best.value_or(0);
    last.bestStep = summary.bestStep;
    last.samples = newestSamples(summary.folder);
    return last;
}

} // namespace

/// What made up text is missing is no reason not to show the run.
std::vector<Sample> newestSamples(const std::filesystem::path& run)
{
    const auto text = readWholeFile(run / "samples.txt", kMostSampleBytes);
    std::vector<Sample> samples = text ? samplesIn(*text) : std::vector<Sample>();
    if (samples.size() > Snapshot::kMostSamples)
        samples.erase(samples.begin(), samples.end() - Snapshot::kMostSamples);
    return samples;
}

Result<RunRecord> readRunRecord(const std::filesystem::path& run)
{
    const auto folder = RunFolder::open(run);
    if (!folder)
        return tl::unexpected(folder.error());
    auto rows = readRunRows(run);
    if (!rows)
        return tl::unexpected(rows.error());
    RunRecord record{folder->experiment(), std::move(*rows), lastSnapshot(readRunSummary(run))};
    const RunEnvironment& environment = folder->environment();
    record.snapshot.entropyFloor = environment.sliceFloor ? environment.sliceFloor : environment.entropyFloor;
    record.snapshot.finalFloor = environment.entropyFloor;
    record.snapshot.entropyExpected = environment.entropyExpected;
    return record;
}

Result<std::vector<MetricRow>> readRunRows(const std::filesystem::path& run, std::size_t most)
{
    MetricQueue rows(most);
    const auto read =
        format::readCsvRows(run / "metrics.csv", [&rows](const format::LogRow& row) { rows.push(metricRow(row)); });
    if (!read)
        return tl::unexpected(read.error());
    return rows.take();
}

} // namespace unroll
