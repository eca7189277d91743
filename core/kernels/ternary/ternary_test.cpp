// SPDX-License-Identifier: GPL-3.0-or-later
// Every instruction set against the integers; what the ops owe as ops is in tests/python/kernels/test_ternary.py.
#include "core/kernels/ternary/ternary.h"

#include "core/kernels/ternary/ternary_product_tiles.h"
#include "core/kernels/ternary/ternary_size.h"
#include "core/kernels/testing/kernel_test.h"

#include <ATen/ops/linear.h>
#include <ATen/ops/ones.h>
#include <ATen/ops/randint.h>
#include <ATen/ops/where.h>
#include <ATen/ops/zeros.h>
#include <ATen/ops/zeros_like.h>

namespace unroll::kernels {
namespace {

using namespace test;

/// Rows 1 to 9 go through tiles of every height, 193 through two; inputs and outputs end within and at groups, panels
/// and tiles.
const TernarySize sizes[] = {{1, 1, 1},   {2, 3, 2},    {3, 15, 16},   {4, 16, 17},   {5, 17, 63},    {6, 31, 64},
                             {7, 64, 65}, {8, 255, 80}, {9, 256, 128}, {193, 33, 20}, {2, 1025, 130}, {5, 4111, 3}};

class Ternary : public testing::TestWithParam<std::string> {
protected:
    ScopedCpuTarget target{GetParam()};
    Draw draw{7};
};

TEST_P(Ternary, ProductIsThatOfTheIntegers)
{
    for (const TernarySize& size : sizes) {
        const TernaryRows rows = ternaryRows(draw.normal({size.rows, size.in}), at::ones({size.in}), 1e-8);
        const TernaryWeight weight = packTernary(draw.normal({size.out, size.in}));
        const TernaryRows plain = {rows.codes, at::ones({size.rows, 1}), {}};
        const TernaryWeight codes = {weight.packed, at::ones({1}), size.out, size.in};
        const at::Tensor want = at::linear(rows.codes.to(at::kDouble), unpackTernary(codes).to(at::kDouble));
        EXPECT_TRUE(ternaryProduct(plain, codes, std::nullopt).equal(want.to(at::kFloat))) << named(size);

        const at::Tensor bias = draw.normal({size.out});
        const at::Tensor scaled = want * rows.step.to(at::kDouble) * weight.scale.to(at::kDouble) + bias;
        EXPECT_LE(relativeRms(ternaryProduct(rows, weight, bias), scaled), 1e-6) << named(size);
    }
}

TEST_P(Ternary, RowsAreRoundedTo255Steps)
{
    for (const TernarySize& size : sizes) {
        const at::Tensor x = draw.normal({size.rows, size.in}) * 3, gain = draw.normal({size.in});
        const TernaryRows rows = ternaryRows(x, gain, 1e-6);
        const at::Tensor wide = x.to(at::kDouble), inverse = (wide.square().mean({-1}, true) + 1e-6).rsqrt();
        const at::Tensor n = wide * inverse * gain, largest = n.abs().amax({-1}, true);
        EXPECT_LE(relativeRms(rows.inverseRms, inverse), 1e-6) << named(size);
        EXPECT_LE(relativeRms(rows.step, largest / 127), 1e-6) << named(size);
        EXPECT_TRUE(rows.codes.abs().amax({-1}).eq(127).all().item<bool>()) << named(size);
        EXPECT_LE((rows.codes - n / largest * 127).abs().max().item<double>(), 0.5001) << named(size);
    }
}

/// Few rows, a block for every thread, and an output that goes past the caches.
TEST_P(Ternary, OnePassGivesWhatItsPartsGive)
{
    for (const TernarySize& size : {TernarySize{3, 33, 20}, TernarySize{900, 65, 48}, TernarySize{4200, 16, 512}}) {
        const at::Tensor x = draw.normal({size.rows, size.in}), gain = draw.normal({size.in});
        const TernaryWeight weight = packTernary(draw.normal({size.out, size.in}));
        const at::Tensor bias = draw.normal({size.out});
        const TernaryPass pass = ternaryLayer(x, gain, weight, bias, 1e-6);
        const TernaryRows rows = ternaryRows(x, gain, 1e-6);
        expectSameBits({{"codes", pass.rows.codes}, {"step", pass.rows.step}, {"inverse rms", pass.rows.inverseRms}},
                       {{"codes", rows.codes}, {"step", rows.step}, {"inverse rms", rows.inverseRms}}, named(size));
        const at::Tensor want = at::linear(rows.codes.to(at::kDouble), unpackTernary(weight).to(at::kDouble));
        EXPECT_LE(relativeRms(pass.y, want * rows.step.to(at::kDouble) + bias), 1e-6) << named(size);
        EXPECT_TRUE(pass.y.equal(ternaryProduct(rows, weight, bias))) << named(size);
    }
}

TEST_P(Ternary, WeightsComeBackAsTheyWerePacked)
{
    for (const TernarySize& size : sizes) {
        const at::Tensor weight = draw.normal({size.out, size.in});
        const TernaryWeight packed = packTernary(weight);
        EXPECT_LE(relativeRms(packed.scale, weight.to(at::kDouble).abs().mean().view({1})), 1e-6) << named(size);
        const at::Tensor want = (weight / packed.scale).round().clamp(-1, 1) * packed.scale;
        EXPECT_TRUE(unpackTernary(packed).equal(want)) << named(size);
        EXPECT_TRUE(packTernary(want).packed.equal(packed.packed)) << named(size);
    }
}

TEST_P(Ternary, NumbersDoNotDependOnTheThreads)
{
    const at::Tensor x = draw.normal({700, 100}), gain = draw.normal({100}), weight = draw.normal({330, 100});
    const at::Tensor gradient = draw.normal({700, 330});
    const auto results = [&](int threads) {
        const ScopedThreads scope(threads);
        Tensors inputs;
        for (const at::Tensor& input : {x, gain, weight})
            inputs.push_back(input.detach().requires_grad_(true));
        const at::Tensor y =
            ternaryDense(inputs[0], inputs[1], inputs[2], std::nullopt, {.gradient = TernaryGradient::Keras});
        const Tensors grads = gradients({y}, {gradient}, inputs);
        return std::vector<Named>{{"y", y.detach()}, {"x", grads[0]}, {"gain", grads[1]}};
    };
    expectSameBits(results(2), results(1), "2 threads and 1");
}

TEST_P(Ternary, NotFiniteRowsAreNaNAndOthersAreNot)
{
    at::Tensor x = draw.normal({4, 70});
    x[2][69] = std::numeric_limits<float>::infinity();
    const at::Tensor y = ternaryDense(x, at::ones({70}), draw.normal({20, 70}), std::nullopt);
    EXPECT_TRUE(y[2].isnan().all().item<bool>());
    EXPECT_EQ(y.isnan().sum().item<int>(), 20);
}

/// codes q^T by these tiles, the scales being 1.
at::Tensor productBy(const TernaryTiles& tiles, const at::Tensor& codes, const TernaryWeight& weight)
{
    const std::int64_t rows = codes.size(0);
    const PackedShape shape{weight.out, weight.in};
    at::Tensor y = at::zeros({rows, weight.out});
    const at::Tensor ones = at::ones({std::max(rows, shape.panels() * kPanelOutputs)}), zeros = at::zeros_like(ones);
    const PanelProduct p = {.codes = codes.const_data_ptr<std::int8_t>(),
                            .step = ones.const_data_ptr<float>(),
                            .packed = weight.packed.const_data_ptr<std::uint8_t>(),
                            .scale = ones.const_data_ptr<float>(),
                            .bias = zeros.const_data_ptr<float>(),
                            .shape = shape,
                            .y = y.mutable_data_ptr<float>()};
    for (std::int64_t row = 0; row < rows; row += kBlockRows)
        multiplyBlock(tiles, p, {{row, std::min(rows, row + kBlockRows)}, {0, shape.panels()}});
    return y;
}

/// Rows are long and lie at the ends of the codes' range, against weights of 1, so that a sum too narrow would
/// overflow.
TEST(TernaryTiles, AllThatThisProcessorHasGiveTheIntegers)
{
    for (const TernarySize& size :
         {TernarySize{13, 1100, 70}, TernarySize{194, 2081, 33}, TernarySize{1, 40, 200}, TernarySize{3, 16, 16}}) {
        at::Tensor codes = at::randint(-128, 128, {size.rows, size.in}, at::kChar);
        codes[0].fill_(-128);
        codes[size.rows - 1].fill_(127);
        at::Tensor integers = at::randint(-1, 2, {size.out, size.in}, at::kFloat);
        integers[0].fill_(1);
        const at::Tensor want = at::linear(codes.to(at::kDouble), integers.to(at::kDouble)).to(at::kFloat);
        for (const TernaryTiles* tiles : ternaryTiles())
            EXPECT_TRUE(productBy(*tiles, codes, packTernary(integers)).equal(want)) << named(size);
    }
}

INSTANTIATE_TEST_SUITE_P(EveryTarget, Ternary, testing::ValuesIn(cpuTargets()),
                         [](const auto& target) { return target.param; });

} // namespace
} // namespace unroll::kernels
