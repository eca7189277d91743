// SPDX-License-Identifier: GPL-3.0-or-later
#include "nodes/shared/source_parts.h"

namespace unroll::nodes::text {

/// The alphabet is in the file: without facts about it the shapes stay unknown.
static void infer(InferScope& scope)
{
    scope.output("mask", {.type = PortType::Mask});
    const SourceFacts* facts = readableFacts(scope);
    if (facts == nullptr)
        return;
    scope.output("tokens", {.type = PortType::Tokens, .classes = facts->classes});
    scope.output("targets", {.type = PortType::Targets, .classes = facts->classes, .ahead = true});
}

BlockSpec spec()
{
    return {
        .id = "text",
        .title = "Text",
        .summary = "Language modelling: predict the next character of a text file or of the bundled corpus.",
        .synonyms = {"data", "dataset", "corpus", "language model", "characters", "bytes", "words", "BPE", "enwik8",
                     "WikiText-103", "TinyStories"},
        .category = Category::Data,
        .outputs = {{"tokens", PortType::Tokens, "The character at each step."},
                    {"targets", PortType::Targets, "The next character."},
                    {"mask", PortType::Mask, "Real (unpadded) steps; the end of a text may be padded."}},
        .params =
            {pathParam("file", "A text file of any size, a zip archive or folder of one, or prepared tokens.",
                       "bundled corpus"),
             textParam("text_field", "Field with the text, of a JSON Lines file.", "the file as it is"),
             choiceParam("unit",
                         {{"characters", "UTF-8 characters; as many classes as the text has characters."},
                          {"bytes", "Bytes: always 256 classes; works for any text."},
                          {"words", "Words between blanks; a line end is one, too."}},
                         "Unit of one step."),
             countsWith(
                 "unit", {"words"},
                 integerParam("vocabulary_limit", 0, 0, 1'000'000, "words",
                              "Classes: most frequent words of the training part, unknown word, line end; 0: all.")),
             choiceParam("order",
                         {{"streams", "Each batch continues the previous one; the state is carried over."},
                          {"windows", "Random windows; the state starts at zero."}},
                         "How batches are drawn from the text."),
             integerParam("steps", 64, 1, kLongestWindow, "steps",
                          "Steps per batch (T), the length of truncated backpropagation through time."),
             inGroup("Validation",
                     choiceParam("parts",
                                 {{"published", "As published: files called train, valid and test; enwik8 as 90:5:5."},
                                  {"fractions", "By the fractions below."}},
                                 "How the text is split.")),
             inGroup("Validation", realParam("validation_fraction", 0.1, 0.001, 0.9,
                                             "Fraction of the text for validation, after the training part.")),
             inGroup("Validation", pathParam("validation_file", "Separate validation file; empty: split the text.",
                                             "end of the text")),
             inGroup("Test",
                     realParam("test_fraction", 0, 0, 0.9,
                               "Fraction of the text for the test, at the end; not used in training or validation.")),
             inGroup("Test", pathParam("test_file", "Separate test file; empty: split the text.", "end of the text"))},
        .infer = infer,
        .provenance = "Next-character prediction as in char-rnn; contiguous streams after Mikolov et al. 2010."};
}

} // namespace unroll::nodes::text
