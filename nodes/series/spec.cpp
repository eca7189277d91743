// SPDX-License-Identifier: GPL-3.0-or-later
#include "nodes/shared/table_format.h"

namespace unroll::nodes::series {

/// Fits in memory beside anything else; the data's own bound is the same.
static constexpr double kLongestWindow = 1'000'000;

/// The columns are in the file: without facts about it the shapes stay unknown.
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
        .summary = "A table of numbers (CSV), or the built-in waves: at each step later numbers are asked for.",
        .synonyms = {"data", "dataset", "csv", "time series", "forecast", "regression", "numbers", "table"},
        .category = Category::Data,
        .outputs = {sequencePort("The input columns of each row, normalised.", "features"),
                    {"targets", PortType::TargetValues, "The target columns, as many rows later as the horizon says."},
                    {"mask", PortType::Mask, "Real steps; the end of a part may be padded."}},
        .params = withTableFormat(
            {tableParam("file", "A CSV file, the oldest row first; empty reads the built-in waves.", "built-in waves"),
             textParam("input_columns", "Columns to read, by name with commas between; empty: all numbers.",
                       "all numbers"),
             textParam("target_columns", "Columns to forecast, likewise.", "all numbers"),
             integerParam("horizon", 1, 0, kLongestWindow, "rows",
                          "How far ahead the targets lie; 0 asks for the same row."),
             choiceParam("normalisation",
                         {{"standard", "To mean 0 and deviation 1."},
                          {"min-max", "To 0..1; later rows may lie outside."},
                          {"none", "As it stands in the file."}},
                         "What becomes of each column, by its training part alone."),
             choiceParam("order",
                         {{"windows", "Each batch starts anywhere, from a state of zeros."},
                          {"streams", "Each batch goes on where the last one ended, and the state is carried."}},
                         "How batches are cut from the rows."),
             integerParam("steps", 64, 1, kLongestWindow, "steps",
                          "Steps of a batch (T), and of truncated backpropagation."),
             inGroup("Validation",
                     realParam("validation_fraction", 0.2, 0.001, 0.9,
                               "Part of the rows, behind what is trained on, that is kept for validation.")),
             inGroup("Validation",
                     tableParam("validation_file",
                                "A file of its own for validation, with the same columns; empty divides the rows.",
                                "table's end")),
             inGroup("Test",
                     realParam("test_fraction", 0, 0, 0.9,
                               "Part of the rows, at the very end, that neither training nor validation sees.")),
             inGroup("Test",
                     tableParam("test_file",
                                "A file of its own for the test, with the same columns; empty divides the rows.",
                                "table's end")),
             inGroup(kTableFormat, choiceParam("row_order",
                                               {{"file", "The first row is the oldest."},
                                                {"reversed", "The last row is the oldest."},
                                                {"auto", "As a column of dates or time stamps says."}},
                                               "Which end of the table is read first."))}),
        .infer = infer,
        .provenance = "Forecasting by windows, divided in time. libcsv finds the cells of a table (RFC 4180, a little "
                      "wider); how it "
                      "is written is decided from all of its rows."};
}

} // namespace unroll::nodes::series
