// SPDX-License-Identifier: GPL-3.0-or-later
#include "nodes/shared/source_parts.h"

namespace unroll::nodes::irregular {

static void infer(InferScope& scope)
{
    numberOutputs(scope, {.inputs = 2, .targets = 1, .shares = false},
                  Asks::Ahead); // the value now is read one step later
}

BlockSpec spec()
{
    return {.id = "irregular",
            .title = "Irregular sines",
            .summary = "Sines seen at uneven times: predict the value now from the value before and the time since.",
            .synonyms = {"data", "dataset", "synthetic task", "irregular time series", "uneven sampling",
                         "continuous time", "regression"},
            .category = Category::Data,
            .outputs = {sequencePort("The value at the step before, and the time since then.", "features"),
                        {"targets", PortType::TargetValues, "The value now."},
                        {"mask", PortType::Mask, "Real (unpadded) steps: all of them."}},
            .params = {integerParam("length", 40, 1, kLongestSequence, "steps", "Steps per sequence (T)."),
                       realParam("unevenness", 0.9, 0, 1,
                                 "u: times between steps are drawn from 1 - u to 1 + u; 0: even steps."),
                       evaluationSequencesParam()},
            .infer = infer,
            .provenance =
                "Forecasting at uneven times, as continuous-time cells are tried with; this form is our own."};
}

} // namespace unroll::nodes::irregular
