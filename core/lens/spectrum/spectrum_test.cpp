// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/lens/spectrum/spectrum.h"

#include "core/lens/spectrum/linear_maps.h"
#include "tests/support/lens_models.h"

#include <ATen/TensorOperators.h>
#include <ATen/core/grad_mode.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/full.h>
#include <ATen/ops/stack.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <functional>
#include <limits>
#include <numbers>

namespace unroll {
namespace {

using testing::blockBetween;
using testing::buildModel;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::lensFrame;
using testing::makeGraph;
using testing::makeNode;
using testing::textOf;
using testing::weightOf;

const std::vector<std::int32_t> kRead{4, 0, 7, 2, 9, 1, 3, 10, 5};

std::shared_ptr<const SpectrumData> spectrumOf(Model& model, const std::string& node, Params settings = {},
                                               const std::vector<std::int32_t>& read = kRead,
                                               const std::string& signal = {})
{
    const auto frame = lensFrame(model, textOf(read), {"spectrum", node, signal, std::move(settings)});
    EXPECT_EQ(frame->trouble, "") << node;
    return dataOf<SpectrumData>(frame);
}

std::string troubleOf(Model& model, const std::string& node, Params settings = {})
{
    return lensFrame(model, textOf(kRead), {"spectrum", node, {}, std::move(settings)})->trouble;
}

void set(const Model& model, const std::string& name, const at::Tensor& values)
{
    const at::NoGradGuard guard;
    weightOf(model, name).copy_(values);
}

void clear(const Model& model, const std::vector<std::string>& names)
{
    const at::NoGradGuard guard;
    for (const std::string& name : names)
        weightOf(model, name).zero_();
}

at::Tensor matrix(std::int64_t n, const std::function<double(double, double)>& element)
{
    at::Tensor made = at::empty({n, n}, at::kDouble);
    for (std::int64_t i = 0; i < n; ++i)
        for (std::int64_t j = 0; j < n; ++j)
            made[i][j].fill_(element(static_cast<double>(i), static_cast<double>(j)));
    return made;
}

/// numpy 2: a[i, j] = 0.8 sin(1 + 3 i² + 7 j² + i j), n = 5.
at::Tensor known()
{
    return matrix(5, [](double i, double j) { return 0.8 * std::sin(1 + 3 * i * i + 7 * j * j + i * j); });
}
const std::vector<std::complex<double>> kEigenvalues{{-0.420763736939, -0.388101485879},
                                                     {-0.420763736939, 0.388101485879},
                                                     {0.586681228540, -1.066166659948},
                                                     {0.586681228540, 1.066166659948},
                                                     {0.889785607205, 0}};
const std::vector<double> kSingular{1.828685808686, 1.412042716906, 1.193641652387, 0.723811224258, 0.193533711373};

void expectTheSame(std::vector<std::complex<double>> found, const std::vector<std::complex<double>>& right,
                   double within)
{
    ASSERT_EQ(found.size(), right.size());
    for (const std::complex<double>& value : right) {
        const auto nearest = std::min_element(found.begin(), found.end(), [&](const auto& a, const auto& b) {
            return std::abs(a - value) < std::abs(b - value);
        });
        EXPECT_LT(std::abs(*nearest - value), within) << value;
        found.erase(nearest);
    }
}

TEST(Spectrum, EigenvaluesAndSingularValuesAreThoseOfNumpy)
{
    namespace maps = lenses::spectrum;
    expectTheSame(maps::eigenvaluesOf(known()), kEigenvalues, 1e-9);
    const std::vector<double> singular = maps::singularValuesOf(known());
    for (std::size_t i = 0; i < kSingular.size(); ++i)
        EXPECT_NEAR(singular[i], kSingular[i], 1e-9);
    EXPECT_NEAR(distanceFromOrthogonal(singular), 1.250290570611, 1e-9) << "numpy's ‖AᵀA - I‖ / √5";
    const auto model = buildModel(blockBetween("rnn", 5, {{"units", std::int64_t{5}}}));
    set(*model, "rnn.weight_hh_l0", known());
    const auto data = spectrumOf(*model, "rnn", {{"of", std::string("weights")}});
    ASSERT_EQ(data->spectra.size(), 1u);
    EXPECT_EQ(data->spectra[0].title, "weight_hh_l0");
    expectTheSame(data->spectra[0].eigenvalues, kEigenvalues, 1e-6);
}

TEST(Spectrum, RecurrentMatricesComeGateByGate)
{
    const auto model =
        buildModel(blockBetween("lstm", 4, {{"units", std::int64_t{3}}, {"num_layers", std::int64_t{2}}}));
    const auto data = spectrumOf(*model, "lstm", {{"of", std::string("weights")}});
    std::vector<std::string> titles;
    for (const Spectrum& each : data->spectra)
        titles.push_back(each.title);
    EXPECT_THAT(titles, ElementsAre("weight_hh_l0, gate i", "weight_hh_l0, gate f", "weight_hh_l0, gate g",
                                    "weight_hh_l0, gate o", "weight_hh_l1, gate i", "weight_hh_l1, gate f",
                                    "weight_hh_l1, gate g", "weight_hh_l1, gate o"));
    const Figure figure = data->figure();
    EXPECT_EQ(figure.panels.size(), 8u);
    EXPECT_TRUE(figure.panels[0].square);
    EXPECT_EQ(figure.panels[0].circles.size(), 7u);
    const auto lru = buildModel(blockBetween("lru", 4));
    EXPECT_THAT(troubleOf(*lru, "lru", {{"of", std::string("weights")}}), HasSubstr("lru has no recurrent matrix"));
}

at::Tensor flat(const Value& state)
{
    std::vector<at::Tensor> parts;
    for (const at::Tensor& part : state)
        parts.push_back(part.flatten());
    return at::cat(parts);
}

/// The Jacobian of the update at a step by central differences, row by row.
std::vector<double> differences(Model& model, const std::string& node, std::int64_t step)
{
    const at::NoGradGuard values;
    const auto input = [](std::int64_t from, std::int64_t count) {
        at::Tensor tokens = at::empty({count, 1}, at::kLong);
        for (std::int64_t t = 0; t < count; ++t)
            tokens[t][0].fill_(kRead[static_cast<std::size_t>(from + t)]);
        return ModelInput{.tokens = tokens, .targets = {}, .mask = {}, .features = {}};
    };
    States states = step == 0 ? States() : model.forward(input(0, step), {}, {}).states;
    if (!states.contains(node))
        states[node] = model.blockOf(node)->initialState(1);
    const auto after = [&] { return flat(model.forward(input(step, 1), states, {}).states.at(node)); };
    std::vector<at::Tensor> columns;
    for (at::Tensor& part : states[node]) {
        part = part.clone();
        for (std::int64_t i = 0; i < part.numel(); ++i) {
            constexpr double kStep = 1e-5;
            at::Tensor element = part.view({-1})[i];
            const double before = element.item<double>();
            element.fill_(before + kStep);
            const at::Tensor above = after();
            element.fill_(before - kStep);
            columns.push_back((above - after()) / (2 * kStep));
            element.fill_(before);
        }
    }
    return lenses::spectrum::numbersOf(at::stack(columns, 1));
}

void expectDifferences(Model& model, const std::string& node)
{
    for (const std::int64_t step : {std::int64_t{0}, std::int64_t{5}}) {
        const auto data = spectrumOf(model, node, {{"step", step}});
        const std::vector<double> right = differences(model, node, step);
        ASSERT_EQ(data->jacobian.size(), right.size()) << node;
        for (std::size_t i = 0; i < right.size(); ++i)
            EXPECT_NEAR(data->jacobian[i], right[i], 1e-6) << node << " " << i;
    }
}

TEST(Spectrum, TheJacobianIsFiniteDifferences)
{
    for (const char* block : {"lstm", "gru", "rnn", "lru", "sru", "mingru", "qrnn"}) {
        const auto model = buildModel(
            blockBetween(block, 6, {{block == std::string("lru") ? "state_size" : "units", std::int64_t{6}}}));
        expectDifferences(*model, block);
    }
    const auto mru = buildModel(blockBetween("mru", 6, {{"units", std::int64_t{6}}, {"matrix_size", std::int64_t{3}}}));
    set(*mru, "mru.state_matrices_up", at::empty({18, 6}, at::kDouble).normal_(0, 0.3));
    expectDifferences(*mru, "mru");
}

/// h = tanh(linear([x, h before])), wired with a delay.
TEST(Spectrum, ALoopIsPartOfTheUpdate)
{
    const auto model = buildModel(
        makeGraph({makeNode(1, "text", "text"), makeNode(2, "embedding", "embedding", {{"width", std::int64_t{4}}}),
                   makeNode(3, "delay", "delay"), makeNode(4, "concat", "concat"),
                   makeNode(5, "linear", "linear", {{"width", std::int64_t{3}}}),
                   makeNode(6, "activation", "activation"), makeNode(7, "head", "head")},
                  {{{1, "tokens"}, {2, "tokens"}},
                   {{2, "y"}, {4, "a"}},
                   {{6, "y"}, {3, "x"}},
                   {{3, "y"}, {4, "b"}},
                   {{4, "y"}, {5, "x"}},
                   {{5, "y"}, {6, "x"}},
                   {{6, "y"}, {7, "x"}},
                   {{1, "targets"}, {7, "targets"}}}));
    expectDifferences(*model, "delay");
    EXPECT_GT(spectrumOf(*model, "delay")->spectra.at(0).radius(), 0);
}

TEST(Spectrum, AnLruShowsLambda)
{
    const auto model = buildModel(blockBetween("lru", 4, {{"state_size", std::int64_t{3}}}));
    const std::vector<double> halfLives{2, 50, 300}, angles{0.1, 1, 2.5};
    for (std::int64_t i = 0; i < 3; ++i) {
        const at::NoGradGuard values;
        const auto at = static_cast<std::size_t>(i);
        weightOf(*model, "lru.nu_log")[i].fill_(std::log(std::numbers::ln2 / halfLives[at]));
        weightOf(*model, "lru.theta_log")[i].fill_(std::log(angles[at]));
    }
    const auto data = spectrumOf(*model, "lru", {{"step", std::int64_t{4}}});
    EXPECT_TRUE(data->complexState);
    const Spectrum& spectrum = data->spectra.at(0);
    EXPECT_THAT(spectrum.units, ElementsAre(0, 1, 2));
    for (std::size_t i = 0; i < 3; ++i) {
        EXPECT_NEAR(halfLifeOf(std::abs(spectrum.eigenvalues[i])) / halfLives[i], 1, 1e-9);
        EXPECT_NEAR(std::arg(spectrum.eigenvalues[i]), angles[i], 1e-12);
    }
    EXPECT_NEAR(data->growth.exponent, std::log(0.5) / 300, 0.2) << "nine steps do not leave the slowest mode alone";
    EXPECT_THAT(data->figure().findings.front(), HasSubstr("half-life 300 steps"));
}

/// With nothing coming in the state stays 0, where the update is its matrix.
TEST(Spectrum, TheLyapunovExponentOfALinearMap)
{
    const auto model = buildModel(blockBetween("rnn", 2, {{"units", std::int64_t{2}}}));
    clear(*model, {"rnn.weight_ih_l0", "rnn.bias_ih_l0", "rnn.bias_hh_l0"});
    set(*model, "rnn.weight_hh_l0",
        matrix(2, [](double i, double j) { return i == 0 ? 0.8 - 0.5 * j : 0.1 + 0.3 * j; }));
    const std::vector<std::int32_t> read(96, 1);
    const auto data = spectrumOf(*model, "rnn", {}, read);
    const double largest = 0.6 + std::sqrt(0.36 - 0.29); // eigenvalues of [[0.8, 0.3], [0.1, 0.4]]
    EXPECT_NEAR(data->growth.exponent, std::log(largest), 1e-9);
    EXPECT_EQ(data->growth.averaged, 72);
    EXPECT_NEAR(data->spectra.at(0).radius(), largest, 1e-12);
    EXPECT_THAT(data->figure().findings[1], HasSubstr("mean of 72 of 96 steps"));
}

/// h' = tanh(w h + b): the mean of ln |w (1 - h'²)|.
TEST(Spectrum, TheLyapunovExponentOfATanhMap)
{
    const auto model = buildModel(blockBetween("rnn", 1, {{"units", std::int64_t{1}}}));
    clear(*model, {"rnn.weight_ih_l0", "rnn.bias_ih_l0"});
    set(*model, "rnn.weight_hh_l0", at::full({1, 1}, -3.5, at::kDouble));
    set(*model, "rnn.bias_hh_l0", at::full({1}, 0.7, at::kDouble));
    const auto data = spectrumOf(*model, "rnn", {}, std::vector<std::int32_t>(40, 1));
    double h = 0, sum = 0;
    for (int t = 0; t < 30; ++t) {
        h = std::tanh(-3.5 * h + 0.7);
        const double growth = std::log(3.5 * (1 - h * h));
        EXPECT_NEAR(data->growth.byStep[static_cast<std::size_t>(t)], growth, 1e-9);
        sum += growth;
    }
    EXPECT_NEAR(data->growth.exponent, sum / 30, 1e-9);
}

TEST(Spectrum, ADelayForgetsAtOnce)
{
    const auto model = buildModel(blockBetween("delay", 3));
    const auto data = spectrumOf(*model, "delay");
    EXPECT_EQ(data->spectra.at(0).radius(), 0);
    EXPECT_EQ(data->growth.exponent, -std::numeric_limits<double>::infinity());
    EXPECT_THAT(data->figure().findings[1], HasSubstr("minus infinity"));
}

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
    EXPECT_EQ(spectrumOf(*model, "mru")->matrices.at(0).signal, "H");
}

TEST(Spectrum, MatricesAlongTheReading)
{
    namespace maps = lenses::spectrum;
    at::Tensor values = at::empty({3, 2, 5, 5}, at::kDouble).zero_();
    values[1][0].copy_(known());
    values[2][1].copy_(known() * 2);
    values[0][1].fill_(std::numeric_limits<double>::quiet_NaN());
    const MatrixTrack track = maps::trackOf("H", values);
    EXPECT_NEAR(track.heads[0].condition[1], kSingular.front() / kSingular.back(), 1e-6);
    EXPECT_NEAR(track.heads[1].largest[2], 2 * kSingular.front(), 1e-9);
    EXPECT_NEAR(track.heads[0].distance[1], 1.250290570611, 1e-9);
    EXPECT_TRUE(std::isnan(track.heads[1].largest[0]));
}

/// Whatever keeps a state is answered without knowing it.
TEST(Spectrum, EveryRecurrentBlock)
{
    for (const BlockSpec* spec : allSpecs().all()) {
        if (!spec->recurrent)
            continue;
        Params params;
        if (spec->param("units") != nullptr)
            params["units"] = std::int64_t{4};
        const auto model = buildModel(blockBetween(spec->id, 4, params), {}, at::kFloat);
        const auto frame = lensFrame(*model, textOf(kRead), {"spectrum", spec->id, {}, {}});
        if (frame->data == nullptr) {
            EXPECT_THAT(frame->trouble, HasSubstr("a Jacobian is taken of 512 at most")) << spec->id;
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
    const auto both = buildModel(blockBetween("rnn", 3, {{"units", std::int64_t{3}}, {"bidirectional", true}}));
    EXPECT_THAT(troubleOf(*both, "rnn"), HasSubstr("reads from both ends"));
    set(*model, "rnn.weight_hh_l0", at::full({3, 3}, std::numeric_limits<double>::quiet_NaN(), at::kDouble));
    const auto bad = spectrumOf(*model, "rnn");
    EXPECT_GT(bad->missing, 0);
    EXPECT_THAT(bad->trouble, HasSubstr("not finite"));
    EXPECT_THAT(troubleOf(*model, "rnn", {{"of", std::string("weights")}}), HasSubstr("not finite"));
}

} // namespace
} // namespace unroll
