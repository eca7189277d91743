// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/result.h"
#include "core/runs/run_progress.h"
#include "core/train/kept_weights.h"
#include "core/train/legend.h"
#include "core/train/trainer.h"
#include "core/train/weight_report.h"

#include <string>
#include <utility>
#include <vector>

namespace unroll {

/// Writes weights.safetensors, optimizer.safetensors, carried.safetensors and progress.json into an existing folder. No
/// pickle anywhere.
Result<void> writeCheckpoint(const std::string& folder, const Model& model, const Trainer& trainer,
                             const RunProgress& progress);
/// The same with this state in the place of the trainer's: of one rank of several, that of all (Trainer::wholeState).
Result<void> writeCheckpoint(const std::string& folder, const Model& model, const Trainer& trainer,
                             const RunProgress& progress, const TrainerState& state);

/// The first weight that holds a number that is not finite; empty: all are well. A checkpoint never holds such a one.
std::string weightThatIsNotFinite(const Model& model);

struct ReadCheckpoint {
    RunProgress progress;
    std::vector<std::string> notes; ///< what could not be taken over, as sentences
};

/// Why a checkpoint was not read: its files are damaged, so that an older one may do, or it is another model's.
struct CheckpointFault : Error {
    CheckpointFault(Error error, bool ofAnotherModel = false)
        : Error(std::move(error)), isOfAnotherModel(ofAnotherModel)
    {}
    bool isOfAnotherModel;
};

/// Reads them back in place: the run goes on as if it had never stopped, bit for bit on the CPU. A peak learning rate
/// that was set under another `learningRate` is left where it was. On an error nothing was changed.
tl::expected<ReadCheckpoint, CheckpointFault> readCheckpoint(const std::string& folder, double learningRate,
                                                             Model& model, Trainer& trainer);

/// Copies all weights of the model from a file of its own; anything missing or mismatched is an Error and nothing
/// changes.
Result<WeightReport> loadWeights(const std::string& path, const Model& model);

/// Copies from anybody's .safetensors file (of a run: its newest checkpoint) what fits by name and shape, and those
/// that are indexed by symbols of the data entry by entry, `legend` being that of the model's. An Error where nothing
/// fits, or where numbers are quantised.
Result<WeightReport> initialWeights(const std::string& path, const Model& model, const Legend& legend);

/// A copy of all weights. `origin` as in KeptWeights, `legend` of the data they were trained on.
KeptWeights keepWeights(const Model& model, std::string origin, const Legend& legend);
/// Copies those that fit, as initialWeights does.
WeightReport takeWeights(const KeptWeights& weights, const Model& model, const Legend& legend);

} // namespace unroll
