// SPDX-License-Identifier: GPL-3.0-or-later
#include "nodes/shared/source_parts.h"

namespace unroll::nodes::counting {

static void infer(InferScope& scope)
{
    classOutputs(scope, scope.integer("letters") + 2, Asks::Ahead); // and start and end
}

BlockSpec spec()
{
    return {
        .id = "counting",
        .title = "Counting: aⁿbⁿ",
        .summary = "Formal language aⁿbⁿ: n times a, then n times b; predict the next symbol.",
        .synonyms = {"data", "dataset", "synthetic task", "a^n b^n", "anbn", "formal language", "counter",
                     "a^n b^n c^n"},
        .category = Category::Data,
        .outputs = {{"tokens", PortType::Tokens, "Start, a ..., b ..., and c ... of three letters."},
                    {"targets", PortType::Targets, "The next symbol."},
                    {"mask", PortType::Mask, "Real (unpadded) steps; sequences differ in length."}},
        .params = {integerParam("letters", 2, 2, 3, "letters", "2: aⁿbⁿ. 3: aⁿbⁿcⁿ, which is not context-free."),
                   integerParam("shortest", 1, 1, 499'999, "letters", "The smallest n."),
                   integerParam("longest", 20, 1, 499'999, "letters", "The largest n; all between are equally likely."),
                   inGroup("Validation", integerParam("validation_shortest", 21, 1, 499'999, "letters",
                                                      "The smallest n of validation.")),
                   inGroup("Validation", integerParam("validation_longest", 60, 1, 499'999, "letters",
                                                      "The largest n of validation.")),
                   inGroup("Validation", evaluationSequencesParam())},
        .infer = infer,
        .provenance = "Gers, Schmidhuber 2001 (LSTM learns a^n b^n and a^n b^n c^n); scored where the continuation is "
                      "determined."};
}

} // namespace unroll::nodes::counting
