// SPDX-License-Identifier: GPL-3.0-or-later
#include "nodes/shared/source_parts.h"

namespace unroll::nodes::dyck {

static void infer(InferScope& scope)
{
    classOutputs(scope, 2 * scope.integer("kinds") + 2, Asks::Ahead); // and start and end
}

static std::vector<ParamSpec> params()
{
    constexpr double most = 499'999;
    return {integerParam("kinds", 2, 2, 128, "kinds", "Kinds of brackets (k)."),
            integerParam("depth", 8, 1, 100, "brackets", "The most brackets that are open at once (m)."),
            integerParam("shortest", 1, 1, most, "pairs", "Pairs of brackets from which on a sequence may end."),
            integerParam("longest", 32, 1, most, "pairs", "The most pairs of brackets in a sequence."),
            inGroup("Validation", integerParam("validation_shortest", 33, 1, most, "pairs",
                                               "Pairs from which on a validation sequence may end.")),
            inGroup("Validation", integerParam("validation_longest", 128, 1, most, "pairs",
                                               "The most pairs in a validation sequence; more than in training tests "
                                               "length generalisation.")),
            inGroup("Validation", evaluationSequencesParam())};
}

BlockSpec spec()
{
    return {.id = "dyck",
            .title = "Dyck language",
            .summary = "Dyck language: nested brackets of several kinds, bounded in depth; predict the next one.",
            .synonyms = {"data", "dataset", "synthetic task", "brackets", "formal language", "stack", "Dyck-2",
                         "context-free"},
            .category = Category::Data,
            .outputs = {{"tokens", PortType::Tokens, "Start, brackets."},
                        {"targets", PortType::Targets, "The next symbol; closing brackets are scored."},
                        {"mask", PortType::Mask, "Real (unpadded) steps; sequences differ in length."}},
            .params = params(),
            .infer = infer,
            .provenance = "Hewitt, Hahn, Ganguli, Liang, Manning 2020 (Dyck-(k,m)), arXiv:2010.07515; scored where a "
                          "bracket closes."};
}

} // namespace unroll::nodes::dyck
