// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/lens/importance/importance.h"

#include "core/lens/edited_reading.h"
#include "core/lens/probe.h"
#include "tests/support/model_over_classes.h"

#include <ATen/ATen.h>
#include <ATen/core/grad_mode.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <cmath>

namespace unroll::ranking {
namespace {

using ::testing::HasSubstr;
using testing::modelOverClasses;
using testing::someClasses;
using testing::weightOf;

std::shared_ptr<const LensFrame> asked(Model& model, const ProbeText& text, const std::string& node,
                                       const std::string& signal, const std::string& by = "zero")
{
    const ProbeFrame look = probe(model, text, {{node, signal}}, 5);
    return frameOf({look, &model, nullptr, &text, {}}, {"importance", node, signal, {{"replaced_by", by}}});
}

double meanLoss(Model& model, const ProbeText& text)
{
    const at::Tensor told = readPlain(model, sideBySide(text, model, 1)).prediction.select(1, 0).log_softmax(-1);
    double sum = 0;
    for (std::size_t t = 0; t + 1 < text.tokens.size(); ++t)
        sum -= told[static_cast<std::int64_t>(t)][text.tokens[t + 1]].item<double>();
    return sum / static_cast<double>(text.tokens.size() - 1);
}

/// A unit of the state is taken away by hand where all that reads it has zeros for it.
TEST(Importance, IsTheRiseOfTheLossWithoutTheColumnsThatReadTheUnit)
{
    auto model = modelOverClasses("rnn", 6);
    const ProbeText text = someClasses(23);
    const at::NoGradGuard guard;
    weightOf(*model, "head.weight").select(1, 4).zero_();
    weightOf(*model, "rnn.weight_hh_l0").select(1, 4).zero_(); // nobody reads unit 4
    const double plain = meanLoss(*model, text);
    const auto frame = asked(*model, text, "rnn", "h");
    const auto data = dataOf<ImportanceData>(frame);
    ASSERT_NE(data, nullptr) << frame->trouble;
    EXPECT_NEAR(data->loss, plain, 1e-12);
    EXPECT_EQ(data->asking, 22);
    ASSERT_EQ(data->units.size(), 6u);
    for (std::size_t i = 0; i < 6; ++i) {
        const UnitImportance& unit = data->units[i];
        if (i > 0) {
            EXPECT_LE(unit.rise, data->units[i - 1].rise) << "ranked";
        }
        const at::Tensor out = weightOf(*model, "head.weight"), back = weightOf(*model, "rnn.weight_hh_l0");
        const at::Tensor keptOut = out.clone(), keptBack = back.clone();
        out.select(1, unit.unit).zero_();
        back.select(1, unit.unit).zero_();
        EXPECT_NEAR(unit.rise, meanLoss(*model, text) - plain, 1e-12) << unit.unit;
        out.copy_(keptOut);
        back.copy_(keptBack);
        if (unit.unit == 4) {
            EXPECT_NEAR(unit.rise, 0, 1e-14);
        }
    }
    EXPECT_NEAR(meanLoss(*model, text), plain, 0) << "the model is as it was";
    const Figure figure = data->figure();
    EXPECT_THAT(figure.findings.front(), HasSubstr("matters most"));
    EXPECT_EQ(figure.panels[0].series[0].units.front(), data->units.front().unit);
}

TEST(Importance, OfAUnitThatNeverChangesIsNothingBesideItsMean)
{
    auto model = modelOverClasses("gru", 5);
    const ProbeText text = someClasses(15);
    const at::NoGradGuard guard;
    for (const char* name : {"gru.weight_ih_l0", "gru.weight_hh_l0"}) // n of unit 2 is a constant, and z is nearly 0
        for (const std::int64_t gate : {1, 2})
            weightOf(*model, name)[gate * 5 + 2].zero_();
    weightOf(*model, "gru.bias_ih_l0")[5 + 2] = -60;
    weightOf(*model, "gru.bias_hh_l0")[10 + 2] = 0; // which r, not constant, multiplies
    const auto frame = asked(*model, text, "gru", "h", "mean");
    const auto data = dataOf<ImportanceData>(frame);
    ASSERT_NE(data, nullptr) << frame->trouble;
    for (const UnitImportance& unit : data->units)
        if (unit.unit == 2) {
            EXPECT_NEAR(unit.rise, 0, 1e-6) << "the mean is kept in single precision";
        } else {
            EXPECT_GT(std::abs(unit.rise), 1e-6);
        }
}

/// A rise is told by its first digits, however small it is.
TEST(Importance, SmallRisesAreTold)
{
    ImportanceData data;
    data.units = {{3, 4.56e-6}, {1, 2e-7}, {0, 0}, {2, -1.5e-5}};
    data.loss = 2.25;
    data.lossUnit = "nats";
    const Figure figure = data.figure();
    EXPECT_THAT(figure.findings.front(), HasSubstr("goes from 2.25000000 to 2.25000456 nats (+4.56e-06) when"));
    std::vector<std::string> told;
    for (const FigureTable::Row& row : figure.tables.front().rows)
        told.push_back(row.cells.at(1));
    EXPECT_THAT(told, ::testing::ElementsAre("+4.56e-06", "+2e-07", "+0.0000", "-1.5e-05"));
    data.units = {{3, 0.25}, {1, 0.0123456}};
    EXPECT_THAT(data.figure().findings.front(), HasSubstr("goes from 2.2500 to 2.5000 nats (+0.2500) when"));
    EXPECT_EQ(data.figure().tables.front().rows.at(1).cells.at(1), "+0.0123");
}

TEST(Importance, SaysWhyThereIsNone)
{
    auto model = modelOverClasses("lstm", 5);
    const ProbeText text = someClasses(9), one = someClasses(1);
    EXPECT_THAT(asked(*model, one, "lstm", "h")->trouble, HasSubstr("no targets"));
    EXPECT_THAT(asked(*model, text, "lstm", "q")->trouble, HasSubstr("did not show the signal q"));
    EXPECT_EQ(asked(*model, text, "lstm", "f")->trouble, "");
    const at::NoGradGuard guard;
    weightOf(*model, "lstm.bias_ih_l0")[0] = std::nan("");
    const auto data = dataOf<ImportanceData>(asked(*model, text, "lstm", "h"));
    ASSERT_NE(data, nullptr);
    EXPECT_EQ(data->figure().missing, 5) << "counted, not drawn as if it were a number";
}

TEST(Importance, TakesAMomentForTheCharacterModels)
{
    for (const std::int64_t units : {128, 256}) {
        auto model = modelOverClasses("lstm", units, {}, at::kFloat);
        const ProbeText text = someClasses(96);
        const auto begin = std::chrono::steady_clock::now();
        const auto frame = asked(*model, text, "lstm", "h");
        const double took = std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin).count();
        std::printf("importance of %d units of an LSTM, 96 steps: %.0f ms\n", static_cast<int>(units), took);
        EXPECT_EQ(frame->trouble, "");
    }
}

} // namespace
} // namespace unroll::ranking
