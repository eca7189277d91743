// SPDX-License-Identifier: GPL-3.0-or-later
#include "nodes/shared/source_parts.h"

namespace unroll::nodes::induction {

static void infer(InferScope& scope)
{
    classOutputs(scope, scope.integer("symbols") + 1, Asks::Once); // and the trigger
}

BlockSpec spec()
{
    return {
        .id = "induction",
        .title = "Induction heads",
        .summary = "Induction heads: predict the symbol that followed the trigger's first occurrence.",
        .synonyms = {"data", "dataset", "synthetic task", "in-context learning", "associative recall", "trigger"},
        .category = Category::Data,
        .outputs = {{"tokens", PortType::Tokens, "Symbols, among them the trigger twice."},
                    {"targets", PortType::Targets, "The symbol after the first trigger, at the last step."},
                    {"mask", PortType::Mask, "Real (unpadded) steps: all of them."}},
        .params = {integerParam("symbols", 16, 2, 52, "symbols", "Number of different symbols; the trigger is extra."),
                   integerParam("length", 256, 3, 1'000'000, "steps", "Steps per sequence (T)."),
                   inGroup("Validation", integerParam("validation_length", 1024, 3, 1'000'000, "steps",
                                                      "Steps per validation sequence; longer than in training "
                                                      "tests length generalisation.")),
                   inGroup("Validation", evaluationSequencesParam())},
        .infer = infer,
        .provenance = "Olsson et al. 2022; in this form Fu et al. 2023 (H3), arXiv:2212.14052, and Gu, Dao 2023 "
                      "(Mamba), arXiv:2312.00752."};
}

} // namespace unroll::nodes::induction
