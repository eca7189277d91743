// SPDX-License-Identifier: GPL-3.0-or-later
// The State of a signal of matrices, drawn as such.
#include "core/lens/packing.h"
#include "core/lens/state/state.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

namespace unroll {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

/// Two heads of two keys and three values at three steps; each number says where it stands: step, head, key, value.
SignalFrame heads()
{
    SignalFrame frame{.node = "gla", .signal = "S", .look = SignalKind::Matrix, .steps = 3, .width = 12};
    frame.rows = 2;
    frame.columns = 3;
    frame.axes = {.matrix = "head", .row = "key", .column = "value"};
    for (int step = 0; step < 3; ++step)
        for (int head = 0; head < 2; ++head)
            for (int key = 0; key < 2; ++key)
                for (int value = 0; value < 3; ++value)
                    frame.values.push_back(static_cast<float>(1000 * step + 100 * head + 10 * key + value));
    return frame;
}

std::shared_ptr<const LensFrame> drawn(const SignalFrame& frame, Params settings)
{
    settings["draw"] = std::string("matrices");
    const ProbeFrame look{.characters = {"a", "b", "c"}, .signalFrames = {frame}};
    return frameOf({.look = look}, {"state", "gla", "S", std::move(settings)});
}

TEST(StateMatrices, AreDrawnAHeadEachOnOneScale)
{
    const auto frame = drawn(heads(), {{"step", std::int64_t{1}}});
    ASSERT_TRUE(frame->data) << frame->trouble;
    const Figure figure = frame->data->figure();
    EXPECT_THAT(figure.shows, HasSubstr("S of gla at step 1 (\"b\")"));
    EXPECT_THAT(figure.shows, HasSubstr("a map for each head, a row is a key, a column a value"));
    ASSERT_EQ(figure.panels.size(), 2u);
    EXPECT_EQ(figure.panels[0].title, "head 0");
    EXPECT_EQ(figure.panels[1].id, "head_1");
    for (const FigurePanel& panel : figure.panels) {
        EXPECT_EQ(panel.x.title, "value");
        EXPECT_EQ(panel.y.title, "key");
        EXPECT_EQ(panel.cells->rows, 2);
        EXPECT_EQ(panel.cells->columns, 3);
        EXPECT_EQ(panel.cells->reach, 1112) << "one scale for all";
    }
    EXPECT_THAT(figure.panels[1].cells->values, ElementsAre(1100, 1101, 1102, 1110, 1111, 1112));
    ASSERT_EQ(figure.arrays.size(), 1u);
    EXPECT_THAT(figure.arrays[0].shape, ElementsAre(3, 2, 2, 3)) << "files have every step";
}

TEST(StateMatrices, TheLastStepIsTheUsualOneAndOthersHaveToBeThere)
{
    const auto last = drawn(heads(), {});
    ASSERT_TRUE(last->data) << last->trouble;
    EXPECT_EQ(last->data->figure().panels[0].cells->values.front(), 2000);
    EXPECT_THAT(drawn(heads(), {{"step", std::int64_t{3}}})->trouble, HasSubstr("step 3 is not one of them"));
    SignalFrame plain = heads();
    plain.rows = plain.columns = 0;
    EXPECT_THAT(drawn(plain, {})->trouble, HasSubstr("has no matrices"));
}

TEST(StateMatrices, WhatIsNoNumberSetsNoScale)
{
    SignalFrame frame = heads();
    frame.values.back() = std::numeric_limits<float>::infinity();
    const Figure figure = drawn(frame, {})->data->figure();
    EXPECT_EQ(figure.panels[0].cells->reach, 2111);
    EXPECT_EQ(figure.missing, 1);
}

TEST(StateMatrices, TravelWithTheirNamesAndTheirStep)
{
    const auto frame = drawn(heads(), {{"step", std::int64_t{1}}});
    const LensPacking* packing = findLensPacking("state");
    ASSERT_NE(packing, nullptr);
    BlockWriter blocks;
    const Json packed = packing->pack(*frame->data, blocks);
    std::string fault;
    const BlockReader reader(blocks.bytes());
    const auto read = packing->unpack(MemberReader(packed, reader, fault));
    EXPECT_EQ(fault, "");
    ASSERT_TRUE(read);
    EXPECT_EQ(read->figure().shows, frame->data->figure().shows);
    EXPECT_EQ(read->figure().panels.at(1).cells->values, frame->data->figure().panels[1].cells->values);
}

} // namespace
} // namespace unroll
