// SPDX-License-Identifier: GPL-3.0-or-later
#include "nodes/shared/spec_parts.h"

namespace unroll::nodes::text {

/// Fits in memory beside anything else; the data's own bound is the same.
static constexpr double kLongestWindow = 1'000'000;

/// The alphabet is in the file: without facts about it the shapes stay unknown.
static void infer(InferScope& scope)
{
    scope.output("mask", {.type = PortType::Mask});
    const SourceFacts* facts = scope.facts();
    if (facts == nullptr)
        return;
    if (!facts->error.empty()) {
        scope.error(facts->errorParam, "data", facts->error);
        return;
    }
    scope.output("tokens", {.type = PortType::Tokens, .classes = facts->classes});
    scope.output("targets", {.type = PortType::Targets, .classes = facts->classes, .ahead = true});
}

BlockSpec spec()
{
    return {
        .id = "text",
        .title = "Text",
        .summary = "A text file, or the bundled corpus: at each step the next character is asked for.",
        .synonyms = {"data", "dataset", "corpus", "language model", "characters", "bytes"},
        .category = Category::Data,
        .outputs = {{"tokens", PortType::Tokens, "The character at each step."},
                    {"targets", PortType::Targets, "The character that follows."},
                    {"mask", PortType::Mask, "Real steps; the end of a text may be padded."}},
        .params = {pathParam("file", "A text file of any kind; empty reads the bundled corpus.", "bundled corpus"),
                   choiceParam("unit",
                               {{"characters", "A UTF-8 character of those in the text: as many classes as it has."},
                                {"bytes", "A byte: always 256 classes, and any text fits."}},
                               "What one step reads."),
                   choiceParam("order",
                               {{"streams", "Each batch goes on where the last one ended, and the state is carried."},
                                {"windows", "Each batch starts anywhere, from a state of zeros."}},
                               "How batches are cut from the text."),
                   integerParam("steps", 64, 1, kLongestWindow, "steps",
                                "Steps of a batch (T), and of truncated backpropagation."),
                   inGroup("Validation",
                           realParam("validation_fraction", 0.1, 0.001, 0.9,
                                     "Part of the text, behind what is trained on, that is kept for validation.")),
                   inGroup("Validation",
                           pathParam("validation_file", "A file of its own for validation; empty splits the text.",
                                     "end of the text")),
                   inGroup("Test",
                           realParam("test_fraction", 0, 0, 0.9,
                                     "Part at the very end of the text that neither training nor validation sees.")),
                   inGroup("Test", pathParam("test_file", "A file of its own for the test; empty splits the text.",
                                             "end of the text"))},
        .infer = infer,
        .provenance = "Next-character prediction as in char-rnn; contiguous streams after Mikolov et al. 2010."};
}

} // namespace unroll::nodes::text
