// SPDX-License-Identifier: GPL-3.0-or-later
#include "nodes/shared/source_parts.h"

namespace unroll::nodes::adding {

static void infer(InferScope& scope)
{
    numberOutputs(scope, {.inputs = 2, .targets = 1, .shares = false}, Asks::Once);
}

BlockSpec spec()
{
    return {.id = "adding",
            .title = "Adding problem",
            .summary = "Adding problem: predict the sum of the two marked numbers of a long sequence.",
            .synonyms = {"data", "dataset", "synthetic task", "regression", "long-term memory"},
            .category = Category::Data,
            .outputs = {sequencePort("A number and a marker (0 or 1) at every step.", "features"),
                        {"targets", PortType::TargetValues, "Sum of the two marked numbers, at the last step."},
                        {"mask", PortType::Mask, "Real (unpadded) steps: all of them."}},
            .params = {integerParam("length", 100, 2, 1'000'000, "steps",
                                    "Steps per sequence (T); one marker lies in each half."),
                       evaluationSequencesParam()},
            .infer = infer,
            .provenance = "Hochreiter, Schmidhuber 1997, Long Short-Term Memory, experiment 4."};
}

} // namespace unroll::nodes::adding
