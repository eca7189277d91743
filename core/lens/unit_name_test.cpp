// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/lens/unit_name.h"

#include <gtest/gtest.h>

namespace unroll {
namespace {

TEST(UnitNames, AreNumbersOrPlacesInMatrices)
{
    SignalFrame frame{.node = "gla", .signal = "S", .steps = 1, .width = 24};
    EXPECT_EQ(namesOf(frame).of(17), "unit 17");
    EXPECT_EQ(namesOf(frame).brief(17), "17");
    frame.rows = 3;
    frame.columns = 4;
    EXPECT_EQ(namesOf(frame).of(17), "matrix 1, row 1, column 1");
    frame.axes = {.matrix = "head", .row = "key", .column = "value"};
    EXPECT_EQ(namesOf(frame).of(17), "head 1, key 1, value 1");
    EXPECT_EQ(namesOf(frame).brief(11), "head 0, key 2, value 3");
    EXPECT_EQ(namesOf(frame).matrix(1), "head 1");
    EXPECT_EQ(namesOf(frame).place(17), "1, 1, 1");
    EXPECT_EQ(unitHeading(namesOf(frame)), "head, key, value");
    EXPECT_EQ(unitHeading({}), "unit");
}

} // namespace
} // namespace unroll
