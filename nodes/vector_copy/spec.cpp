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
            .summary = "Remember vectors of bits across a gap and tell them again.",
            .synonyms = {"data", "dataset", "synthetic task", "copying memory", "bits", "long-term memory"},
            .category = Category::Data,
            .outputs = {sequencePort("The bits, and a signal to recall.", "features"),
                        {"targets", PortType::TargetValues, "The bits again, in their order."},
                        {"mask", PortType::Mask, "Real steps: all of them."}},
            .params = {integerParam("bits", 7, 1, 1024, "bits", "Bits of a vector."),
                       integerParam("length", 20, 1, 1'000'000, "vectors", "Vectors to be remembered."),
                       integerParam("delay", 8, 0, 1'000'000, "steps",
                                    "Blank steps between the last vector and the signal to recall."),
                       evaluationSequencesParam()},
            .infer = infer,
            .provenance = "The copy task of minimal-LRU (Zucchet et al. 2023), with its sizes."};
}

} // namespace unroll::nodes::vector_copy
