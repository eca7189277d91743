// SPDX-License-Identifier: GPL-3.0-or-later
#include "nodes/shared/source_parts.h"

namespace unroll::nodes::word_problem {

static void infer(InferScope& scope)
{
    const std::string& group = scope.text("group");
    const std::int64_t classes = group == "s3" ? 6 : group == "a4" ? 12 : group == "s4" ? 24 : group == "s5" ? 120 : 60;
    constexpr std::int64_t specials = 7;
    classOutputs(scope, classes + (scope.boolean("special_tokens") ? specials : 0));
}

BlockSpec spec()
{
    return {
        .id = "word_problem",
        .title = "Word problem",
        .summary = "Group word problem: the running product of a sequence of group elements.",
        .synonyms = {"data", "dataset", "synthetic task", "state tracking", "permutations", "group"},
        .category = Category::Data,
        .outputs = {{"tokens", PortType::Tokens, "Elements of the group."},
                    {"targets", PortType::Targets, "The product of all elements so far."},
                    {"mask", PortType::Mask,
                     "Real (unpadded) steps; all, unless training includes shorter sequences."}},
        .params =
            {choiceParam(
                 "group",
                 {{"s3", "S3: all 6 permutations of three items; the smallest non-commutative group."},
                  {"a4", "A4: the 12 even permutations of four items."},
                  {"s4", "S4: all 24 permutations of four items."},
                  {"a5",
                   "A5: the 60 even permutations of five items; not solvable, so not computable at constant depth."},
                  {"s5", "S5: all 120 permutations of five items."},
                  {"a4xz5", "A4 × Z5: the 60 pairs of an even permutation of four items and a number mod 5."},
                  {"z60", "Z60: addition mod 60; commutative."}},
                 "The group."),
             integerParam("length", 32, 1, 1'000'000, "steps", "Elements per sequence (T)."),
             choiceParam("elements",
                         {{"all", "Any element of the group."},
                          {"swaps", "Transpositions and the identity; for s3, s4 and s5."}},
                         "Elements that occur in sequences."),
             integerParam("repeat", 1, 1, 1'000'000, "steps",
                          "Times each element is repeated; the target is the product at the last repetition, "
                          "which gives more steps per element."),
             flagParam("special_tokens", false,
                       "Start each sequence with [BOS]: seven more classes, as in the published vocabulary."),
             choiceParam("shorter",
                         {{"none", "One length only."},
                          {"two", "Sequences of 2 elements as often."},
                          {"all", "All lengths from 2 on, equally likely."}},
                         "Shorter sequences in training."),
             integerParam("training_sequences", 0, 0, 1'000'000'000, "sequences",
                          "Number of distinct full-length training sequences, reshuffled each epoch; as many per "
                          "shorter length, or all there are. 0: drawn endlessly."),
             inGroup("Validation", integerParam("validation_length", 128, 1, 1'000'000, "steps",
                                                "Elements per validation sequence.")),
             inGroup("Validation",
                     flagParam("held_out", false,
                               "Exclude a fifth of all sequences from training, and validate on that fifth.")),
             inGroup("Validation", evaluationSequencesParam())},
        .infer = infer,
        .provenance = "Merrill, Petty, Sabharwal 2024, arXiv:2404.08819; S3 and S5 as in Siems et al. 2025 "
                      "(DeltaProduct), arXiv:2502.10297."};
}

} // namespace unroll::nodes::word_problem
