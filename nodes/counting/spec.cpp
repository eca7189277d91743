// SPDX-License-Identifier: GPL-3.0-or-later
#include "nodes/shared/source_parts.h"

namespace unroll::nodes::counting {

static void infer(InferScope& scope)
{
    classOutputs(scope, 4, Asks::Ahead); // start, a, b, end
}

BlockSpec spec()
{
    return {
        .id = "counting",
        .title = "Counting: aⁿbⁿ",
        .summary = "Formal language aⁿbⁿ: n times a, then n times b; predict the next symbol.",
        .synonyms = {"data", "dataset", "synthetic task", "a^n b^n", "anbn", "formal language", "counter"},
        .category = Category::Data,
        .outputs = {{"tokens", PortType::Tokens, "Start, a ..., b ..."},
                    {"targets", PortType::Targets, "The next symbol."},
                    {"mask", PortType::Mask, "Real (unpadded) steps; sequences differ in length."}},
        .params = {integerParam("shortest", 1, 1, 499'999, "letters", "The smallest n."),
                   integerParam("longest", 20, 1, 499'999, "letters", "The largest n; all between are equally likely."),
                   inGroup("Validation", integerParam("validation_shortest", 21, 1, 499'999, "letters",
                                                      "The smallest n of validation.")),
                   inGroup("Validation", integerParam("validation_longest", 60, 1, 499'999, "letters",
                                                      "The largest n of validation.")),
                   inGroup("Validation", evaluationSequencesParam())},
        .infer = infer,
        .provenance = "Gers, Schmidhuber 2001 (LSTM learns a^n b^n); scored where the continuation is determined."};
}

} // namespace unroll::nodes::counting
