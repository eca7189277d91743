// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/data/dataset.h"
#include "core/model/model.h"
#include "core/runs/run_folder.h"

#include <memory>
#include <string>
#include <vector>

namespace unroll {

/// What of a run's data has to be there.
enum class DataNeed {
    Whole,
    Alphabet, ///< opened only where the run remembers no alphabet, or where other data is named
    None,     ///< never opened
};

struct TrainedRunOptions {
    std::string dataPath;              ///< reads this file and not the run's; empty: the run's
    std::string checkpoint = "newest"; ///< newest, best, or a step
    /// As withAssignment(): the run's experiment with other settings, "parity.validation_longest=1024". Its weights
    /// must fit.
    std::vector<std::string> assignments;
    DataNeed need = DataNeed::Whole;
};

/// A run on disk, ready to be built: experiment, data, check, and which checkpoint. The registry must outlive it.
struct TrainedRun {
    RunFolder folder;
    Experiment experiment;
    std::shared_ptr<const Dataset> data;          ///< null where it was not opened
    std::shared_ptr<const Vocabulary> vocabulary; ///< the data, or its alphabet remembered; null with DataNeed::None
    CheckedGraph checked;
    CheckpointPlace checkpoint;
};

/// The checkpoint that is called newest, best or by its step. An error says which there are.
Result<CheckpointPlace> chooseCheckpoint(const RunFolder& folder, const std::string& wish);

/// Errors: no run here, no such checkpoint, data that is gone or has another alphabet, a graph that this version cannot
/// run.
Result<TrainedRun> openTrainedRun(const std::string& run, const BlockRegistry& registry, const Builders& builders,
                                  const TrainedRunOptions& options);

/// Its model with the checkpoint's weights, on the CPU.
Result<std::unique_ptr<Model>> buildTrained(const TrainedRun& run, const BlockRegistry& registry,
                                            const Builders& builders, at::ScalarType dtype = at::kFloat);

} // namespace unroll
