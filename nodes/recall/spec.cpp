// SPDX-License-Identifier: GPL-3.0-or-later
#include "nodes/shared/source_parts.h"

namespace unroll::nodes::recall {

static void infer(InferScope& scope)
{
    classOutputs(scope, scope.integer("vocabulary"));
}

BlockSpec spec()
{
    return {.id = "recall",
            .title = "Selective recall",
            .summary = "Multi-query associative recall: predict the value of a key seen earlier.",
            .synonyms = {"data", "dataset", "synthetic task", "MQAR", "associative recall", "induction", "key value"},
            .category = Category::Data,
            .outputs = {{"tokens", PortType::Tokens, "Keys, values, filler."},
                        {"targets", PortType::Targets, "The value of a key, where the key is repeated."},
                        {"mask", PortType::Mask, "Real (unpadded) steps: all of them."}},
            .params = {integerParam("vocabulary", 256, 8, 65536, "classes",
                                    "Classes: 0 is filler, the lower half keys, the upper half values."),
                       integerParam("pairs", 4, 1, 16384, "pairs", "Number of key-value pairs (N)."),
                       integerParam("length", 64, 4, 1'000'000, "steps", "Steps per sequence (T)."),
                       evaluationSequencesParam()},
            .infer = infer,
            .provenance = "Arora et al. 2023 (Zoology, multi-query associative recall), arXiv:2312.04927."};
}

} // namespace unroll::nodes::recall
