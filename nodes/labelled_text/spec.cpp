// SPDX-License-Identifier: GPL-3.0-or-later
#include "nodes/shared/source_parts.h"
#include "nodes/shared/table_format.h"

namespace unroll::nodes::labelled_text {

BlockSpec spec()
{
    return {
        .id = "labelled_text",
        .title = "Labelled text",
        .summary = "Texts with one label each, of a CSV or JSON Lines file: the label is asked for at the end.",
        .synonyms = {"data", "dataset", "classification", "sentiment", "text and label", "jsonl", "csv",
                     "one label a sequence"},
        .category = Category::Data,
        .outputs = {{"tokens", PortType::Tokens, "The character at each step."},
                    {"targets", PortType::Targets, "The text's label, at its last character."},
                    {"mask", PortType::Mask, "Real steps: texts differ in length."}},
        .params = withParams(
            labelledParams(
                recordsParam("A CSV, TSV or JSON Lines file; empty reads the bundled sentences.", "bundled sentences"),
                {textParam("text_column", "The column or key of the texts.", "the longest one"),
                 textParam("label_column", "The column or key of the labels.", "found by name, else by repetition"),
                 choiceParam("unit",
                             {{"characters", "A UTF-8 character of those in the texts: as many classes as there are."},
                              {"bytes", "A byte: always 256 classes, and any text fits."}},
                             "What one step reads."),
                 integerParam("longest", 256, 1, kLongestSequence, "steps",
                              "Steps of a sequence at most; what a text has beyond it is left out.")}),
            layoutParams()),
        .infer = [](InferScope& scope) { labelledOutputs(scope, "tokens"); },
        .provenance = "One label a sequence, as in text classification."};
}

} // namespace unroll::nodes::labelled_text
