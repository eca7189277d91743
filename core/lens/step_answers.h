// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/lens/frame.h"
#include "core/lens/probe.h"

#include <ATen/core/Tensor.h>

#include <string>
#include <vector>

namespace unroll {

/// What a model told of a reading, and what became of it.
struct Told {
    /// [T, 1, width], or [1, width] of one answer a sequence: logits of classes, or what the loss compares with
    /// numbers.
    at::Tensor prediction;
    at::Tensor loss;      ///< over all targets, as the model computes it; undefined: not computed
    std::string lossUnit; ///< of the model
};

/// The step at which a model that tells one thing a sequence tells it: where it is asked, else the last.
std::int64_t answeredStep(const ProbeText& text);

/// One answer a step, in double precision. Losses are NaN where the loss is of a kind that is not known here, or
/// another one than this.
std::vector<StepAnswer> stepAnswers(const ProbeText& text, const Told& told);

/// Each column of what is told and of what is right, in the column's own units. None where classes are told.
std::vector<Forecast> forecastsOf(const ProbeText& text, const Told& told);

} // namespace unroll
