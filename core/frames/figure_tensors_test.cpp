// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/frames/figure_tensors.h"

#include "core/figure/test_sample_figures.h"
#include "core/frames/figure_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>

namespace unroll {
namespace {

using ::testing::HasSubstr;

Figure again(const Figure& figure)
{
    const auto back = figureFrom(figureTensors(figure));
    EXPECT_TRUE(back) << back.error().text();
    return back.value_or(Figure{});
}

/// Numbers that halves hold: all of it comes back, so that its words and tensors are the same.
TEST(KeptFigure, AllOfItComesBack)
{
    Figure figure = fullFigure();
    figure.panels[0].cells->reach = 1.5;
    figure.panels[0].cells->period = 6.25;
    NumberPools before, after;
    const std::string words = writeJson(figureText(figure, before));
    EXPECT_EQ(writeJson(figureText(again(figure), after)), words);
    const auto one = before.tensors(), two = after.tensors();
    ASSERT_EQ(one.size(), two.size());
    for (std::size_t i = 0; i < one.size(); ++i) {
        ASSERT_EQ(one[i].bytes, two[i].bytes);
        EXPECT_EQ(std::memcmp(one[i].data.get(), two[i].data.get(), one[i].bytes), 0);
    }
    const Figure back = again(figure);
    EXPECT_EQ(back.shows, figure.shows);
    EXPECT_EQ(back.panels[0].x.labels, figure.panels[0].x.labels);
    EXPECT_EQ(back.panels[0].series[0].notes, figure.panels[0].series[0].notes);
    EXPECT_EQ(back.panels[0].cells->units, figure.panels[0].cells->units);
    EXPECT_EQ(back.panels[0].rules[1].at, 0.1);
    EXPECT_EQ(back.panels[0].cells->reach, 1.5);
    EXPECT_EQ(back.panels[0].cells->period, 6.25);
    EXPECT_TRUE(std::isnan(back.panels[0].series[0].y[1]));
    EXPECT_EQ(back.panels[0].series[0].y[2], -kInfinite);
    EXPECT_EQ(back.missing, figure.missing);
}

TEST(KeptFigure, ValuesOfALogarithmicAxisKeepTheirDigits)
{
    FigurePanel panel = panelOf(seriesOf(FigureSeries::Kind::Points, {0, 1, 2}, {1e-13, 1, 1e5}));
    EXPECT_EQ(again(figureOf(panel)).panels[0].series[0].y[0], 0) << "2^-38 of the largest is more than it";
    panel.y.log = true;
    EXPECT_NEAR(again(figureOf(panel)).panels[0].series[0].y[0], 1e-13, 1e-13 / 2048);
}

TEST(KeptFigure, APairOfBytesAValue)
{
    FigurePanel panel = panelOf(seriesOf(FigureSeries::Kind::Line, {0, 1}, {0, 1}));
    panel.cells = FigureCells{.name = "h", .rows = 256, .columns = 96, .values = {}};
    for (int i = 0; i < 256 * 96; ++i)
        panel.cells->values.push_back(std::sin(static_cast<float>(i)));
    std::size_t bytes = 0;
    for (const format::OwnedTensor& tensor : figureTensors(figureOf(panel)))
        bytes += tensor.bytes;
    EXPECT_LT(bytes, 2u * 256 * 96 + 1000);
}

std::vector<format::OwnedTensor> withText(const std::string& words)
{
    std::vector<format::OwnedTensor> tensors;
    for (format::OwnedTensor& tensor : figureTensors(fullFigure()))
        if (tensor.name != "text")
            tensors.push_back(std::move(tensor));
    format::OwnedTensor text{
        "text", format::DType::U8, {std::ssize(words)}, std::make_unique<std::byte[]>(words.size()), words.size()};
    std::memcpy(text.data.get(), words.data(), words.size());
    tensors.push_back(std::move(text));
    return tensors;
}

/// A file may hold anything.
TEST(KeptFigure, WhatIsNoFigureIsRefused)
{
    EXPECT_THAT(figureFrom({}).error().message, HasSubstr("no text"));
    const std::string axes = R"("x":{},"y":{},"height":1)";
    const auto panel = [&](const std::string& members) {
        return R"({"shows":"s","missing":0,"panels":[{"id":"p",)" + axes + "," + members + "}]}";
    };
    EXPECT_TRUE(figureFrom(withText(panel(R"("title":"t")"))));
    for (
        const std::string& words :
        {std::string("{"), std::string("[]"), std::string(R"({"shows":"s"})"),
         std::string(R"({"shows":1,"missing":0})"),
         panel(R"("cells":{"name":"c","rows":2,"columns":2,"scale":0,"values":[0,0,3,0]})"),
         panel(R"("cells":{"name":"c","rows":-1,"columns":-3,"scale":0,"values":[0,0,3,0]})"),
         panel(R"("cells":{"name":"c","rows":1,"columns":3,"scale":9,"values":[0,0,3,0]})"),
         panel(R"("cells":{"name":"c","rows":1,"columns":3,"scale":0,"values":[0,0,9999,0]})"),
         panel(R"("series":[{"name":"s","kind":0,"x":[0,0,3,0],"y":[0,0,2,0]}])"),
         panel(R"("series":[{"name":"s","kind":0,"x":[0,0,2,0],"y":[0,0,2,0],"shade":[0,0,1,0]}])"),
         panel(R"("series":[{"name":"s","kind":0,"x":[0,0,2,0],"y":[0,0,2,0],"notes":["one"]}])"),
         panel(R"("series":5)"), panel(R"("square":"yes")"), panel(R"("rules":[{"at":"soon"}])"),
         std::string(R"({"shows":"s","missing":0,"arrays":[{"name":"a","shape":[4],"values":[0,0,3,0]}]})"),
         std::string(
             R"({"shows":"s","missing":0,"arrays":[{"name":"a","shape":[9000000000000000000,4],"values":[0,0,3,0]}]})"),
         std::string(R"({"shows":"s","missing":0,"arrays":[{"name":"a","shape":[-3],"values":[0,0,3,0]}]})")})
        EXPECT_FALSE(figureFrom(withText(words))) << words;
}

} // namespace
} // namespace unroll
