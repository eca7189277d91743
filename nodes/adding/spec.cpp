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
            .summary = "Add two marked numbers that lie far apart.",
            .synonyms = {"data", "dataset", "synthetic task", "regression", "long-term memory"},
            .category = Category::Data,
            .outputs = {sequencePort("A number and a mark, at every step.", "features"),
                        {"targets", PortType::TargetValues, "The sum of the two marked numbers, at the last step."},
                        {"mask", PortType::Mask, "Real steps: all of them."}},
            .params = {integerParam("length", 100, 2, 1'000'000, "steps",
                                    "Steps of a sequence (T); one mark lies in each half."),
                       evaluationSequencesParam()},
            .infer = infer,
            .provenance = "Hochreiter, Schmidhuber 1997, Long Short-Term Memory, experiment 4."};
}

} // namespace unroll::nodes::adding
