// SPDX-License-Identifier: GPL-3.0-or-later
// Large states of small parts: the matrix taken apart by few products has the eigenvalues of the whole.
#include "core/lens/spectrum/linear_maps.h"
#include "core/lens/spectrum/loose_map.h"
#include "core/lens/spectrum/test_spectrum.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/arange.h>
#include <ATen/ops/complex.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/full.h>
#include <ATen/ops/kron.h>
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

using lenses::spectrum::LooseError;
using lenses::spectrum::LooseFailure;
using lenses::spectrum::looseMap;
using lenses::spectrum::SparseMap;
using testing::blockBetween;
using testing::buildModel;
using ::testing::HasSubstr;

using namespace spectrum_test;

constexpr std::int64_t kLargest = 1024;

/// Products with a matrix, counted.
struct CountedProducts {
    at::Tensor matrix;
    int count = 0;

    tl::expected<SparseMap, LooseError> apart(const std::vector<std::int64_t>& widths, std::int64_t largest = kLargest,
                                              std::int64_t entries = 1 << 23)
    {
        return looseMap(
            [this](const at::Tensor& rows) {
                ++count;
                return rows.matmul(matrix);
            },
            widths, {largest, entries}, {});
    }
};

/// Matched one by one, the nearest that is left.
void expectSameValues(Complexes found, const Complexes& right, double within)
{
    ASSERT_EQ(found.size(), right.size());
    for (const std::complex<double>& value : right) {
        const auto nearest = std::min_element(found.begin(), found.end(), [&](const auto& one, const auto& other) {
            return std::abs(one - value) < std::abs(other - value);
        });
        ASSERT_LT(std::abs(*nearest - value), within) << value;
        std::swap(*nearest, found.back());
        found.pop_back();
    }
}

Complexes valuesOf(const SparseMap& map)
{
    return map.eigenvalues(map.circles());
}

at::Tensor randomBlock(std::int64_t size)
{
    return at::empty({size, size}, at::kDouble).normal_(0, 0.3);
}

TEST(LooseMap, ADiagonalNeedsFewProducts)
{
    const std::int64_t n = 3000;
    CountedProducts products{at::arange(1, n + 1, at::kDouble).diag()};
    const auto map = products.apart({n});
    ASSERT_TRUE(map) << map.error().sentence;
    EXPECT_TRUE(map->isDiagonal());
    EXPECT_EQ(map->entries(), n);
    EXPECT_EQ(map->diagonal().at(2999), 3000.0);
    EXPECT_LE(products.count, 5) << "of rows that share no column, all are in one";
}

/// Heads of n x m numbers, of which each of the m columns has the same n x n map; behind them what the heads read.
TEST(LooseMap, HeadsAreTheirColumns)
{
    const std::int64_t heads = 3, n = 10, m = 42, read = 40;
    const std::int64_t state = heads * n * m;
    at::Tensor matrix = at::zeros({state + read, state + read}, at::kDouble);
    Complexes right(static_cast<std::size_t>(read), 0);
    for (std::int64_t head = 0; head < heads; ++head) {
        const at::Tensor block = randomBlock(n);
        matrix.narrow(0, head * n * m, n * m)
            .narrow(1, head * n * m, n * m)
            .copy_(at::kron(block, at::ones({m}, at::kDouble).diag()));
        const at::Tensor values = at::linalg_eigvals(block).contiguous();
        for (std::int64_t i = 0; i < n * m; ++i) {
            const auto value = values.const_data_ptr<c10::complex<double>>()[i % n];
            right.emplace_back(value.real(), value.imag());
        }
    }
    matrix.narrow(0, 0, state).narrow(1, state, read).normal_();                          // all of them read all
    matrix.narrow(0, state, read - 1).narrow(1, state + 1, read - 1).diagonal().fill_(1); // a line of inputs
    CountedProducts products{matrix};
    const auto map = products.apart({state, read});
    ASSERT_TRUE(map) << map.error().sentence;
    EXPECT_LE(map->entries(), heads * n * n * m + read) << "what is read is in no eigenvalue, and is left out";
    EXPECT_LE(products.count, 60);
    expectSameValues(valuesOf(*map), right, 1e-9);
}

/// Heads over four tensors, each number of a head depending on all of the head.
TEST(LooseMap, HeadsOfSeveralTensors)
{
    const std::int64_t heads = 3, width = 100, n = 4 * heads * width;
    at::Tensor matrix = at::zeros({n, n}, at::kDouble);
    for (std::int64_t i = 0; i < 4; ++i)
        for (std::int64_t j = 0; j < 4; ++j)
            for (std::int64_t head = 0; head < heads; ++head)
                matrix.narrow(0, (i * heads + head) * width, width)
                    .narrow(1, (j * heads + head) * width, width)
                    .normal_(0, 0.05);
    CountedProducts products{matrix};
    const std::int64_t one = heads * width;
    const auto map = products.apart({one, one, one, one});
    ASSERT_TRUE(map) << map.error().sentence;
    EXPECT_EQ(map->entries(), heads * 16 * width * width);
    EXPECT_THAT(lenses::spectrum::sizesOf(map->circles()), ::testing::ElementsAre(::testing::Pair(400, 3)));
}

