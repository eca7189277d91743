// SPDX-License-Identifier: GPL-3.0-or-later
#include "nodes/shared/source_parts.h"

namespace unroll::nodes::vector_copy {

static void infer(InferScope& scope)
{
    numberOutputs(scope, {.inputs = scope.integer("bits") + 1, .targets = scope.integer("bits"), .shares = true});
}

BlockSpec spec()
{
    return {.id = "vector_copy",
            .title = "Copy vectors",
            .summary = "Copy task with bit vectors: reproduce them after a delay.",
            .synonyms = {"data", "dataset", "synthetic task", "copying memory", "bits", "long-term memory"},
            .category = Category::Data,
            .outputs = {sequencePort("The bits, and a recall signal.", "features"),
                        {"targets", PortType::TargetValues, "The same bits, in order."},
                        {"mask", PortType::Mask, "Real (unpadded) steps: all of them."}},
            .params = {integerParam("bits", 7, 1, 1024, "bits", "Bits per vector."),
                       integerParam("length", 20, 1, 1'000'000, "vectors", "Number of vectors to remember."),
                       integerParam("delay", 8, 0, 1'000'000, "steps",
                                    "Blank steps between the last vector and the recall signal."),
                       evaluationSequencesParam()},
            .infer = infer,
            .provenance = "The copy task of minimal-LRU (Zucchet et al. 2023), with its sizes."};
}

} // namespace unroll::nodes::vector_copy
