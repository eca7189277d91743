// SPDX-License-Identifier: GPL-3.0-or-later
// The ternary layer on a GPU against the CPU: the same integers, outputs and gradients, and the same bits every time.
#include "core/kernels/ternary/ternary.h"
#include "core/kernels/ternary/ternary_size.h"
#include "core/kernels/testing/kernel_test.h"
#include "tests/gpu/gpu.h"

#include <ATen/ops/ones.h>

#include <limits>

namespace unroll::kernels {
namespace {

using namespace test;

/// Products of few rows and of many; sizes end within and at groups, panels and tiles.
const TernarySize sizes[] = {{1, 1, 1},     {1, 4111, 3},     {2, 3, 2},        {3, 512, 512},
                             {5, 17, 63},   {8, 63, 64},      {32, 255, 70},    {33, 256, 130},
                             {65, 129, 20}, {700, 1000, 300}, {4096, 512, 1536}};

/// Numbers of few bits: their sums, and those of their squares, are exact in fp32, so both devices round the same rows.
at::Tensor ofFewBits(Draw& draw, at::IntArrayRef shape)
{
    return (draw.normal(shape) * 4).round_().clamp_(-16, 16).div_(4);
}

TEST(TernaryOnGpu, IntegersAreThoseOfTheCpu)
{
    UNROLL_NEEDS_GPU();
    Draw draw(11);
    for (const TernarySize& size : sizes) {
        const at::Tensor x = ofFewBits(draw, {size.rows, size.in}), gain = draw.normal({size.in});
        const at::Tensor weight = ofFewBits(draw, {size.out, size.in});
        const TernaryRows want = ternaryRows(x, gain, 1e-6), got = ternaryRows(x.cuda(), gain.cuda(), 1e-6);
        EXPECT_TRUE(got.codes.cpu().equal(want.codes)) << named(size);
        EXPECT_TRUE(got.step.cpu().equal(want.step)) << named(size);
        const TernaryWeight packed = packTernary(weight), there = packTernary(weight.cuda());
        EXPECT_TRUE(there.packed.cpu().equal(packed.packed)) << named(size);
        EXPECT_TRUE(unpackTernary(there).cpu().equal(unpackTernary(packed))) << named(size);
        EXPECT_TRUE(ternaryProduct(got, there, {}).cpu().equal(ternaryProduct(want, packed, {}))) << named(size);
    }
}

/// y, then the gradients of x, gain, weight and bias.
std::vector<Named> layerOn(at::Device device, const TernarySize& size, TernaryGradient gradient)
{
    Draw draw(12);
    Tensors leaves;
    for (const at::Tensor& tensor : {ofFewBits(draw, {size.rows, size.in}), draw.normal({size.in}),
                                     ofFewBits(draw, {size.out, size.in}), draw.normal({size.out})})
        leaves.push_back(tensor.to(device).requires_grad_(true));
    const at::Tensor y = ternaryDense(leaves[0], leaves[1], leaves[2], leaves[3], {.gradient = gradient});
    const Tensors grads = gradients({y}, {draw.normal({size.rows, size.out}).to(device)}, leaves);
    return {{"y", y.detach().cpu()},
            {"gradient of x", grads[0].cpu()},
            {"gradient of gain", grads[1].cpu()},
            {"gradient of weight", grads[2].cpu()},
            {"gradient of bias", grads[3].cpu()}};
}

TEST(TernaryOnGpu, LayersAndTheirGradientsAreThoseOfTheCpu)
{
    UNROLL_NEEDS_GPU();
    for (const TernarySize& size : sizes)
        for (TernaryGradient gradient : {TernaryGradient::StraightThrough, TernaryGradient::Keras}) {
            const auto got = layerOn(at::kCUDA, size, gradient);
            expectClose(got, layerOn(at::kCPU, size, gradient), at::kFloat, named(size));
            expectSameBits(layerOn(at::kCUDA, size, gradient), got, named(size) + ", the second time");
        }
}

TEST(TernaryOnGpu, NotFiniteRowsAreNaNAndOthersAreNot)
{
    UNROLL_NEEDS_GPU();
    Draw draw(13);
    at::Tensor x = draw.normal({4, 70});
    x[2][69] = std::numeric_limits<float>::infinity();
    const at::Tensor weight = draw.normal({20, 70}).cuda(), gain = at::ones({70}).cuda();
    const at::Tensor y = ternaryDense(x.cuda(), gain, weight, std::nullopt).cpu();
    EXPECT_TRUE(y[2].isnan().all().item<bool>());
    EXPECT_EQ(y.isnan().sum().item<int>(), 20);
}

} // namespace
} // namespace unroll::kernels
