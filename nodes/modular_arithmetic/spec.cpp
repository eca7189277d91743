// SPDX-License-Identifier: GPL-3.0-or-later
#include "nodes/shared/source_parts.h"

namespace unroll::nodes::modular_arithmetic {

static void infer(InferScope& scope)
{
    const std::int64_t operators = scope.text("operators") == "all" ? 3 : 2;
    classOutputs(scope, scope.integer("modulus") + operators + (scope.boolean("brackets") ? 2 : 0),
                 scope.text("ask") == "last" ? Asks::Once : Asks::OfThePast);
}

static std::vector<ParamSpec> params()
{
    constexpr double most = 1'000'000;
    return {
        integerParam("modulus", 5, 2, 10, "numbers", "Numbers are 0 to modulus - 1; so are results."),
        choiceParam("operators",
                    {{"all", "Addition, subtraction and multiplication, which takes precedence."},
                     {"sums", "Addition and subtraction: the cyclic group of the modulus."}},
                    "Operators between the numbers."),
        flagParam("brackets", false, "Brackets around parts of the expression, nested up to depth."),
        countsWhere("brackets", true,
                    integerParam("depth", 4, 1, 100, "brackets", "Most brackets that are open at once.")),
        integerParam("shortest", 1, 1, most, "symbols",
                     "Length of the shortest expression in symbols; even lengths lose their last."),
        integerParam("longest", 40, 1, most, "symbols", "Length of the longest one; all between are equally likely."),
        choiceParam("ask",
                    {{"last", "At the last symbol only, as in the published task."},
                     {"every", "After every number, with brackets where none is open: learned faster."}},
                    "At which steps the value so far is the target."),
        inGroup("Validation", integerParam("validation_shortest", 41, 1, most, "symbols",
                                           "Length of the shortest validation expression.")),
        inGroup("Validation",
                integerParam("validation_longest", 500, 1, most, "symbols",
                             "Length of the longest one; longer than in training tests length generalisation.")),
        inGroup("Validation", evaluationSequencesParam())};
}

BlockSpec spec()
{
    return {.id = "modular_arithmetic",
            .title = "Modular arithmetic",
            .summary = "Modular arithmetic: the value of an expression mod 5, without or with brackets.",
            .synonyms = {"data", "dataset", "synthetic task", "state tracking", "regular language", "expression",
                         "brackets", "context-free language"},
            .category = Category::Data,
            .outputs = {{"tokens", PortType::Tokens, "Numbers and operators in turn, and brackets."},
                        {"targets", PortType::Targets, "The value so far, at the scored steps."},
                        {"mask", PortType::Mask, "Real (unpadded) steps; sequences differ in length."}},
            .params = params(),
            .infer = infer,
            .provenance = "Deletang et al. 2023 (modular arithmetic, simple and with brackets), arXiv:2207.02098; "
                          "theory: Grazzi et al. 2024, arXiv:2411.12537."};
}

} // namespace unroll::nodes::modular_arithmetic
