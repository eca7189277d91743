// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/experiment/experiment.h"
#include "core/session/snapshot.h"

#include <filesystem>
#include <vector>

namespace unroll {

/// A run on disk, as a viewer last saw it.
struct RunRecord {
    Experiment experiment;
    std::vector<MetricRow> rows; ///< as readRunRows gives them
    Snapshot snapshot;           ///< without problems and frames; Stopped also for a run that is running elsewhere
};

/// Errors: no run here; an experiment, an environment or metrics that cannot be read.
Result<RunRecord> readRunRecord(const std::filesystem::path& run);

/// Samples of a run, newest last, at most as many as a snapshot holds; none without the file.
std::vector<Sample> newestSamples(const std::filesystem::path& run);

/// The rows of a run's metrics.csv. Where there are more than `most`, neighbours are merged, as MetricQueue does.
Result<std::vector<MetricRow>> readRunRows(const std::filesystem::path& run, std::size_t most = 65536);

} // namespace unroll
