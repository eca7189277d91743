// SPDX-License-Identifier: GPL-3.0-or-later
#include "nodes/shared/source_parts.h"
#include "nodes/shared/table_format.h"

namespace unroll::nodes::labelled_series {

BlockSpec spec()
{
    return {.id = "labelled_series",
            .title = "Labelled series",
            .summary = "Series of numbers with one label each, of a table: the label is asked for at the end.",
            .synonyms = {"data", "dataset", "classification", "time series", "series and class", "csv",
                         "one label a sequence"},
            .category = Category::Data,
            .outputs = {sequencePort("The numbers at each step, normalised.", "features"),
                        {"targets", PortType::Targets, "The series' label, at its last step."},
                        {"mask", PortType::Mask, "Real steps: series differ in length."}},
            .params = withTableFormat(labelledParams(
                recordsParam("A CSV, TSV or JSON Lines file; empty reads the built-in chirps.", "built-in chirps"),
                {textParam("label_column", "The column of the labels.", "found by name, else by repetition"),
                 textParam("id_column",
                           "Rows that have the same in it are the steps of one series; -: each row is a series.",
                           "found by name, else each row is a series"),
                 textParam("input_columns", "Columns to read, by name with commas between.", "all numbers"),
                 choiceParam("normalisation",
                             {{"standard", "To mean 0 and deviation 1."},
                              {"min-max", "To 0..1; later series may lie outside."},
                              {"none", "As it stands in the file."}},
                             "What becomes of each column, by its training part alone."),
                 integerParam("longest", 1000, 1, kLongestSequence, "steps",
                              "Steps of a sequence at most; what a series has beyond it is left out.")})),
            .infer = [](InferScope& scope) { labelledOutputs(scope, "features"); },
            .provenance = "One label a sequence, as in time series classification."};
}

} // namespace unroll::nodes::labelled_series
