// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/lens/reading_input.h"
#include "core/lens/spectrum/linear_maps.h"
#include "core/lens/spectrum/test_spectrum.h"

#include <ATen/ops/cat.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/full.h>
#include <ATen/ops/tensor.h>
#include <ATen/ops/zeros.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstdio>
#include <ctime>
#include <limits>

namespace unroll {
namespace {

using testing::blockBetween;
using testing::buildModel;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::lensFrame;
using testing::makeGraph;
using testing::makeNode;
using ::testing::Not;
using testing::textOf;
using testing::weightOf;

using namespace spectrum_test;

TEST(Spectrum, HalfLivesOfForgetGates)
{
    const std::vector<double> lives{1, 10, 100};
    const auto bias = [&](const Model& model, const std::string& name, std::int64_t rows, std::int64_t first,
                          double sign) {
        const at::NoGradGuard values;
        at::Tensor all = weightOf(model, name);
        ASSERT_EQ(all.size(0), rows);
        for (std::int64_t i = 0; i < 3; ++i) {
            const double kept = std::pow(0.5, 1 / lives[static_cast<std::size_t>(i)]);
            all[first + i].fill_(sign * std::log(kept / (1 - kept)));
        }
    };
    const auto lstm = buildModel(blockBetween("lstm", 3, {{"units", std::int64_t{3}}}));
    clear(*lstm, {"lstm.weight_ih_l0", "lstm.weight_hh_l0", "lstm.bias_ih_l0", "lstm.bias_hh_l0"});
    bias(*lstm, "lstm.bias_ih_l0", 12, 3, 1);
    for (const bool inverted : {false, true}) {
        const std::string convention = inverted ? "reset_before_inverted_z" : "reset_after";
        const auto gru = buildModel(blockBetween("gru", 3, {{"units", std::int64_t{3}}, {"convention", convention}}));
        clear(*gru, {"gru.weight_ih_l0", "gru.weight_hh_l0", "gru.bias_ih_l0", "gru.bias_hh_l0"});
        bias(*gru, "gru.bias_ih_l0", 9, 3, inverted ? -1 : 1);
        const auto data = spectrumOf(*gru, "gru");
        EXPECT_EQ(data->halfLives.signal, "z");
        EXPECT_EQ(data->halfLives.inverted, inverted);
        for (std::size_t i = 0; i < 3; ++i)
            EXPECT_NEAR(data->halfLives.median.at(i) / lives[i], 1, 1e-9);
    }
    const auto data = spectrumOf(*lstm, "lstm");
    for (std::size_t i = 0; i < 3; ++i)
        EXPECT_NEAR(data->halfLives.median.at(i) / lives[i], 1, 1e-9);
    const Figure figure = data->figure();
    EXPECT_EQ(figure.panels.back().id, "half_lives");
    EXPECT_THAT(figure.panels.back().series[0].units, ElementsAre(0, 1, 2));
    std::int64_t missing = 0;
    const double none = std::numeric_limits<double>::quiet_NaN();
    const auto few = lenses::spectrum::halfLivesOf("f", false, at::full({1, 2}, none, at::kDouble), missing);
    EXPECT_TRUE(std::isnan(few.median[0]));
    EXPECT_EQ(missing, 2);
    EXPECT_EQ(halfLifeOf(1), std::numeric_limits<double>::infinity());
    EXPECT_EQ(halfLifeOf(0), 0);
}

TEST(Spectrum, ARotationStaysOrthogonal)
{
    const auto model = buildModel(blockBetween(
        "mru", 4, {{"units", std::int64_t{4}}, {"matrix_size", std::int64_t{3}}, {"maker", std::string("cayley")}}));
    set(*model, "mru.state_matrices_up", at::empty({6, 4}, at::kDouble).normal_(0, 1));
    const auto data = spectrumOf(*model, "mru", {}, kRead, "M");
    ASSERT_EQ(data->matrices.size(), 1u);
    const MatrixTrack& track = data->matrices[0];
    EXPECT_EQ(track.signal, "M");
    ASSERT_EQ(track.heads.size(), 2u);
    EXPECT_EQ(std::ssize(track.steps), std::ssize(kRead));
    for (const MatrixTrack::Head& head : track.heads)
        for (std::size_t t = 0; t < kRead.size(); ++t) {
            EXPECT_NEAR(head.condition[t], 1, 1e-9);
            EXPECT_NEAR(head.distance[t], 0, 1e-9);
        }
    EXPECT_NEAR(data->growth.exponent, 0, 1e-9);
    EXPECT_NEAR(data->spectra.at(0).radius(), 1, 1e-9);
    EXPECT_THAT(data->figure().findings.front(), HasSubstr("100 % of 18 eigenvalues"));
    EXPECT_THAT(data->figure().shows, HasSubstr("condition number 1 and distance 0 are a rotation"));
    EXPECT_EQ(spectrumOf(*model, "mru")->matrices.at(0).signal, "H");
}

/// A sum of outer products has as many dimensions as keys were written; its condition number would be rounding.
TEST(Spectrum, MemoriesHaveARank)
{
    const auto model =
        buildModel(blockBetween("mamba2", 4, {{"state_size", std::int64_t{5}}, {"head_size", std::int64_t{2}}}));
    const auto data = spectrumOf(*model, "mamba2");
    const MatrixTrack& track = data->matrices.at(0);
    EXPECT_EQ(track.heads.size(), 4u);
    EXPECT_EQ(track.heads[0].rank.at(0), 1) << "one product after the first step";
    EXPECT_EQ(track.heads[0].rank.at(5), 2);
    EXPECT_FALSE(track.invertible());
    EXPECT_THAT(data->figure().findings, Contains("S: matrices of 5 x 2, of rank 1 to 2 along the reading: singular "
                                                  "values above rounding."));
    const auto wide =
        buildModel(blockBetween("retnet", 6, {{"num_heads", std::int64_t{3}}, {"units", std::int64_t{6}}}));
    EXPECT_EQ(spectrumOf(*wide, "retnet")->matrices.at(0).heads.size(), 3u) << "one of 2 x 4 a head";
}

/// What is remembered is c exp(m), and m is no memory.
TEST(Spectrum, ScaledStatesAreSeenUnscaled)
{
    const auto mlstm = buildModel(
        blockBetween("mlstm", 4, {{"gate_soft_cap", 0.0}, {"num_heads", std::int64_t{2}}, {"units", std::int64_t{6}}}));
    set(*mlstm, "mlstm.igate_preact.weight", at::zeros({2, 4}, at::kDouble));
    set(*mlstm, "mlstm.fgate_preact.weight", at::zeros({2, 4}, at::kDouble));
    set(*mlstm, "mlstm.igate_preact.bias", at::zeros({2}, at::kDouble));
    set(*mlstm, "mlstm.fgate_preact.bias", at::full({2}, std::log(3), at::kDouble)); // kept: 3/4
    const auto data = spectrumOf(*mlstm, "mlstm");
    EXPECT_EQ(data->numbers, 24) << "S and n of both heads, without m";
    for (const auto& value : data->spectra.at(0).eigenvalues)
        EXPECT_NEAR(std::abs(value - 0.75), 0, 1e-6);
    EXPECT_NEAR(data->growth.exponent, std::log(0.75), 1e-6);
    EXPECT_TRUE(data->growth.byUnits);
    EXPECT_THAT(data->figure().shows, HasSubstr("of the numbers before scaling, and m is not among them"));
}

/// From any scale the same numbers come: those of sLSTM without scaling, m = 0, are its own.
TEST(Spectrum, ScaledStatesHaveTheDerivativesOfPlainOnes)
{
    const auto model =
        buildModel(blockBetween("slstm", 4, {{"num_heads", std::int64_t{1}}, {"units", std::int64_t{3}}}));
    const auto plain = [&](const std::vector<double>& numbers, std::int64_t step) { // h, c, n after a step from these
        const at::NoGradGuard values;
        const at::TensorOptions options = weightOf(*model, "slstm.bias").options().requires_grad(false);
        const Value all = at::tensor(numbers, at::kDouble).to(options).view({3, 1, 3}).unbind(0);
        const States states{{"slstm", {all[0], all[1], all[2], at::zeros({1, 3}, options)}}};
        const auto out = model->forward(readingInput(textOf(kRead), step, 1, model->device()), states, {.step = step});
        const Value& after = out.states.at("slstm");
        const at::Tensor scale = after[3].exp();
        return at::cat({after[0], after[1] * scale, after[2] * scale}, 1).to(at::kDouble)[0].clone();
    };
    std::vector<double> numbers(9, 0);
    for (std::int64_t t = 0; t + 1 < std::ssize(kRead); ++t) {
        const at::Tensor after = plain(numbers, t);
        numbers.assign(after.const_data_ptr<double>(), after.const_data_ptr<double>() + 9);
    }
    at::Tensor jacobian = at::empty({9, 9}, at::kDouble);
    for (std::size_t i = 0; i < 9; ++i) {
        const double small = 1e-2;
        auto more = numbers, less = numbers;
        more[i] += small;
        less[i] -= small;
        const std::int64_t last = std::ssize(kRead) - 1;
        jacobian.select(1, static_cast<std::int64_t>(i)).copy_((plain(more, last) - plain(less, last)) / (2 * small));
    }
    const Spectrum wanted = lenses::spectrum::spectrumOf("", "", lenses::spectrum::SparseMap(jacobian),
                                                         lenses::spectrum::SparseMap(jacobian).circles());
    EXPECT_NEAR(spectrumOf(*model, "slstm")->spectra.at(0).radius(), wanted.radius(), 1e-3);
}

TEST(Spectrum, RecurrentWeightsOfEveryForm)
{
    const auto titles = [](const std::string& block, const Params& params) {
        const auto data =
            spectrumOf(*buildModel(blockBetween(block, 4, params)), block, {{"of", std::string("weights")}});
        std::vector<std::string> all;
        for (const Spectrum& each : data->spectra)
            all.push_back(each.title + ": " + std::to_string(each.eigenvalues.size()));
        return all;
    };
    EXPECT_THAT(titles("ind_rnn", {{"units", std::int64_t{5}}}), ElementsAre("weight_hh: 5"));
    EXPECT_THAT(titles("ligru", {{"units", std::int64_t{3}}}),
                ElementsAre("u.weight, rows 0 to 2: 3", "u.weight, rows 3 to 5: 3"));
    EXPECT_THAT(titles("slstm", {{"units", std::int64_t{4}}, {"num_heads", std::int64_t{2}}}),
                ::testing::AllOf(::testing::SizeIs(8), Contains("recurrent_kernel, head 1, rows 2 to 3: 2")));
}

/// Whatever keeps a state is answered without knowing it.
TEST(Spectrum, EveryRecurrentBlock)
{
    const BlockRegistry registry = allSpecs();
    for (const BlockSpec* spec : registry.all()) {
        if (!spec->recurrent)
            continue;
        Params params;
        if (spec->param("units") != nullptr)
            params["units"] = std::int64_t{8};
        if (spec->param("head_size") != nullptr)
            params["head_size"] = std::int64_t{4};
        if (spec->param("num_heads") != nullptr) // some heads are of three values or more
            params["num_heads"] = std::int64_t{2};
        if (spec->param("num_modules") != nullptr)
            params["num_modules"] = std::int64_t{2};
        const auto model = buildModel(blockBetween(spec->id, 8, params), {}, at::kFloat);
        ASSERT_NE(model, nullptr) << spec->id;
        const auto frame = lensFrame(*model, textOf(kRead), {"spectrum", spec->id, {}, {}});
        if (frame->data == nullptr) {
            EXPECT_THAT(frame->trouble, HasSubstr("eigenvalues are taken of 1024 at most")) << spec->id;
            continue;
        }
        const Figure figure = frame->data->figure();
        EXPECT_FALSE(figure.panels.empty()) << spec->id;
        EXPECT_EQ(figure.missing, 0) << spec->id;
        for (const Weight& each : model->weights())
            EXPECT_FALSE(each.tensor.grad().defined()) << "no gradient is left behind";
    }
}

TEST(Spectrum, SaysWhyThereIsNone)
{
    const auto model = buildModel(blockBetween("rnn", 3, {{"units", std::int64_t{3}}}));
    EXPECT_THAT(troubleOf(*model, "head"),
                HasSubstr("no state is kept from step to step by head; nodes that keep one: rnn"));
    EXPECT_THAT(troubleOf(*model, "rrn"), HasSubstr("there is no node named rrn"));
    EXPECT_THAT(troubleOf(*model, "rnn", {{"step", std::int64_t{9}}}), HasSubstr("the reading has 9 steps"));
    EXPECT_EQ(spectrumOf(*model, "")->node, "rnn") << "the first that keeps one";
    const auto both =
        buildModel(makeGraph({makeNode(1, "labelled_text", "data"),
                              makeNode(2, "embedding", "embedding", {{"width", std::int64_t{4}}}),
                              makeNode(3, "rnn", "rnn", {{"units", std::int64_t{3}}, {"bidirectional", true}}),
                              makeNode(4, "pool", "pool"), makeNode(5, "head", "head")},
                             {{{1, "tokens"}, {2, "tokens"}},
                              {{2, "y"}, {3, "x"}},
                              {{3, "y"}, {4, "x"}},
                              {{4, "y"}, {5, "x"}},
                              {{1, "targets"}, {5, "targets"}}}),
                   {.classes = 11, .inputs = 0, .targets = 0, .labels = 3});
    EXPECT_THAT(troubleOf(*both, "rnn"), HasSubstr("reads from both ends"));
    set(*model, "rnn.weight_hh_l0", at::full({3, 3}, std::numeric_limits<double>::quiet_NaN(), at::kDouble));
    const auto bad = spectrumOf(*model, "rnn");
    EXPECT_GT(bad->missing, 0);
    EXPECT_THAT(bad->trouble, HasSubstr("not finite"));
    EXPECT_THAT(troubleOf(*model, "rnn", {{"of", std::string("weights")}}), HasSubstr("not finite"));
}

/// 600 and 1,100 numbers: eigenvalues, and the reason why there are none.
TEST(Spectrum, WideStatesHaveEigenvaluesOrTheReason)
{
    const auto& read = kFew;
    const auto wide = buildModel(blockBetween("rnn", 3, {{"units", std::int64_t{600}}}));
    clear(*wide, {"rnn.weight_ih_l0", "rnn.bias_ih_l0", "rnn.bias_hh_l0"});
    at::Tensor shift = at::zeros({600, 600}, at::kDouble); // unit i + 1 has 0.5 of unit i: eigenvalues on a circle
    for (std::int64_t i = 0; i < 600; ++i)
        shift[(i + 1) % 600][i].fill_(0.5);
    set(*wide, "rnn.weight_hh_l0", shift);
    const auto data = spectrumOf(*wide, "rnn", {}, read);
    EXPECT_EQ(data->trouble, "");
    ASSERT_EQ(data->spectra.at(0).eigenvalues.size(), 600u);
    for (const std::complex<double>& value : data->spectra[0].eigenvalues)
        EXPECT_NEAR(std::abs(value), 0.5, 1e-9);
    EXPECT_NEAR(data->growth.exponent, std::log(0.5), 1e-9);
    const auto wider = buildModel(blockBetween("rnn", 3, {{"units", std::int64_t{1100}}}));
    const auto none = spectrumOf(*wider, "rnn", {}, read);
    EXPECT_TRUE(none->spectra.empty());
    const Figure figure = none->figure();
    EXPECT_THAT(figure.findings, Contains("No eigenvalues: 1100 numbers of the state all depend on each other, and "
                                          "eigenvalues are taken of 1024 at most."));
    EXPECT_THAT(figure.shows, HasSubstr("grows at steps above 0"));
    EXPECT_THAT(figure.shows, Not(HasSubstr("Eigenvalues")));
    EXPECT_EQ(figure.panels.at(0).id, "growth") << "what there is without them";
    EXPECT_THAT(troubleOf(*wider, "rnn", {{"of", std::string("weights")}}),
                HasSubstr("weight_hh_l0, whose 1100 rows are more than the 1024"));
}

/// Row by row is for states whose numbers depend on the same ones; derivatives that are no numbers are said at once.
TEST(Spectrum, AWideStateThatIsNoNumberIsNotTakenRowByRow)
{
    const auto wide = buildModel(blockBetween("rnn", 3, {{"units", std::int64_t{1100}}}));
    weightOf(*wide, "rnn.weight_hh_l0")[4][1].fill_(std::numeric_limits<double>::quiet_NaN());
    EXPECT_EQ(spectrumOf(*wide, "rnn", {}, kFew)->trouble,
              "the state is large: some of its derivatives are not finite");
}

/// One gate that has no eigenvalues is named beside those that have.
TEST(Spectrum, MatricesThatAreLeftOutAreNamed)
{
    const auto model = buildModel(blockBetween("lstm", 3, {{"units", std::int64_t{3}}}));
    weightOf(*model, "lstm.weight_hh_l0")[4][1].fill_(std::numeric_limits<double>::infinity());
    const auto data = spectrumOf(*model, "lstm", {{"of", std::string("weights")}});
    EXPECT_EQ(data->spectra.size(), 3u);
    EXPECT_THAT(data->figure().findings,
                Contains("No eigenvalues of weight_hh_l0, gate f, 1 of whose 9 elements are not finite."));
}

TEST(Spectrum, IsMeasured)
{
    const auto model = buildModel(blockBetween("lstm", 128, {{"units", std::int64_t{128}}}), {}, at::kFloat);
    std::vector<std::int32_t> read;
    for (std::int32_t i = 0; i < 96; ++i)
        read.push_back(i * 7 % 11);
    const std::clock_t before = std::clock();
    const auto data = spectrumOf(*model, "lstm", {}, read);
    std::printf("spectrum of an LSTM of 128 units, T = 96: %.0f ms computing\n",
                1000.0 * static_cast<double>(std::clock() - before) / CLOCKS_PER_SEC);
    EXPECT_EQ(data->spectra.at(0).eigenvalues.size(), 256u);
}

/// RWKV-7's decay is w; its a is a rate of learning. Of sLSTM and mLSTM f is scaled by the stabiliser: kept is f
/// times exp(m_t - m_{t-1}), the forget gate as it was.
TEST(Spectrum, HalfLivesComeFromTheGateThatKeeps)
{
    const auto rwkv = buildModel(blockBetween("rwkv7", 4, {{"head_size", std::int64_t{4}}}));
    EXPECT_EQ(spectrumOf(*rwkv, "rwkv7")->halfLives.signal, "w");
    const auto slstm =
        buildModel(blockBetween("slstm", 4, {{"units", std::int64_t{4}}, {"num_heads", std::int64_t{1}}}));
    clear(*slstm, {"slstm.weight", "slstm.recurrent_kernel", "slstm.bias"});
    const double share = 0.9;
    set(*slstm, "slstm.bias",
        at::cat({at::full({4}, -3.0, at::kDouble), at::full({4}, std::log(share / (1 - share)), at::kDouble),
                 at::zeros({8}, at::kDouble)}));
    const auto data = spectrumOf(*slstm, "slstm");
    ASSERT_EQ(data->halfLives.median.size(), 4u);
    for (const double life : data->halfLives.median)
        EXPECT_NEAR(life / halfLifeOf(share), 1, 1e-6);
    EXPECT_THAT(data->figure().findings, Contains(HasSubstr("Half-lives from gate f exp(m_t - m_(t-1)): 6.58 steps")));
}

/// Every block that has a gate of what is kept says which: one at most.
TEST(Spectrum, OneGateKeeps)
{
    int gates = 0;
    const BlockRegistry registry = allSpecs();
    for (const BlockSpec* spec : registry.all()) {
        const auto keep = std::count_if(spec->signalSpecs.begin(), spec->signalSpecs.end(),
                                        [](const SignalSpec& signal) { return signal.keeps; });
        EXPECT_LE(keep, 1) << spec->id;
        gates += static_cast<int>(keep);
    }
    EXPECT_GE(gates, 18);
}

} // namespace
} // namespace unroll
