// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/data/dataset.h"
#include "core/model/model.h"
#include "core/runs/run_progress.h"
#include "core/train/trainer.h"

#include <memory>

namespace unroll {

/// What a run trains, and how far it has come. RunBuilder makes it; without a trainer nothing can be asked of the run.
/// On the worker thread alone.
struct RunParts {
    std::shared_ptr<const Dataset> data;
    std::unique_ptr<Ranks> ranks; ///< null: this process trains alone
    std::unique_ptr<Model> model;
    std::unique_ptr<Trainer> trainer; ///< of this model and these data: it goes first
    /// Its best, patience, emptyUpdates and closing members: the others are the trainer's and the clock's, and join
    /// them in a checkpoint.
    RunProgress progress;

    /// What is only half there, or cannot be used any more, is not to be asked.
    void giveUp()
    {
        trainer.reset();
        model.reset();
    }
    /// Whether this process writes the run and speaks for it: rank 0, or the only one.
    bool leads() const { return !ranks || ranks->leads(); }
    /// Whether each sequence has a label of its own, which is told in the place of text.
    bool tellsLabels() const { return !data->labels().empty(); }
};

/// What is evaluated on the way.
inline Portion evaluatedSlice(const RunParts& parts, const TrainSettings& training)
{
    return parts.trainer->portion(Split::Validation, training.evaluateBatches);
}

inline bool outOfPatience(const RunProgress& progress, const TrainSettings& training)
{
    return training.patience > 0 && progress.evaluationsSinceBest >= training.patience;
}

} // namespace unroll
