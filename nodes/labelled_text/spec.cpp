// SPDX-License-Identifier: GPL-3.0-or-later
#include "nodes/shared/source_parts.h"
#include "nodes/shared/table_format.h"

namespace unroll::nodes::labelled_text {

constexpr double kMostWords = 65'536;

BlockSpec spec()
{
    return {.id = "labelled_text",
            .title = "Labelled text",
            .summary = "Text classification, one label per text, from a CSV or JSON Lines file.",
            .synonyms = {"data", "dataset", "classification", "sentiment", "text and label", "jsonl", "csv",
                         "one label per sequence"},
            .category = Category::Data,
            .outputs = {{"tokens", PortType::Tokens, "The character at each step."},
                        {"targets", PortType::Targets, "The label of the text, at its last character."},
                        {"mask", PortType::Mask, "Real (unpadded) steps; texts differ in length."}},
            .params = withParams(
                labelledParams(
                    recordsParam("A CSV, TSV or JSON Lines file, or a folder by label or by part; empty reads the "
                                 "bundled sentences.",
                                 "bundled sentences"),
                    {textParam("text_column", "Column or key with the texts.", "the longest one"),
                     textParam("label_column", "Column or key with the labels.", "found by name, else by repetition"),
                     choiceParam("unit",
                                 {{"characters", "UTF-8 characters; as many classes as the texts have characters."},
                                  {"bytes", "Bytes: always 256 classes; works for any text."},
                                  {"words", "Words between blanks."}},
                                 "Unit of one step."),
                     countsWith("unit", {"words"},
                                integerParam("vocabulary_limit", 20'000, 3, kMostWords, "words",
                                             "Classes: most frequent words, unknown word and line end.")),
                     integerParam("longest", 256, 1, kLongestSequence, "steps",
                                  "Maximum sequence length; longer texts are truncated.")}),
                layoutParams()),
            .infer = [](InferScope& scope) { labelledOutputs(scope, "tokens"); },
            .provenance = "Text classification, one label per sequence."};
}

} // namespace unroll::nodes::labelled_text
