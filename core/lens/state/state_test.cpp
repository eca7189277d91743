// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/lens/packing.h"
#include "core/lens/state/state.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>

namespace unroll {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using Rows = std::vector<std::int64_t>;

constexpr float kStateNaN = std::numeric_limits<float>::quiet_NaN();
constexpr float kStateInf = std::numeric_limits<float>::infinity();

SignalFrame signalWith(std::int64_t steps, std::int64_t width, std::vector<float> values,
                       SignalKind look = SignalKind::Signed)
{
    return {"lstm", "c", look, steps, width, std::move(values)};
}

std::shared_ptr<const LensFrame> asked(const SignalFrame& frame, const std::string& order, const std::string& scale)
{
    const LensQuery query{"state", "lstm", "c", {{"order", order}, {"scale", scale}}};
    const ProbeFrame look{.step = 3, .characters = {}, .signalFrames = {frame}};
    return frameOf({.look = look}, query);
}

SignalFrame noise(std::int64_t steps, std::int64_t width, unsigned seed)
{
    std::mt19937 random(seed);
    std::normal_distribution<float> draw;
    std::vector<float> values(static_cast<std::size_t>(steps * width));
    for (float& value : values)
        value = draw(random);
    return signalWith(steps, width, std::move(values));
}

double correlation(const HeatCells& cells, std::int64_t a, std::int64_t b)
{
    double meanA = 0, meanB = 0, ab = 0, aa = 0, bb = 0;
    const auto value = [&](std::int64_t t, std::int64_t unit) { return static_cast<double>(cells.at(t, unit)); };
    for (std::int64_t t = 0; t < cells.steps; ++t) {
        meanA += value(t, a) / static_cast<double>(cells.steps);
        meanB += value(t, b) / static_cast<double>(cells.steps);
    }
    for (std::int64_t t = 0; t < cells.steps; ++t) {
        const double x = value(t, a) - meanA, y = value(t, b) - meanB;
        ab += x * y;
        aa += x * x;
        bb += y * y;
    }
    return ab / std::sqrt(aa * bb);
}

/// The same by the definition: the two clusters join whose leaves are nearest on average, and their nearest ends meet.
Rows plainSimilarRows(const HeatCells& cells)
{
    const auto apart = [&](std::int64_t a, std::int64_t b) { return 1 - correlation(cells, a, b); };
    std::vector<Rows> clusters;
    for (std::int64_t unit = 0; unit < cells.width; ++unit)
        clusters.push_back({unit});
    while (clusters.size() > 1) {
        std::size_t first = 0, second = 1;
        double least = std::numeric_limits<double>::infinity();
        for (std::size_t i = 0; i < clusters.size(); ++i)
            for (std::size_t j = i + 1; j < clusters.size(); ++j) {
                double sum = 0;
                for (const std::int64_t a : clusters[i])
                    for (const std::int64_t b : clusters[j])
                        sum += apart(a, b);
                sum /= static_cast<double>(clusters[i].size() * clusters[j].size());
                if (sum < least) {
                    least = sum;
                    first = i;
                    second = j;
                }
            }
        Rows best;
        double nearest = std::numeric_limits<double>::infinity();
        for (const auto& [turnA, turnB] : {std::pair{false, false}, {false, true}, {true, false}, {true, true}}) {
            Rows a = clusters[first], b = clusters[second];
            if (turnA)
                std::reverse(a.begin(), a.end());
            if (turnB)
                std::reverse(b.begin(), b.end());
            if (apart(a.back(), b.front()) < nearest) {
                nearest = apart(a.back(), b.front());
                best = a;
                best.insert(best.end(), b.begin(), b.end());
            }
        }
        clusters[first] = best;
        clusters.erase(clusters.begin() + static_cast<std::ptrdiff_t>(second));
    }
    if (!clusters.empty() && clusters[0].front() > clusters[0].back())
        std::reverse(clusters[0].begin(), clusters[0].end());
    return clusters.empty() ? Rows{} : clusters[0];
}

TEST(State, SimilarityIsThatOfPlainLoops)
{
    for (const auto& [steps, width] : {std::pair<std::int64_t, std::int64_t>{7, 1}, {5, 2}, {9, 3}, {13, 17}, {40, 33}})
        for (unsigned seed = 0; seed < 5; ++seed) {
            const HeatCells cells = heatCells(noise(steps, width, seed));
            EXPECT_EQ(similarRows(cells), plainSimilarRows(cells)) << steps << " x " << width << ", seed " << seed;
        }
}

TEST(State, SimilarityFindsFamilies)
{
    // Units 0, 3, 5 are one wave at three sizes, 1 and 4 another; 2 does not change, 6 has a hole.
    std::vector<float> values;
    for (int t = 0; t < 24; ++t) {
        const auto wave = static_cast<float>(std::sin(t)), other = static_cast<float>(std::cos(1.7 * t));
        values.insert(values.end(),
                      {wave, other, 0.3f, 30 * wave + 1, 0.01f * other, -4 + 2 * wave, t == 3 ? kStateNaN : wave});
    }
    const Rows rows = unitRows(heatCells(signalWith(24, 7, values)), UnitOrder::Similarity);
    ASSERT_EQ(rows.size(), 7u);
    EXPECT_EQ(rows[5], 2);
    EXPECT_EQ(rows[6], 6);
    Rows first(rows.begin(), rows.begin() + 3), last(rows.begin() + 2, rows.begin() + 5);
    std::sort(first.begin(), first.end());
    std::sort(last.begin(), last.end());
    EXPECT_TRUE(first == (Rows{0, 3, 5}) || last == (Rows{0, 3, 5})) << ::testing::PrintToString(rows);
}

TEST(State, OddSizesHaveAnOrder)
{
    EXPECT_EQ(similarRows(HeatCells{}), Rows{});
    EXPECT_THAT(similarRows(heatCells(noise(1, 4, 1))), ElementsAre(0, 1, 2, 3)); // one step: nothing changes
    EXPECT_EQ(similarRows(heatCells(signalWith(3, 1, {1, 2, 3}))), Rows{0});
    const HeatCells many = heatCells(noise(1, kMostSimilar + 1, 1));
    EXPECT_THAT(orderFault(many, UnitOrder::Similarity), HasSubstr("at most 1024 units"));
    EXPECT_EQ(unitRows(many, UnitOrder::Similarity), unitRows(many, UnitOrder::Index));
    EXPECT_EQ(orderFault(many, UnitOrder::Peak), "");
}

TEST(State, ScalesAreThoseOfPlainLoops)
{
    SignalFrame frame = noise(31, 5, 4);
    for (std::size_t i = 0; i < frame.values.size(); i += 5)
        frame.values[i] = 1000 + 0.01f * frame.values[i]; // a small deviation about a large mean
    frame.values[7] = kStateNaN;
    frame.values[12] = kStateInf;
    const HeatCells cells = heatCells(frame), own = scaled(cells, UnitScale::Unit),
                    standard = scaled(cells, UnitScale::Standardised);
    for (std::int64_t unit = 0; unit < 5; ++unit) {
        double largest = 0, mean = 0, squares = 0, count = 0;
        for (std::int64_t t = 0; t < 31; ++t)
            if (const auto value = static_cast<double>(cells.at(t, unit)); std::isfinite(value)) {
                largest = std::max(largest, std::abs(value));
                mean += value;
                ++count;
            }
        mean /= count;
        for (std::int64_t t = 0; t < 31; ++t)
            if (const auto value = static_cast<double>(cells.at(t, unit)); std::isfinite(value))
                squares += (value - mean) * (value - mean);
        for (std::int64_t t = 0; t < 31; ++t) {
            const auto value = static_cast<double>(cells.at(t, unit));
            if (!std::isfinite(value)) {
                EXPECT_FALSE(std::isfinite(own.at(t, unit)) || std::isfinite(standard.at(t, unit)));
                continue;
            }
            EXPECT_NEAR(static_cast<double>(own.at(t, unit)), value / largest, 1e-7);
            EXPECT_NEAR(static_cast<double>(standard.at(t, unit)), (value - mean) / std::sqrt(squares / count), 1e-5);
        }
    }
    EXPECT_EQ(scaled(cells, UnitScale::Shared).values.size(), cells.values.size());
}

/// One unit at 30 hides no other; units that do not change, or have no number, are not division by zero.
TEST(State, ALargeUnitHidesNoOther)
{
    const HeatCells cells = heatCells(signalWith(2, 5, {30, 0.1f, 0, 0.7f, kStateNaN, -15, -0.2f, 0, 0.7f, kStateNaN}));
    const HeatCells own = scaled(cells, UnitScale::Unit);
    EXPECT_FLOAT_EQ(own.at(0, 0), 1);
    EXPECT_FLOAT_EQ(own.at(1, 0), -0.5f);
    EXPECT_FLOAT_EQ(own.at(0, 1), 0.5f);
    EXPECT_FLOAT_EQ(own.at(1, 1), -1);
    EXPECT_EQ(own.at(0, 2), 0);
    EXPECT_FLOAT_EQ(own.at(1, 3), 1);
    EXPECT_TRUE(std::isnan(own.at(0, 4)));
    const HeatCells standard = scaled(cells, UnitScale::Standardised);
    EXPECT_FLOAT_EQ(standard.at(0, 0), 1);
    EXPECT_FLOAT_EQ(standard.at(1, 0), -1);
    EXPECT_EQ(standard.at(0, 3), 0); // does not change
    EXPECT_TRUE(std::isnan(standard.at(0, 4)));
}

TEST(State, TheFigureIsOrderedAndScaledAndHasTheValuesAsTheyWere)
{
    // Unit 0 is small, 1 large, 2 has a hole.
    const auto frame = asked(signalWith(2, 3, {0.5f, 4, kStateNaN, -1, 8, 0}), "mean", "unit");
    ASSERT_TRUE(frame->data) << frame->trouble;
    const Figure figure = frame->data->figure();
    EXPECT_THAT(figure.shows, HasSubstr("largest mean size on top"));
    EXPECT_THAT(figure.shows, HasSubstr("divided by its own largest |value|"));
    EXPECT_EQ(figure.missing, 1);
    const FigureCells& cells = *figure.panels.front().cells;
    EXPECT_EQ(cells.rows, 3);
    EXPECT_EQ(cells.columns, 2);
    EXPECT_EQ(cells.scale, FigureCells::Scale::Bounded);
    EXPECT_THAT(cells.units, ElementsAre(1, 0, 2));
    EXPECT_THAT(figure.panels.front().y.labels, ElementsAre("1", "0", "2"));
    EXPECT_THAT(std::vector<float>(cells.values.begin(), cells.values.begin() + 4), ElementsAre(0.5f, 1, 0.5f, -1));
    EXPECT_TRUE(std::isnan(cells.values[4]));
    EXPECT_EQ(cells.values[5], 0);
    ASSERT_EQ(figure.arrays.size(), 3u);
    EXPECT_EQ(figure.arrays[0].name, "raw");
    EXPECT_THAT(figure.arrays[0].shape, ElementsAre(2, 3));
    EXPECT_EQ(figure.arrays[0].values[4], 8);
    EXPECT_EQ(figure.arrays[2].name, "size");
    EXPECT_THAT(figure.arrays[2].values, ElementsAre(1, 8, 1));
    const Figure plain = asked(signalWith(2, 3, {0.5f, 4, 2, -1, 8, 0}), "index", "shared")->data->figure();
    EXPECT_THAT(plain.panels.front().cells->values, ElementsAre(0.5f, -1, 4, 8, 2, 0));
    EXPECT_EQ(plain.arrays.size(), 1u);
}

TEST(State, ComplexStatesHaveSizeAndPhase)
{
    const auto frame =
        asked(signalWith(2, 4, {3, 4, 0, -2, 0, 0, kStateNaN, 1}, SignalKind::Complex), "mean", "shared");
    const Figure figure = frame->data->figure();
    ASSERT_EQ(figure.panels.size(), 2u);
    EXPECT_THAT(figure.panels[0].cells->units, ElementsAre(0, 1));
    EXPECT_EQ(figure.panels[0].cells->values[0], 5);
    EXPECT_EQ(figure.panels[1].id, "phase");
    EXPECT_FLOAT_EQ(figure.panels[1].cells->values[0], std::atan2(4.0f, 3.0f));
    EXPECT_FLOAT_EQ(figure.panels[1].cells->values[2], -std::acos(-1.0f) / 2);
    EXPECT_TRUE(std::isnan(figure.panels[1].cells->values[3]));
    EXPECT_THAT(figure.arrays[0].shape, ElementsAre(2, 2, 2));
}

TEST(State, MatricesAndAttentionKeepTheirShape)
{
    SignalFrame matrices = signalWith(2, 8, std::vector<float>(16, 0.5f), SignalKind::Matrix);
    matrices.rows = matrices.columns = 2;
    EXPECT_THAT(asked(matrices, "index", "unit")->data->figure().arrays[0].shape, ElementsAre(2, 2, 2, 2));
    matrices.columns = 4;
    EXPECT_THAT(asked(matrices, "index", "unit")->data->figure().arrays[0].shape, ElementsAre(2, 1, 2, 4));
    const SignalFrame attention = signalWith(2, 4, {0.1f, 0.9f, 0.4f, 0.6f, 0.5f, 0.5f, 1, 0}, SignalKind::Attention);
    const Figure figure = asked(attention, "index", "standardised")->data->figure();
    EXPECT_THAT(figure.arrays[0].shape, ElementsAre(2, 2, 2));
    EXPECT_EQ(figure.panels[0].cells->values[0], 0.1f); // rows of attention are not units: as they are
    EXPECT_EQ(figure.arrays.size(), 1u);
    EXPECT_THAT(asked(attention, "mean", "shared")->trouble, HasSubstr("go by head and step"));
}

TEST(State, NothingIsAnswered)
{
    EXPECT_THAT(asked(signalWith(0, 0, {}), "similarity", "standardised")->data->figure().panels.front().cells->values,
                ::testing::IsEmpty());
    const ProbeFrame empty;
    EXPECT_THAT(frameOf({.look = empty}, {"state", "lstm", "c", {}})->trouble, HasSubstr("did not show"));
}

TEST(State, ItsFigureSaysWhatTheLookWas)
{
    for (const auto& [look, width, rows, columns] : {std::tuple(SignalKind::Signed, 4, 0, 0),
                                                     {SignalKind::Bounded, 4, 0, 0},
                                                     {SignalKind::Gate, 4, 0, 0},
                                                     {SignalKind::Complex, 4, 0, 0},
                                                     {SignalKind::Matrix, 18, 3, 3},
                                                     {SignalKind::Matrix, 12, 3, 2},
                                                     {SignalKind::Attention, 6, 0, 0}}) {
        SignalFrame frame = noise(3, width, 4);
        frame.look = look;
        frame.rows = rows;
        frame.columns = columns;
        frame.axes.row = look == SignalKind::Matrix ? "key" : "row";
        frame.values[1] = kStateNaN;
        StateData data;
        data.look = {.step = 12, .characters = {"a", "b", "c"}, .signalFrames = {frame}, .of = "the start"};
        const auto back = lookOf(data.figure(), {"state", "lstm", "c", {}}, 12, "the start");
        ASSERT_TRUE(back) << static_cast<int>(look);
        const SignalFrame& again = back->signalFrames.at(0);
        EXPECT_EQ(again.look, look);
        EXPECT_EQ(again.rows, rows);
        EXPECT_EQ(again.columns, columns);
        EXPECT_EQ(again.axes, frame.axes);
        EXPECT_EQ(again.steps, 3);
        EXPECT_EQ(again.width, width);
        EXPECT_TRUE(std::isnan(again.values[1]));
        EXPECT_TRUE(std::equal(frame.values.begin() + 2, frame.values.end(), again.values.begin() + 2));
        EXPECT_EQ(back->characters, data.look.characters);
        EXPECT_EQ(back->step, 12);
        EXPECT_EQ(back->of, "the start");
        EXPECT_EQ(again.node, "lstm");
    }
    EXPECT_FALSE(lookOf(Figure{}, {"state"}, 0, ""));
}

/// Looks that were kept before matrices could be other than square have no number of columns.
TEST(State, MatricesThatWereKeptWithoutColumnsAreSquare)
{
    SignalFrame frame = signalWith(1, 8, {1, 2, 3, 4, 5, 6, 7, 8}, SignalKind::Matrix);
    frame.rows = frame.columns = 2;
    const LensPacking* packing = findLensPacking("state");
    ASSERT_NE(packing, nullptr);
    BlockWriter blocks;
    const Json packed = packing->pack(*asked(frame, "index", "shared")->data, blocks);
    Json older{JsonObject{}};
    for (const auto& [name, value] : *packed.asObject()) {
        if (name != "signal") {
            older.add(name, value);
            continue;
        }
        Json signal{JsonObject{}};
        for (const auto& [part, number] : *value.asObject())
            if (part != "columns")
                signal.add(part, number);
        older.add(name, std::move(signal));
    }
    std::string fault;
    const BlockReader reader(blocks.bytes());
    const auto read = std::dynamic_pointer_cast<const StateData>(packing->unpack(MemberReader(older, reader, fault)));
    EXPECT_EQ(fault, "");
    ASSERT_TRUE(read);
    EXPECT_EQ(read->look.signalFrames.at(0).columns, 2);
}

} // namespace
} // namespace unroll
