// SPDX-License-Identifier: GPL-3.0-or-later
#include "nodes/shared/source_parts.h"

namespace unroll::nodes::parity {

static void infer(InferScope& scope)
{
    classOutputs(scope, scope.text("form") == "published" ? 3 : 2,
                 scope.text("ask") == "last" ? Asks::Once : Asks::OfThePast);
}

BlockSpec spec()
{
    return {
        .id = "parity",
        .title = "Parity",
        .summary = "Parity of a bit sequence: whether the number of ones is even or odd.",
        .synonyms = {"data", "dataset", "synthetic task", "state tracking", "xor", "flip-flop"},
        .category = Category::Data,
        .outputs = {{"tokens", PortType::Tokens, "Bits."},
                    {"targets", PortType::Targets, "0 = even, 1 = odd, at the scored steps."},
                    {"mask", PortType::Mask, "Real (unpadded) steps; sequences differ in length."}},
        .params = {integerParam("shortest", 3, 1, 1'000'000, "bits", "Length of the shortest sequence, in bits."),
                   integerParam("longest", 40, 1, 1'000'000, "bits",
                                "Length of the longest sequence; all between are equally likely."),
                   choiceParam("ask",
                               {{"last", "After the last bit only, as in the published task."},
                                {"every", "After every bit: the same task, learned faster."}},
                               "At which steps the parity so far is the target."),
                   choiceParam("form",
                               {{"bits", "Two classes, 0 and 1; lengths count the bits."},
                                {"published", "Classes 1 and 2, 0 for padding; lengths include the answer position."}},
                               "Encoding of bits and answers."),
                   inGroup("Validation", integerParam("validation_shortest", 40, 1, 1'000'000, "bits",
                                                      "Length of the shortest validation sequence.")),
                   inGroup(
                       "Validation",
                       integerParam("validation_longest", 256, 1, 1'000'000, "bits",
                                    "Length of the longest one; longer than in training tests length generalisation.")),
                   inGroup("Validation", evaluationSequencesParam())},
        .infer = infer,
        .provenance =
            "In the form of Beck et al. 2024 (xLSTM), arXiv:2405.04517; theory: Grazzi et al. 2024, arXiv:2411.12537."};
}

} // namespace unroll::nodes::parity
