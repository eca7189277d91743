// SPDX-License-Identifier: GPL-3.0-or-later
#include "nodes/shared/source_parts.h"
#include "nodes/shared/table_format.h"

namespace unroll::nodes::labelled_series {

BlockSpec spec()
{
    return {.id = "labelled_series",
            .title = "Labelled series",
            .summary = "Sequence classification of numeric series, one label per series, from a table or JSON Lines.",
            .synonyms = {"data", "dataset", "classification", "time series", "series and class", "csv",
                         "one label per sequence"},
            .category = Category::Data,
            .outputs = {sequencePort("The numbers at each step, normalised.", "features"),
                        {"targets", PortType::Targets, "The label of the series, at its last step."},
                        {"mask", PortType::Mask, "Real (unpadded) steps; series differ in length."}},
            .params = withTableFormat(labelledParams(
                recordsParam("A CSV, TSV or JSON Lines file; empty reads the built-in chirps.", "built-in chirps"),
                {textParam("label_column", "Column with the labels.", "found by name, else by repetition"),
                 textParam("id_column",
                           "Rows with the same value here are the steps of one series; -: each row is a series.",
                           "found by name, else each row is a series"),
                 textParam("input_columns", "Columns to read: names separated by commas.", "all numeric columns"),
                 choiceParam("normalisation",
                             {{"standard", "To mean 0 and standard deviation 1."},
                              {"min-max", "To 0..1; later series may lie outside."},
                              {"none", "As in the file."}},
                             "Normalisation of each column, with statistics of the training part only."),
                 unscaledColumnsParam(),
                 integerParam("longest", 1000, 1, kLongestSequence, "steps",
                              "Maximum sequence length; longer series are truncated.")})),
            .infer = [](InferScope& scope) { labelledOutputs(scope, "features"); },
            .unscaledParam = "unscaled_columns",
            .provenance = "Time series classification, one label per sequence."};
}

} // namespace unroll::nodes::labelled_series
