// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/figure/array_names.h"
#include "core/figure/figure_arrays.h"
#include "core/figure/figure_csv.h"
#include "core/figure/figure_json.h"
#include "core/figure/test_sample_figures.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <map>

namespace unroll {
namespace {

using ::testing::ElementsAre;

FigureSource source()
{
    FigureSource made{};
    made.lens = "state";
    made.title = "State";
    made.node = "lstm";
    made.signal = "h";
    made.settings["order"] = std::string("index");
    made.settings["step"] = std::int64_t(3);
    made.step = 40;
    return made;
}

template <class Value>
std::vector<Value> valuesOf(const format::OwnedTensor& array)
{
    std::vector<Value> values(array.bytes / sizeof(Value));
    if (!values.empty())
        std::memcpy(values.data(), array.data.get(), array.bytes);
    return values;
}

std::map<std::string, const format::OwnedTensor*> byName(const std::vector<format::OwnedTensor>& arrays)
{
    std::map<std::string, const format::OwnedTensor*> named;
    for (const format::OwnedTensor& array : arrays)
        named[array.name] = &array;
    return named;
}

TEST(FigureCsv, HasEverythingALineEach)
{
    EXPECT_EQ(figureCsv(fullFigure()), "part,panel,series,x,y,value,low,high,shade,unit,note\r\n"
                                       "shows,,,,,,,,,,What it shows.\r\n"
                                       "finding,,,,,,,,,,One finding.\r\n"
                                       "missing,,,,,4,,,,,\r\n"
                                       "cell,p,lstm.h,0,0,0.5,,,,7,\r\n"
                                       "cell,p,lstm.h,1,0,-0.25,,,,7,\r\n"
                                       "cell,p,lstm.h,2,0,0,,,,7,\r\n"
                                       "cell,p,lstm.h,0,1,1,,,,4,\r\n"
                                       "cell,p,lstm.h,1,1,NaN,,,,4,\r\n"
                                       "cell,p,lstm.h,2,1,-1,,,,4,\r\n"
                                       "series,p,loss,0,1.5,,1,2,0,5,first\r\n"
                                       "series,p,loss,1,NaN,,2,3,0.5,6,\r\n"
                                       "series,p,loss,2,-Infinity,,3,4,1,7,\"a \"\"quoted\"\", one\"\r\n"
                                       "circle,p,,0,1,2,,,,,ring\r\n"
                                       "rule,p,,1,,,,,,,here\r\n"
                                       "rule,p,,,0.1,,,,,,\r\n"
                                       "label,p,x,0,,,,,,,a\r\n"
                                       "label,p,x,1,,,,,,,ä\r\n"
                                       "label,p,x,2,,,,,,,\"\n\"\r\n"
                                       "table,ranked,unit,,0,,,,,,lstm h 3\r\n"
                                       "table,ranked,AUC,,0,0.99,,,,,0.99\r\n"
                                       "array,,all,0,0,1,,,,,\r\n"
                                       "array,,all,0,1,2,,,,,\r\n"
                                       "array,,all,0,2,3,,,,,\r\n"
                                       "array,,all,0,3,NaN,,,,,\r\n");
}

TEST(FigureCsv, OfNothingHasItsHeader)
{
    EXPECT_EQ(figureCsv({}), "part,panel,series,x,y,value,low,high,shade,unit,note\r\nshows,,,,,,,,,,\r\n"
                             "missing,,,,,0,,,,,\r\n");
}

TEST(FigureJson, HasItsFindingsWhereThereAreNone)
{
    const Json json = figureJson({}, source());
    ASSERT_NE(json.find("findings"), nullptr);
    ASSERT_NE(json.find("findings")->asArray(), nullptr);
    EXPECT_TRUE(json.find("findings")->asArray()->empty());
}

TEST(FigureJson, HasTheMembersOfTheFigure)
{
    EXPECT_EQ(writeJson(figureJson(fullFigure(), source()), 1 << 20), R"({
  "lens": "state",
  "title": "State",
  "node": "lstm",
  "signal": "h",
  "settings": {"order": "index", "step": 3},
  "training_step": 40,
  "shows": "What it shows.",
  "missing": 4,
  "findings": [
    "One finding."
  ],
  "panels": [
    {
      "id": "p",
      "title": "A panel",
      "x": {
        "title": "step",
        "steps": true,
        "labels": [
          "a",
          "ä",
          "\n"
        ]
      },
      "y": {"title": ""},
      "cells": {
        "name": "lstm.h",
        "rows": 2,
        "columns": 3,
        "scale": "bounded",
        "units": [7, 4],
        "values": [
          [0.5, -0.25, 0.0],
          [1.0, null, -1.0]
        ]
      },
      "series": [
        {
          "name": "loss",
          "kind": "line",
          "x": [0.0, 1.0, 2.0],
          "y": [1.5, null, null],
          "low": [1.0, 2.0, 3.0],
          "high": [2.0, 3.0, 4.0],
          "units": [5, 6, 7],
          "shade": [0.0, 0.5, 1.0],
          "notes": [
            "first",
            "",
            "a \"quoted\", one"
          ]
        }
      ],
      "circles": [
        {"x": 0.0, "y": 1.0, "radius": 2.0, "label": "ring"}
      ],
      "rules": [
        {"x": 1.0, "label": "here"},
        {"y": 0.1}
      ]
    }
  ],
  "tables": [
    {
      "id": "ranked",
      "title": "Ranked",
      "columns": [
        "unit",
        "AUC"
      ],
      "rows": [
        {
          "cells": [
            "lstm h 3",
            "0.99"
          ],
          "node": "lstm",
          "signal": "h",
          "units": [3],
          "step": 12
        }
      ]
    }
  ],
  "arrays": [
    {"name": "all", "shape": [2, 2, 1], "values": [1.0, 2.0, 3.0, null]}
  ]
})");
}

TEST(FigureJson, OfNothingIsStillOne)
{
    EXPECT_EQ(writeJson(figureJson({}, {}), 0), R"({"lens": "", "title": "", "settings": {}, "training_step": 0, )"
                                                R"("shows": "", "missing": 0, "findings": []})");
}

TEST(FigureArrays, AreNamedAndShaped)
{
    const auto arrays = figureArrays(fullFigure(), source());
    std::vector<std::string> names;
    for (const format::OwnedTensor& array : arrays)
        names.push_back(array.name);
    EXPECT_THAT(names, ElementsAre("missing", "training_step", "p.lstm.h", "p.lstm.h.units", "p.loss.x", "p.loss.y",
                                   "p.loss.low", "p.loss.high", "p.loss.shade", "p.loss.units", "p.circles", "p.rules",
                                   "all"));
    const auto named = byName(arrays);
    EXPECT_THAT(named.at("p.lstm.h")->shape, ElementsAre(2, 3));
    EXPECT_EQ(named.at("p.lstm.h")->dtype, format::DType::F32);
    EXPECT_EQ(valuesOf<float>(*named.at("p.lstm.h"))[3], 1.0f);
    EXPECT_TRUE(std::isnan(valuesOf<float>(*named.at("p.lstm.h"))[4]));
    EXPECT_THAT(valuesOf<std::int64_t>(*named.at("p.lstm.h.units")), ElementsAre(7, 4));
    EXPECT_EQ(named.at("p.loss.y")->dtype, format::DType::F64);
    EXPECT_EQ(valuesOf<double>(*named.at("p.loss.y"))[2], -kInfinite);
    EXPECT_THAT(valuesOf<double>(*named.at("p.circles")), ElementsAre(0, 1, 2));
    EXPECT_THAT(valuesOf<double>(*named.at("p.rules")), ElementsAre(1, 1, 0, 0.1));
    EXPECT_THAT(named.at("all")->shape, ElementsAre(2, 2, 1));
    EXPECT_TRUE(named.at("missing")->shape.empty());
    EXPECT_THAT(valuesOf<std::int64_t>(*named.at("missing")), ElementsAre(4));
    EXPECT_THAT(valuesOf<std::int64_t>(*named.at("training_step")), ElementsAre(40));
    EXPECT_FALSE(format::tensorsFault([&] {
        std::vector<format::TensorView> views;
        for (const format::OwnedTensor& array : arrays)
            views.push_back(array.view());
        return views;
    }()));
}

TEST(FigureArrays, NamesAreHarmlessAndComeOnce)
{
    ArrayNames names;
    EXPECT_EQ(names.take("p", "a", "x"), "p.a");
    EXPECT_EQ(names.take("p", "a", "x"), "p.a_2");
    EXPECT_EQ(names.take("p", "a", "x"), "p.a_3");
    EXPECT_EQ(names.take("p", "", "series"), "p.series");
    EXPECT_EQ(names.take("", "all", "x"), "all");
    EXPECT_EQ(names.take("p", "../b/c\n", "x"), "p._._b_c_");
    EXPECT_EQ(names.take("p", "bad\xff", "x"), "p.bad_");
    EXPECT_EQ(names.take("p", std::string(3000, 'n'), "x").size(), 200U);
    ArrayNames more;
    for (const char* name : {"..", "...", "a..b", "/", "\x01"})
        EXPECT_FALSE(format::tensorNameFault(more.take("p", name, "x"))) << name;
}

} // namespace
} // namespace unroll
