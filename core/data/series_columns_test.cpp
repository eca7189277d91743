// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/data/series_dataset.h"

#include <gtest/gtest.h>

namespace unroll {
namespace {

TEST(SeriesColumns, MayStayAsInTheFile)
{
    const NumberTable table{
        "t.csv", 8, {{"a", {1, 3, 1, 3, 1, 3, 1, 3}}, {"b", {1000, 1001, 1002, 1003, 1004, 1005, 1006, 1007}}}, {}};
    SeriesOptions options;
    options.validationFraction = 0.25;
    options.steps = 2;
    options.targetColumns = "b";
    options.unscaledColumns = " a ";
    const auto made = [&] { return SeriesDataset::fromTable(table, options).value(); };
    const auto data = made();
    EXPECT_EQ(data->scales().inputs.front(), (ColumnScale{"a", 0, 1}));
    EXPECT_EQ(data->scales().inputs.back().shift, data->scales().targets.front().shift);
    EXPECT_NE(data->scales().targets.front().shift, 0) << "the other column is normalised";
    const Batch batch = data->evaluationBatch(Split::Train, 0, 1);
    EXPECT_EQ(batch.features[0], 1);
    EXPECT_EQ(batch.features[2], 3);
    options.unscaledColumns = "b";
    EXPECT_EQ(made()->scales().targets, (std::vector<ColumnScale>{{"b", 0, 1}})) << "targets likewise";
    const auto errorOf = [&](const char* list) {
        options.unscaledColumns = list;
        options.inputColumns = "b";
        return SeriesDataset::fromTable(table, options).error().text();
    };
    EXPECT_EQ(errorOf("a"), "unscaled_columns: no column \"a\" is read or forecast; there is b");
    EXPECT_EQ(errorOf("\"a"), "unscaled_columns: unclosed quote in the list");
}

} // namespace
} // namespace unroll
