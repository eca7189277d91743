// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/result.h"
#include "core/lens/lens.h"
#include "core/lens/value_editor.h"
#include "core/model/model.h"

#include <cstdint>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

namespace unroll {

/// What is read, `sequences` times side by side: tokens [T, sequences] or features [T, sequences, width], on the
/// model's device.
ModelInput sideBySide(const ProbeText& text, const Model& model, std::int64_t sequences);
std::int64_t stepsOf(const ModelInput& input);

/// [T, B, width] of a prediction [T, B, width], or [B, width] of one answer a sequence, which stands at the step that
/// asks for it; NaN elsewhere.
at::Tensor perStep(const at::Tensor& prediction, const ProbeText& text);

/// What a reading asks for at each step.
struct Asked {
    bool areClasses = true;
    bool areShares = false;            ///< of numbers: predictions are logits of values in 0..1
    std::vector<std::int64_t> classes; ///< [T]; -1: nothing is asked. Empty where numbers are
    at::Tensor numbers;                ///< [T, 1, columns] fp64, NaN: nothing is asked; undefined where classes are
    std::string lossUnit;              ///< "nats/token"
};
/// An error where the answers of the reading know no loss of a step: the network's loss is of another kind than these.
Result<Asked> askedOf(const LensSubject& subject);
/// [T, B] fp64 on the CPU, from `prediction` [T, B, classes or columns]: cross entropy in nats, of numbers the mean
/// over the columns of the squared error, or of the cross entropy of shares; NaN where nothing is asked.
at::Tensor lossPerStep(const at::Tensor& prediction, const Asked& asked);

/// Steps that ask for anything.
std::int64_t stepsAsking(const Asked& asked);
/// Mean over the steps that ask, [B], of lossPerStep(); NaN where none does, or the loss of one is not a number.
at::Tensor meanLoss(const at::Tensor& losses, const Asked& asked);

/// The reading as it is, to the bit as a pass without any editor gives it.
ModelOutput readPlain(Model& model, const ModelInput& input);

/// How a reading is changed.
struct EditedRun {
    ValueEditor* editor = nullptr; ///< null: only `start` is
    States start = {};             ///< before the first step, [sequences, ...]
    std::int64_t first =
        0; ///< steps at which anything is changed: before and after them the model runs many steps at once
    std::int64_t last = 0; ///< one behind
    Observer* observer =
        nullptr; ///< is shown the signals of every step, piece by piece where the model runs step by step
};

/// One step of the reading, after which the editor knows where each signal is changed. An error where one cannot be.
Result<void> tryEdits(Model& model, const ModelInput& input, const EditedRun& run);

/// One pass over `input`, whose sequence 0 the editor leaves as it is. Nodes in which it changes more than outputs run
/// step by step, and sequence 0 is compared with `plain`, the untouched prediction [T, 1, ...]: an error where they
/// differ, for such a node reads more than one step at a time. Errors too: what the editor cannot change, the end asked
/// for.
Result<ModelOutput> readEdited(Model& model, const ModelInput& input, const at::Tensor& plain, const EditedRun& run,
                               const std::stop_token& end);

} // namespace unroll