TEST(LooseMap, SaysWhatCannotBeToldApart)
{
    CountedProducts dense{randomBlock(150)};
    const auto none = dense.apart({150}, 100);
    ASSERT_FALSE(none);
    EXPECT_EQ(none.error().failure, LooseFailure::Shared);
    EXPECT_THAT(none.error().sentence, HasSubstr("150 of its 150 numbers depend on the same ones"));
    EXPECT_TRUE(dense.apart({150}, 150));
    const auto many = dense.apart({150}, 150, 100);
    ASSERT_FALSE(many);
    EXPECT_EQ(many.error().failure, LooseFailure::Shared);
    EXPECT_THAT(many.error().sentence, HasSubstr("up to 22500 entries that are not 0, and 100 at most"));
    dense.matrix[7][3].fill_(std::numeric_limits<double>::quiet_NaN());
    const auto bad = dense.apart({150}, 150);
    ASSERT_FALSE(bad);
    EXPECT_EQ(bad.error().failure, LooseFailure::NotFinite);
    EXPECT_THAT(bad.error().sentence, HasSubstr("not finite"));
    std::stop_source end;
    end.request_stop();
    const auto stopped =
        looseMap([](const at::Tensor& rows) { return rows.clone(); }, {200}, {kLargest, 1 << 23}, end.get_token());
    ASSERT_FALSE(stopped);
    EXPECT_EQ(stopped.error().failure, LooseFailure::Cancelled);
    EXPECT_THAT(stopped.error().sentence, HasSubstr("cancelled"));
    int count = 0;
    const auto wrong =
        looseMap([&](const at::Tensor& rows) { return rows * (1.0 + count++); }, {20}, {kLargest, 1 << 23}, {});
    ASSERT_FALSE(wrong);
    EXPECT_EQ(wrong.error().failure, LooseFailure::Wrong);
    EXPECT_THAT(wrong.error().sentence, HasSubstr("does not give its products"));
}

/// More numbers than are taken row by row: the modes of S4D are exp(Delta A), one for each number.
TEST(Spectrum, AWideS4dHasItsModes)
{
    const auto model = buildModel(blockBetween("s4d", 280, {{"discretization", std::string("zoh")}}));
    const auto data = spectrumOf(*model, "s4d", {}, kFew);
    EXPECT_GT(data->numbers, 16'384);
    ASSERT_EQ(data->trouble, "");
    EXPECT_TRUE(data->complexState);
    const at::Tensor step = testing::weightOf(*model, "s4d.kernel.log_dt").exp().unsqueeze(1);
    const at::Tensor modes = (at::complex(-testing::weightOf(*model, "s4d.kernel.log_A_real").exp(),
                                          testing::weightOf(*model, "s4d.kernel.A_imag")) *
                              step)
                                 .exp()
                                 .contiguous();
    const Complexes& found = data->spectra.at(0).eigenvalues;
    ASSERT_EQ(std::ssize(found), modes.numel());
    for (std::int64_t i = 0; i < modes.numel(); ++i) {
        const auto value = modes.const_data_ptr<c10::complex<double>>()[i];
        ASSERT_LT(std::abs(found[static_cast<std::size_t>(i)] - std::complex<double>(value.real(), value.imag())), 1e-9)
            << i;
    }
    EXPECT_EQ(data->spectra[0].units.size(), found.size()) << "a mode each";
}

/// Of as many numbers as that of the gallery; without negative eigenvalues each is 1 or 1 - beta, within the circle.
TEST(Spectrum, AWideDeltaNetHasItsHeads)
{
    const auto model =
        buildModel(blockBetween("delta_net", 16, {{"units", std::int64_t{256}}, {"num_heads", std::int64_t{4}}}));
    const auto data = spectrumOf(*model, "delta_net", {}, kFew);
    EXPECT_GT(data->numbers, 16'384);
    ASSERT_EQ(data->trouble, "");
    const Complexes& found = data->spectra.at(0).eigenvalues;
    ASSERT_EQ(std::ssize(found), data->numbers);
    std::int64_t kept = 0;
    for (const std::complex<double>& value : found) {
        EXPECT_LT(std::abs(value), 1 + 1e-5);
        kept += std::abs(value - 1.0) < 1e-5 ? 1 : 0;
    }
    EXPECT_EQ(kept, 4 * 64 * 63) << "all but one direction of each column";
}

/// All its states read all of its convolution, millions of derivatives that are in no eigenvalue.
TEST(Spectrum, AWideMambaHasItsFactors)
{
    const auto model = buildModel(blockBetween("mamba", 200, {}));
    const auto data = spectrumOf(*model, "mamba", {}, kFew);
    EXPECT_GT(data->numbers, 7000);
    ASSERT_EQ(data->trouble, "");
    const ProbeFrame look = probe(*model, testing::textOf(kFew), {{"mamba", "a"}}, 0);
    const std::vector<float>& factors = look.signalFrames.at(0).values;
    const std::size_t states = factors.size() / kFew.size();
    std::vector<double> found, right(factors.end() - static_cast<std::ptrdiff_t>(states), factors.end());
    right.resize(static_cast<std::size_t>(data->numbers), 0);
    for (const std::complex<double>& value : data->spectra.at(0).eigenvalues) {
        EXPECT_EQ(value.imag(), 0);
        found.push_back(value.real());
    }
    std::sort(found.begin(), found.end());
    std::sort(right.begin(), right.end());
    ASSERT_EQ(found.size(), right.size());
    for (std::size_t i = 0; i < found.size(); ++i)
        ASSERT_NEAR(found[i], right[i], 2e-6); // the signal is single precision
}

} // namespace
} // namespace unroll
