// SPDX-License-Identifier: GPL-3.0-or-later
#include "nodes/shared/source_parts.h"

namespace unroll::nodes::copy {

static void infer(InferScope& scope)
{
    classOutputs(scope, scope.integer("symbols") + 2); // blank and delimiter
}

BlockSpec spec()
{
    return {
        .id = "copy",
        .title = "Copy task",
        .summary = "Copy task: reproduce a sequence of symbols after a delay.",
        .synonyms = {"data", "dataset", "copying memory", "synthetic task", "long-term memory", "selective copying"},
        .category = Category::Data,
        .outputs = {{"tokens", PortType::Tokens, "Symbols, blanks, the delimiter, blanks."},
                    {"targets", PortType::Targets, "Blanks, then the symbols in order."},
                    {"mask", PortType::Mask, "Real (unpadded) steps: all of them."}},
        .params = {integerParam("symbols", 8, 2, 52, "symbols",
                                "Number of different symbols; blank and delimiter are extra."),
                   integerParam("length", 10, 1, 1'000'000, "symbols", "Number of symbols to remember."),
                   integerParam(
                       "delay", 20, 1, 1'000'000, "steps",
                       "Steps from the last symbol to the delimiter; when selective, blanks before it plus 1."),
                   flagParam("selective", false,
                             "Symbols at random places among the blanks before the delimiter, in order."),
                   evaluationSequencesParam()},
        .infer = infer,
        .provenance = "Hochreiter, Schmidhuber 1997; in this form Arjovsky, Shah, Bengio 2016, arXiv:1511.06464; "
                      "selective: Gu, Dao 2023 (Mamba), arXiv:2312.00752."};
}

} // namespace unroll::nodes::copy
