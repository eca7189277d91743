// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/experiment/experiment.h"
#include "core/session/snapshot.h"

#include <filesystem>
#include <vector>

namespace unroll {

/// A run on disk as a viewer of it would have seen it last.
struct RunRecord {
    Experiment experiment;
    std::vector<MetricRow> rows; ///< as readRunRows gives them
    Snapshot
        snapshot; ///< with neither problems nor looks; Stopped also stands for a run that goes on elsewhere or was broken off
};

/// Errors: no run here; an experiment, an environment or metrics that cannot be read.
Result<RunRecord> readRunRecord(const std::filesystem::path& run);

/// The text a run made up, newest last, at most as much as a snapshot shows; none where there is no such file.
std::vector<Sample> newestSamples(const std::filesystem::path& run);

/// The rows of a run's metrics.csv. Where there are more than `most`, neighbours are merged, as MetricQueue does.
Result<std::vector<MetricRow>> readRunRows(const std::filesystem::path& run, std::size_t most = 65536);

} // namespace unroll
