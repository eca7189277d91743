// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/lens/spectrum/linear_maps.h"
#include "core/lens/spectrum/test_spectrum.h"

#include <ATen/TensorOperators.h>
#include <ATen/core/grad_mode.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/eye.h>
#include <ATen/ops/full.h>
#include <ATen/ops/stack.h>
#include <ATen/ops/tensor.h>
#include <ATen/ops/zeros.h>
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
using testing::makeGraph;
using testing::makeNode;
using testing::weightOf;

using namespace spectrum_test;

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
    EXPECT_EQ(figure.panels[0].circles.size(), 1u) << "the unit circle; weights inside gates have no half-lives";
    for (const std::string& text : figure.findings)
        EXPECT_THAT(text, ::testing::Not(::testing::AnyOf(HasSubstr("half-life"), HasSubstr("doubling")))) << text;
    EXPECT_EQ(spectrumOf(*model, "lstm")->figure().panels.at(0).circles.size(), 7u);
    const auto lru = buildModel(blockBetween("lru", 4, {{"units", std::int64_t{4}}}));
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
    for (const char* block : {"lstm", "gru", "rnn", "lru", "sru", "mingru", "min_lstm", "janet", "ligru", "qrnn",
                              "ind_rnn", "cfc", "hgrn"}) {
        Params params{{"units", std::int64_t{6}}};
        if (block == std::string("lru"))
            params["state_size"] = std::int64_t{5};
        const auto model = buildModel(blockBetween(block, 6, params));
        expectDifferences(*model, block);
    }
    const auto mru = buildModel(blockBetween("mru", 6, {{"units", std::int64_t{6}}, {"matrix_size", std::int64_t{3}}}));
    set(*mru, "mru.state_matrices_up", at::empty({18, 6}, at::kDouble).normal_(0, 0.3));
    expectDifferences(*mru, "mru");
}

TEST(Spectrum, TheJacobianOfWhatIsAsWideAsItsInputIsFiniteDifferences)
{
    const std::pair<const char*, Params> blocks[] = {{"rg_lru", {{"num_heads", std::int64_t{2}}}},
                                                     {"s5", {{"state_size", std::int64_t{5}}}},
                                                     {"s4d", {{"state_size", std::int64_t{2}}}},
                                                     {"mamba", {{"state_size", std::int64_t{2}}}}};
    for (const auto& [block, params] : blocks) {
        const auto model = buildModel(blockBetween(block, 6, params));
        expectDifferences(*model, block);
    }
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
    const auto model =
        buildModel(blockBetween("lru", 4, {{"units", std::int64_t{4}}, {"state_size", std::int64_t{3}}}));
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
    EXPECT_TRUE(data->growth.byUnits);
    EXPECT_NEAR(data->growth.exponent, std::log(0.5) / 300, 1e-9);
    EXPECT_THAT(data->figure().findings.front(), HasSubstr("half-life 300 steps"));
}

TEST(Spectrum, AnS5ShowsItsDiscreteModes)
{
    const auto model = buildModel(blockBetween("s5", 4, {{"state_size", std::int64_t{3}}}));
    const auto data = spectrumOf(*model, "s5", {{"step", std::int64_t{4}}});
    EXPECT_TRUE(data->complexState);
    const Spectrum& spectrum = data->spectra.at(0);
    ASSERT_EQ(spectrum.eigenvalues.size(), 3u);
    for (std::int64_t i = 0; i < 3; ++i) {
        const auto number = [&](const char* name) {
            return weightOf(*model, std::string("s5.") + name)[i].item<double>();
        };
        const std::complex<double> want =
            std::exp(std::complex<double>(number("Lambda_re"), number("Lambda_im")) * std::exp(number("log_step")));
        EXPECT_LT(std::abs(spectrum.eigenvalues[static_cast<std::size_t>(i)] - want), 1e-12);
    }
}

/// a = f e^(iθ): from its angle follows whether a unit rotates, from its size how long it keeps. Its state is one
/// tensor.
TEST(Spectrum, AnHgrnShowsWhichUnitsRotate)
{
    const auto model = buildModel(blockBetween("hgrn", 4, {{"units", std::int64_t{3}}}));
    const std::vector<double> angles{0.1, 1, 0}, kept{0.9, 0.5, 0.99};
    set(*model, "hgrn.theta", at::tensor(angles, at::kDouble));
    set(*model, "hgrn.f_proj.weight", at::zeros({3, 4}, at::kDouble));
    set(*model, "hgrn.f_proj.bias", at::tensor(kept, at::kDouble).logit());
    const auto data = spectrumOf(*model, "hgrn", {{"step", std::int64_t{4}}});
    EXPECT_TRUE(data->complexState);
    const Spectrum& spectrum = data->spectra.at(0);
    ASSERT_THAT(spectrum.units, ElementsAre(0, 1, 2));
    for (std::size_t i = 0; i < 3; ++i)
        EXPECT_LT(std::abs(spectrum.eigenvalues[i] - std::polar(kept[i], angles[i])), 1e-12) << i;
    EXPECT_TRUE(data->growth.byUnits);
    EXPECT_NEAR(data->growth.exponent, std::log(0.99), 1e-9);
    const auto real =
        buildModel(blockBetween("hgrn", 4, {{"units", std::int64_t{4}}, {"convention", std::string("fla")}}));
    EXPECT_FALSE(spectrumOf(*real, "hgrn")->complexState);
}

