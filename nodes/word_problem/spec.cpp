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
        .summary = "Multiply the elements of a group one after the other.",
        .synonyms = {"data", "dataset", "synthetic task", "state tracking", "permutations", "group"},
        .category = Category::Data,
        .outputs = {{"tokens", PortType::Tokens, "Elements of the group."},
                    {"targets", PortType::Targets, "The product of all elements so far."},
                    {"mask", PortType::Mask, "Real steps: all of them, but where training has shorter sequences."}},
        .params =
            {choiceParam(
                 "group",
                 {{"s3", "All 6 permutations of three things: the smallest group where order matters."},
                  {"a4", "The 12 even permutations of four things."},
                  {"s4", "All 24 permutations of four things."},
                  {"a5",
                   "The 60 even permutations of five things: not solvable, so depth does not help a parallel model."},
                  {"s5", "All 120 permutations of five things."},
                  {"a4xz5", "The 60 pairs of an even permutation of four things and one of 5 numbers around a clock."},
                  {"z60", "60 numbers added around a clock: order does not matter."}},
                 "Which group the elements are of."),
             integerParam("length", 32, 1, 1'000'000, "steps", "Elements of a sequence (T)."),
             choiceParam("elements",
                         {{"all", "Any element of the group."},
                          {"swaps", "Of s3, s4 and s5: what exchanges two things, and the identity."}},
                         "What sequences are made of."),
             integerParam("repeat", 1, 1, 1'000'000, "steps",
                          "How often each element is written. Its product is asked for at the last of them: more steps "
                          "to work it out."),
             flagParam("special_tokens", false,
                       "Begin each sequence with a sign of its own: seven classes more, as in the published "
                       "vocabulary."),
             choiceParam("shorter",
                         {{"none", "One length alone."},
                          {"two", "Sequences of 2 elements as often."},
                          {"all", "All lengths from 2 on, equally likely."}},
                         "Which shorter sequences training has besides."),
             integerParam("training_sequences", 0, 0, 1'000'000'000, "sequences",
                          "How many full sequences training has, no two alike, in a new order each epoch; shorter "
                          "lengths have as many, or all there are. 0: drawn without end."),
             inGroup("Validation", integerParam("validation_length", 128, 1, 1'000'000, "steps",
                                                "Elements of a validation sequence.")),
             inGroup("Validation", flagParam("held_out", false,
                                             "Never train on a fifth of all sequences, and take validation from "
                                             "that fifth.")),
             inGroup("Validation", evaluationSequencesParam())},
        .infer = infer,
        .provenance = "Merrill, Petty, Sabharwal 2024, arXiv:2404.08819; S3 and S5 as in Siems et al. 2025 "
                      "(DeltaProduct), arXiv:2502.10297."};
}

} // namespace unroll::nodes::word_problem
