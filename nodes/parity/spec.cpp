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
        .summary = "Tell whether an even or an odd number of ones has been read.",
        .synonyms = {"data", "dataset", "synthetic task", "state tracking", "xor", "flip-flop"},
        .category = Category::Data,
        .outputs = {{"tokens", PortType::Tokens, "Bits."},
                    {"targets", PortType::Targets, "0 = even, 1 = odd, where it is asked."},
                    {"mask", PortType::Mask, "Real steps: sequences differ in length."}},
        .params =
            {integerParam("shortest", 3, 1, 1'000'000, "bits", "Bits of the shortest sequence."),
             integerParam("longest", 40, 1, 1'000'000, "bits",
                          "Bits of the longest sequence; lengths between are equally likely."),
             choiceParam("ask",
                         {{"last", "After the last bit alone, as the published task does."},
                          {"every", "After every bit: the same task, learned sooner."}},
                         "When the parity of the bits so far is asked for."),
             choiceParam("form",
                         {{"bits", "Two classes, 0 and 1; lengths count the bits."},
                          {"published", "Classes 1 and 2, 0 for padding; lengths count the place of the answer too."}},
                         "How bits and answers are written."),
             inGroup("Validation", integerParam("validation_shortest", 40, 1, 1'000'000, "bits",
                                                "Bits of the shortest validation sequence.")),
             inGroup("Validation",
                     integerParam("validation_longest", 256, 1, 1'000'000, "bits",
                                  "Bits of the longest one: more than in training asks for a rule, not for memory.")),
             inGroup("Validation", evaluationSequencesParam())},
        .infer = infer,
        .provenance =
            "In the form of Beck et al. 2024 (xLSTM), arXiv:2405.04517; theory: Grazzi et al. 2024, arXiv:2411.12537."};
}

} // namespace unroll::nodes::parity