/// The decay a is the share kept: half-lives come from it.
TEST(Spectrum, AnRgLruHasHalfLives)
{
    const auto model = buildModel(blockBetween("rg_lru", 4, {}));
    const auto data = spectrumOf(*model, "rg_lru", {{"step", std::int64_t{4}}});
    EXPECT_EQ(data->halfLives.signal, "a");
    EXPECT_FALSE(data->halfLives.inverted);
    EXPECT_EQ(data->halfLives.median.size(), 4u);
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
    EXPECT_FALSE(data->growth.byUnits);
    EXPECT_TRUE(data->growth.settled);
    EXPECT_NEAR(data->spectra.at(0).radius(), largest, 1e-12);
    EXPECT_THAT(data->figure().findings[1],
                HasSubstr("mean of 96 steps; vector-Jacobian products, the reading gone through 3 times"));
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
    for (int t = 0; t < 40; ++t) {
        h = std::tanh(-3.5 * h + 0.7);
        const double growth = std::log(3.5 * (1 - h * h));
        EXPECT_NEAR(data->growth.byStep[static_cast<std::size_t>(t)], growth, 1e-9);
        sum += growth;
    }
    EXPECT_NEAR(data->growth.exponent, sum / 40, 1e-9);
}

/// Where no unit reads another, the exponent is ln of the largest factor, however close others are: that of the
/// eigenvalues, whatever the length of the reading.
TEST(Spectrum, TheLyapunovExponentIsThatOfTheSlowestUnit)
{
    for (const char* block : {"s4d", "s5", "lru", "rg_lru", "mingru", "linear_attention", "ind_rnn"}) {
        SCOPED_TRACE(block);
        const auto model = buildModel(
            blockBetween(block, 4, block == std::string("lru") ? Params{{"units", std::int64_t{4}}} : Params{}));
        const auto data = spectrumOf(*model, block, {}, std::vector<std::int32_t>(12, 1));
        EXPECT_TRUE(data->growth.byUnits);
        const double radius = std::log(data->spectra.at(0).radius());
        const bool isConstant = std::string("s4d s5 lru").find(block) != std::string::npos;
        EXPECT_TRUE(!isConstant || std::abs(data->growth.exponent - radius) < 1e-9) << data->growth.exponent << radius;
    }
}

/// Of a map that mixes units slowly apart: a random direction is not the leading one after a reading, but after some.
TEST(Spectrum, CloseModesSettleOrAreSaidNotTo)
{
    const auto model = buildModel(blockBetween("rnn", 2, {{"units", std::int64_t{2}}}));
    clear(*model, {"rnn.weight_ih_l0", "rnn.bias_ih_l0", "rnn.bias_hh_l0"});
    const auto exponent = [&](double slow, double fast) {
        const double mean = (slow + fast) / 2, half = (slow - fast) / 2; // eigenvectors (1, 1) and (1, -1)
        set(*model, "rnn.weight_hh_l0", matrix(2, [&](double i, double j) { return i == j ? mean : half; }));
        return spectrumOf(*model, "rnn", {}, std::vector<std::int32_t>(40, 1))->growth;
    };
    const auto apart = exponent(0.99, 0.5);
    EXPECT_TRUE(apart.settled);
    EXPECT_NEAR(apart.exponent / std::log(0.99), 1, 0.02);
    const auto close = exponent(0.999, 0.997);
    EXPECT_TRUE(!close.settled || std::abs(close.exponent / std::log(0.999) - 1) < 0.3);
}

TEST(Spectrum, AGrowingModeDoubles)
{
    const auto model = buildModel(blockBetween("rnn", 2, {{"units", std::int64_t{2}}}));
    set(*model, "rnn.weight_hh_l0", at::eye(2, at::kDouble) * std::sqrt(2));
    for (const char* name : {"rnn.weight_ih_l0", "rnn.bias_ih_l0", "rnn.bias_hh_l0"})
        weightOf(*model, name).zero_(); // at h = 0 the derivative of tanh is 1
    const auto first = [&](const char* of) {
        return spectrumOf(*model, "rnn", {{"of", std::string(of)}})->figure().findings.at(0);
    };
    EXPECT_THAT(first("state"), HasSubstr("Spectral radius 1.414, doubling in 2 steps;"));
    EXPECT_THAT(first("weights"), HasSubstr("Spectral radius of weight_hh_l0: 1.414; 0 % of 2 eigenvalues"));
    set(*model, "rnn.weight_hh_l0", at::eye(2, at::kDouble) * (1 + 1e-9));
    EXPECT_THAT(first("state"), HasSubstr("half-life without end"));
}

TEST(Spectrum, AFewStepsHaveNoLyapunovExponent)
{
    const auto model = buildModel(blockBetween("rnn", 2, {{"units", std::int64_t{2}}}));
    for (const std::size_t steps : {1, 3}) {
        const auto data = spectrumOf(*model, "rnn", {}, std::vector<std::int32_t>(steps, 1));
        EXPECT_EQ(data->spectra.at(0).eigenvalues.size(), 2u);
        EXPECT_THAT(data->figure().findings,
                    ::testing::Contains("No Lyapunov exponent: it takes a reading of at least 4 steps."));
    }
    EXPECT_EQ(spectrumOf(*model, "rnn", {}, std::vector<std::int32_t>(4, 1))->growth.trouble, "");
}

TEST(Spectrum, ADelayForgetsAtOnce)
{
    const auto model = buildModel(blockBetween("delay", 3));
    const auto data = spectrumOf(*model, "delay");
    EXPECT_EQ(data->spectra.at(0).radius(), 0);
    EXPECT_EQ(data->growth.exponent, -std::numeric_limits<double>::infinity());
    EXPECT_THAT(data->figure().findings[0], HasSubstr("are 0: a change is gone after a fixed number of steps"));
    EXPECT_THAT(data->figure().findings[1], HasSubstr("minus infinity"));
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

} // namespace
} // namespace unroll
