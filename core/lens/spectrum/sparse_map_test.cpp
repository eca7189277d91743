// SPDX-License-Identifier: GPL-3.0-or-later
// Spectra of states that fall into parts: the blocks' eigenvalues beside known ones and beside those of the whole.
#include "core/lens/spectrum/linear_maps.h"
#include "core/lens/spectrum/sparse_map.h"
#include "core/lens/spectrum/state_steps.h"
#include "core/lens/spectrum/test_spectrum.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/complex.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/eye.h>
#include <ATen/ops/full.h>
#include <ATen/ops/linalg_eigvals.h>
#include <ATen/ops/ones.h>
#include <ATen/ops/zeros.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <limits>

namespace unroll {
namespace {

using lenses::spectrum::sizesOf;
using lenses::spectrum::SparseMap;
using testing::blockBetween;
using testing::buildModel;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Pair;

using namespace spectrum_test;

/// By real part, then imaginary part, both rounded: pairs of near equal ones stand beside each other.
Complexes inOrder(Complexes values)
{
    const auto rounded = [](const std::complex<double>& value) {
        return std::pair(std::round(value.real() * 1e6), std::round(value.imag() * 1e6));
    };
    std::sort(values.begin(), values.end(),
              [&](const auto& one, const auto& other) { return rounded(one) < rounded(other); });
    return values;
}

void expectAlike(const Complexes& found, const Complexes& right, double within)
{
    ASSERT_EQ(found.size(), right.size());
    const Complexes one = inOrder(found), other = inOrder(right);
    for (std::size_t i = 0; i < one.size(); ++i)
        ASSERT_LT(std::abs(one[i] - other[i]), within) << i << ": " << one[i] << " and " << other[i];
}

Complexes ofWhole(const at::Tensor& matrix)
{
    const at::Tensor values = at::linalg_eigvals(matrix).contiguous();
    Complexes found;
    for (std::int64_t i = 0; i < values.numel(); ++i) {
        const auto value = values.const_data_ptr<c10::complex<double>>()[i];
        found.emplace_back(value.real(), value.imag());
    }
    return found;
}

/// Signals of a node, [T, ...] of one sequence.
std::vector<double> signalOf(Model& model, const std::string& node, const std::string& signal)
{
    const ProbeFrame look = probe(model, testing::textOf(kFew), {{node, signal}}, 0);
    EXPECT_EQ(look.signalFrames.size(), 1u) << node << " " << signal;
    const std::vector<float>& values = look.signalFrames.at(0).values;
    return {values.begin(), values.end()};
}

TEST(SparseMap, CirclesAndTheirEigenvalues)
{
    at::Tensor matrix = at::zeros({6, 6}, at::kDouble);
    const auto set = [&](std::int64_t row, std::int64_t column, double value) { matrix[row][column].fill_(value); };
    set(0, 5, 0.5); // 0 and 5 turn about each other
    set(5, 0, -0.5);
    set(1, 1, 0.25); // alone
    set(2, 3, 7);    // a chain, 2 of 3 of 4: nothing comes back
    set(3, 4, 7);
    set(2, 0, 3);
    const SparseMap map(matrix);
    EXPECT_EQ(map.entries(), 6);
    EXPECT_FALSE(map.isDiagonal());
    const auto circles = map.circles();
    EXPECT_THAT(circles,
                ElementsAre(ElementsAre(0, 5), ElementsAre(1), ElementsAre(2), ElementsAre(3), ElementsAre(4)));
    EXPECT_THAT(sizesOf(circles), ElementsAre(Pair(1, 4), Pair(2, 1)));
    const Complexes found = map.eigenvalues(circles);
    expectAlike(found, {{0, 0.5}, {0, -0.5}, {0.25, 0}, {0, 0}, {0, 0}, {0, 0}}, 1e-12);
    EXPECT_EQ(found[2], 0.25) << "in the order of the circles";
    EXPECT_TRUE(SparseMap(at::eye(3, at::kDouble)).isDiagonal());
    set(4, 4, std::numeric_limits<double>::quiet_NaN());
    EXPECT_EQ(SparseMap(matrix).notFinite(), 1);
}

/// Random blocks behind a random permutation, with what leads from one to the next.
TEST(SparseMap, BlocksHaveTheEigenvaluesOfTheWhole)
{
    const std::int64_t n = 40;
    at::Tensor matrix = at::zeros({n, n}, at::kDouble);
    for (const auto& [first, size] : {std::pair<std::int64_t, std::int64_t>{0, 17}, {17, 8}, {25, 8}, {33, 7}})
        matrix.narrow(0, first, size).narrow(1, first, n - first).normal_(0, 0.3);
    std::vector<std::int64_t> order;
    for (std::int64_t i = 0; i < n; ++i)
        order.push_back(i * 13 % n);
    at::Tensor places = at::empty({n}, at::kLong);
    std::copy(order.begin(), order.end(), places.mutable_data_ptr<std::int64_t>());
    const at::Tensor mixed = matrix.index_select(0, places).index_select(1, places);
    const SparseMap map(mixed);
    EXPECT_THAT(sizesOf(map.circles()), ElementsAre(Pair(7, 1), Pair(8, 2), Pair(17, 1)));
    expectAlike(map.eigenvalues(map.circles()), ofWhole(mixed), 1e-9);
}

TEST(SparseMap, AComplexMapOfRealAndImaginaryParts)
{
    const at::Tensor re = at::empty({3, 3}, at::kDouble).normal_(), im = at::empty({3, 3}, at::kDouble).normal_();
    at::Tensor real = at::zeros({6, 6}, at::kDouble);
    real.narrow(0, 0, 3).narrow(1, 0, 3).copy_(re);
    real.narrow(0, 3, 3).narrow(1, 3, 3).copy_(re);
    real.narrow(0, 3, 3).narrow(1, 0, 3).copy_(im);
    real.narrow(0, 0, 3).narrow(1, 3, 3).copy_(-im);
    const SparseMap half = SparseMap(real).complexHalf();
    ASSERT_EQ(half.size(), 3);
    expectAlike(half.eigenvalues(half.circles()), ofWhole(at::complex(re, im)), 1e-9);
    real[0][4].fill_(9);
    EXPECT_EQ(SparseMap(real).complexHalf().size(), 0);
    real[0][4].fill_(0); // an entry that is missing
    EXPECT_EQ(SparseMap(real).complexHalf().size(), 0);
}

/// With and without zeros it is the same matrix, and the blocks have the eigenvalues of the whole.
TEST(Spectrum, StructuredStatesAreTheirParts)
{
    const auto whole = [](const std::string& block, Params params) {
        SCOPED_TRACE(block);
        const auto model = buildModel(blockBetween(block, 8, std::move(params)));
        const ProbeText text = testing::textOf(kFew);
        const lenses::spectrum::StateSteps steps(*model, text, block);
        const at::Tensor jacobian = steps.jacobian(3);
        EXPECT_TRUE(steps.diagonal(3).equal(jacobian.diagonal()));
        const auto sparse = steps.sparseJacobian(3, 1 << 20, {});
        EXPECT_TRUE(sparse);
        EXPECT_EQ(sparse->entries(), jacobian.ne(0).sum().item<std::int64_t>());
        EXPECT_FALSE(steps.sparseJacobian(3, 4, {})) << "too many entries";
        const auto data = spectrumOf(*model, block, {}, kFew);
        EXPECT_GT(data->blocks.size() + static_cast<std::size_t>(data->blocks.begin()->second), 2u)
            << "it falls into parts";
        // The last inputs of a convolution are a chain, whose zeros the whole has to its rounding's root alone.
        Complexes moduli, right;
        for (const auto& value : data->spectra.at(0).eigenvalues)
            if (std::abs(value) > 1e-3)
                moduli.push_back(value);
        for (const auto& value : ofWhole(jacobian))
            if (std::abs(value) > 1e-3)
                right.push_back(value);
        expectAlike(moduli, right, 1e-6);
    };
    whole("delta_net", {{"units", std::int64_t{8}}, {"num_heads", std::int64_t{2}}});
    whole("gated_delta_net", {{"units", std::int64_t{8}}, {"num_heads", std::int64_t{2}}});
    whole("mamba", {{"state_size", std::int64_t{3}}});
    whole("mlstm", {{"units", std::int64_t{8}}, {"num_heads", std::int64_t{2}}});
    whole("rwkv7", {{"units", std::int64_t{8}}, {"head_size", std::int64_t{4}}});
}

/// Without a convolution a head of n x m numbers is m times diag(1) - beta k k', whose eigenvalues are 1 and 1 - beta.
TEST(Spectrum, ADeltaHeadOfMoreThanTheWholeMay)
{
    const auto model = buildModel(blockBetween("delta_net", 8,
                                               {{"units", std::int64_t{96}},
                                                {"num_heads", std::int64_t{2}},
                                                {"use_short_conv", false},
                                                {"negative_eigenvalues", true}}));
    set(*model, "embedding.weight", at::ones({11, 8}, at::kDouble));
    at::Tensor strength = at::full({2, 8}, 5, at::kDouble); // of the sum 40: beta is 2
    strength[1].fill_(-0.25);                               // in the other head 2 sigmoid(-2)
    set(*model, "delta_net.b_proj.weight", strength);
    const auto data = spectrumOf(*model, "delta_net", {}, kFew);
    EXPECT_EQ(data->trouble, "");
    EXPECT_EQ(data->numbers, 2 * 48 * 48) << "more than 1,024";
    EXPECT_THAT(data->blocks, ElementsAre(Pair(48, 96)));
    Complexes right(static_cast<std::size_t>(2 * 48 * 47), 1);
    right.insert(right.end(), 48, -1);
    right.insert(right.end(), 48, 1 - 2 / (1 + std::exp(2.0)));
    expectAlike(data->spectra.at(0).eigenvalues, right, 1e-5); // k is of length 1 to 1e-6
    const Figure figure = data->figure();
    EXPECT_THAT(figure.findings, Contains(HasSubstr("parts that feed back only into themselves: 96 of 48 numbers")));
    EXPECT_THAT(figure.findings, Contains("Singular values are not taken of a state of this size."));
    EXPECT_THAT(figure.findings, Contains(HasSubstr("its mode flips sign at each step")));
}

/// Each state of Mamba decays by its own factor, the signal a; what its convolution has read is gone after a while.
TEST(Spectrum, MambaHasItsFactors)
{
    const auto model = buildModel(blockBetween("mamba", 40, {}));
    const auto data = spectrumOf(*model, "mamba", {}, kFew);
    EXPECT_GT(data->numbers, 1024);
    EXPECT_EQ(data->trouble, "");
    const std::vector<double> factors = signalOf(*model, "mamba", "a");
    const std::size_t states = factors.size() / kFew.size();
    Complexes right(factors.end() - static_cast<std::ptrdiff_t>(states), factors.end());
    right.resize(static_cast<std::size_t>(data->numbers), 0);
    expectAlike(data->spectra.at(0).eigenvalues, right, 2e-6); // the signal is single precision
}

/// The modes of S4D are exp(Delta A), whatever is read.
TEST(Spectrum, S4dHasItsModes)
{
    const auto model = buildModel(blockBetween("s4d", 20, {{"discretization", std::string("zoh")}}));
    const auto data = spectrumOf(*model, "s4d", {}, kFew);
    EXPECT_GT(data->numbers, 1024);
    EXPECT_TRUE(data->complexState);
    const at::Tensor step = testing::weightOf(*model, "s4d.kernel.log_dt").exp().unsqueeze(1);
    const at::Tensor modes = (at::complex(-testing::weightOf(*model, "s4d.kernel.log_A_real").exp(),
                                          testing::weightOf(*model, "s4d.kernel.A_imag")) *
                              step)
                                 .exp()
                                 .contiguous();
    Complexes right;
    for (std::int64_t i = 0; i < modes.numel(); ++i) {
        const auto value = modes.const_data_ptr<c10::complex<double>>()[i];
        right.emplace_back(value.real(), value.imag());
    }
    const Complexes& found = data->spectra.at(0).eigenvalues;
    ASSERT_EQ(found.size(), right.size());
    for (std::size_t i = 0; i < found.size(); ++i)
        ASSERT_LT(std::abs(found[i] - right[i]), 1e-9) << i;
    EXPECT_EQ(data->spectra[0].units.size(), found.size()) << "a mode each";
}

} // namespace
} // namespace unroll
