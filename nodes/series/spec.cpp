// SPDX-License-Identifier: GPL-3.0-or-later
#include "nodes/shared/source_parts.h"
#include "nodes/shared/table_format.h"

namespace unroll::nodes::series {

/// The columns are in the file: without facts about it the shapes stay unknown.
static void infer(InferScope& scope)
{
    scope.output("mask", {.type = PortType::Mask});
    const SourceFacts* facts = readableFacts(scope);
    if (facts == nullptr)
        return;
    scope.output("features", sequenceOf(facts->inputs));
    scope.output("targets", {.type = PortType::TargetValues,
                             .width = facts->targets,
                             .ahead = scope.integer("horizon") > 0,
                             .shares = facts->shares});
}

static ParamSpec tableParam(std::string name, std::string help, std::string whenEmpty)
{
    ParamSpec param = pathParam(std::move(name), std::move(help), std::move(whenEmpty));
    param.suffixes = {"csv", "tsv", "dat"};
    return param;
}

BlockSpec spec()
{
    return {
        .id = "series",
        .title = "Series",
        .summary = "Time series forecasting from a CSV table: predict the values `horizon` rows ahead.",
        .synonyms = {"data", "dataset", "csv", "time series", "forecast", "regression", "numbers", "table"},
        .category = Category::Data,
        .outputs = {sequencePort("The input columns of each row, normalised.", "features"),
                    {"targets", PortType::TargetValues, "The target columns, `horizon` rows later."},
                    {"mask", PortType::Mask, "Real (unpadded) steps; the end of a part may be padded."}},
        .params = withTableFormat(
            {tableParam("file", "A CSV file, the oldest row first; empty reads the built-in waves.", "built-in waves"),
             textParam("input_columns", "Columns to read: names separated by commas; empty: all numeric columns.",
                       "all numeric columns"),
             textParam("target_columns", "Columns to forecast, in the same form.", "all numeric columns"),
             integerParam("horizon", 1, 0, kLongestWindow, "rows", "Rows ahead of the targets; 0: the same row."),
             choiceParam("normalisation",
                         {{"standard", "To mean 0 and standard deviation 1."},
                          {"min-max", "To 0..1; later rows may lie outside."},
                          {"none", "As in the file."}},
                         "Normalisation of each column, with statistics of the training part only."),
             unscaledColumnsParam(),
             choiceParam("order",
                         {{"windows", "Random windows; the state starts at zero."},
                          {"streams", "Each batch continues the previous one; the state is carried over."}},
                         "How batches are drawn from the rows."),
             integerParam("steps", 64, 1, kLongestWindow, "steps",
                          "Steps per batch (T), the length of truncated backpropagation through time."),
             inGroup("Validation", realParam("validation_fraction", 0.2, 0.001, 0.9,
                                             "Fraction of the rows for validation, after the training part.")),
             inGroup("Validation", tableParam("validation_file",
                                              "Separate validation file with the same columns; empty: split the rows.",
                                              "table's end")),
             inGroup("Test",
                     realParam("test_fraction", 0, 0, 0.9,
                               "Fraction of the rows for the test, at the end; not used in training or validation.")),
             inGroup("Test", tableParam("test_file", "Separate test file with the same columns; empty: split the rows.",
                                        "table's end")),
             inGroup(kTableFormat, choiceParam("row_order",
                                               {{"file", "The first row is the oldest."},
                                                {"reversed", "The last row is the oldest."},
                                                {"auto", "Decided from a column of dates or timestamps."}},
                                               "Order of the rows in time."))}),
        .infer = infer,
        .unscaledParam = "unscaled_columns",
        .provenance = "Window-based forecasting, split in time. Cells are parsed by libcsv (RFC 4180, slightly "
                      "extended); the table format is detected from all rows."};
}

} // namespace unroll::nodes::series
