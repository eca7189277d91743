// SPDX-License-Identifier: GPL-3.0-or-later
// What the threads of a GPU run, run on the CPU, against the CPU kernels: the same integers, the same bits where sums
// of floats are exact.
#include "core/kernels/ternary/ternary_cpu.h"
#include "core/kernels/ternary/ternary_product_block.h"
#include "core/kernels/ternary/ternary_shares.h"
#include "core/kernels/ternary/ternary_size.h"
#include "core/kernels/ternary/ternary_tensors.h"
#include "core/kernels/testing/kernel_test.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/full.h>
#include <ATen/ops/ones.h>

#include <cmath>
#include <limits>
#include <memory>

namespace unroll::kernels {
namespace {

using namespace test;

/// A warp that takes `row`, lane by lane between barriers.
template <class Lane, class Params>
void walkRow(const Params& p, std::int64_t row)
{
    typename Lane::Shared shared;
    std::vector<Lane> lanes;
    for (int i = 0; i < kWarpLanes; ++i)
        lanes.emplace_back(p, row, i);
    for (int phase = 0; phase < Lane::phases; ++phase)
        for (Lane& lane : lanes)
            lane.run(phase, shared);
}

template <class Lane, class Params>
void walkRows(const Params& p, std::int64_t rows)
{
    for (std::int64_t row = 0; row < rows; ++row)
        walkRow<Lane>(p, row);
}

template <class Thread>
std::vector<Thread> threadsOf(const TernaryProduct& p, std::int64_t rows, std::int64_t block)
{
    std::vector<Thread> threads;
    for (int i = 0; i < kProductThreads; ++i)
        threads.emplace_back(p, rows, block, i);
    return threads;
}

/// A block of multiplyFewRows.
template <class Thread>
void runBlock(std::vector<Thread>& threads, typename Thread::Shared& shared)
{
    for (int phase = 0; phase < Thread::phases; ++phase)
        for (Thread& thread : threads)
            thread.run(phase, shared);
}

/// A block of multiplyTiles.
void runBlock(std::vector<TileThread>& threads, TileThread::Shared& shared)
{
    for (std::int64_t stage = 0; stage < threads[0].stages(); ++stage) {
        for (TileThread& thread : threads)
            thread.stage(stage, shared);
        for (TileThread& thread : threads)
            thread.multiply(stage, shared);
    }
    for (TileThread& thread : threads)
        thread.store();
}

/// TernaryOnCuda's launches.
class TernaryOnBlocks : public OnCpu {
public:
    using OnCpu::OnCpu;

    void quantise(const RowQuantisation& p, std::int64_t rows) const { walkRows<QuantisingLane>(p, rows); }
    void normBackward(const NormGradient& p, std::int64_t rows) const
    {
        walkRows<NormGradientLane>(p, rows);
        for (std::int64_t i = 0; i < (rows + kGainRows - 1) / kGainRows * p.in; ++i)
            sumGainShare(p, rows, i);
    }
    void findScales(const WeightScales& p) const
    {
        walkRows<AbsoluteSumLane>(p, p.shape.out);
        walkRows<ScaleLane>(p, p.parts);
    }
    void pack(const WeightPacking& p) const
    {
        for (std::int64_t i = 0; i < wordCount(p.shape); ++i)
            packWord(p, i);
    }
    void unpack(const WeightUnpacking& p) const
    {
        for (std::int64_t i = 0; i < p.shape.out * p.shape.in; ++i)
            unpackWeight(p, i);
    }
    void multiply(const TernaryProduct& p, std::int64_t rows) const
    {
        withProductThread(rows, [&](auto type) {
            using Thread = typename decltype(type)::type;
            const auto shared = std::make_unique<typename Thread::Shared>();
            for (std::int64_t block = 0; block < Thread::blocks(p.shape, rows); ++block) {
                auto threads = threadsOf<Thread>(p, rows, block);
                runBlock(threads, *shared);
            }
        });
    }
};

/// Products by threads of every kind; inputs and outputs end within and at groups, panels, stages and tiles.
const TernarySize sizes[] = {{1, 1, 1},      {1, 4111, 3}, {2, 3, 2},    {3, 15, 16},    {4, 16, 17},
                             {5, 17, 63},    {8, 63, 64},  {9, 64, 65},  {17, 65, 80},   {32, 255, 7},
                             {33, 256, 130}, {64, 31, 33}, {65, 33, 65}, {193, 129, 20}, {130, 48, 64}};

/// Numbers of few bits: their sums, and those of their squares, are exact in fp32, so every order gives the same.
at::Tensor ofFewBits(Draw& draw, at::IntArrayRef shape)
{
    return (draw.normal(shape) * 4).round_().clamp_(-16, 16).div_(4);
}

template <class Device>
std::vector<Named> rowsBy(const at::Tensor& x, const at::Tensor& gain)
{
    const auto [codes, step, inverseRms] = ternaryRowsOn<Device>(x, gain, 1e-6);
    return {{"codes", codes}, {"step", step}, {"inverse rms", inverseRms}};
}

template <class Device>
std::vector<Named> packedBy(const at::Tensor& weight, std::int64_t scales)
{
    const auto [packed, scale] = ternaryPackOn<Device>(weight, scales);
    return {{"packed", packed},
            {"scale", scale},
            {"unpacked", ternaryUnpackOn<Device>(packed, scale, weight.size(0), weight.size(1))}};
}

TEST(TernaryBlock, RowsAreThoseOfTheCpu)
{
    Draw draw(3);
    for (const TernarySize& size : sizes) {
        const at::Tensor gain = draw.normal({size.in}), exact = ofFewBits(draw, {size.rows, size.in});
        expectSameBits(rowsBy<TernaryOnBlocks>(exact, gain), rowsBy<TernaryOnCpu>(exact, gain), named(size));
        const at::Tensor x = draw.normal({size.rows, size.in});
        const auto got = rowsBy<TernaryOnBlocks>(x, gain), want = rowsBy<TernaryOnCpu>(x, gain);
        EXPECT_LE((got[0].tensor.to(at::kInt) - want[0].tensor).abs().max().item<int>(), 1) << named(size);
        for (std::size_t i : {1u, 2u})
            EXPECT_LE(relativeRms(got[i].tensor, want[i].tensor), 1e-6) << named(size) << ": " << want[i].name;
    }
}

TEST(TernaryBlock, RowsOfZerosAndOfWhatIsNotFiniteAreThoseOfTheCpu)
{
    Draw draw(4);
    at::Tensor x = ofFewBits(draw, {5, 70});
    x[1] = 0;
    x[2][69] = std::numeric_limits<float>::infinity();
    x[3][40] = std::numeric_limits<float>::quiet_NaN();
    const auto got = rowsBy<TernaryOnBlocks>(x, at::ones({70})), want = rowsBy<TernaryOnCpu>(x, at::ones({70}));
    for (std::int64_t row : {0, 1, 4})
        for (std::size_t i = 0; i < got.size(); ++i)
            EXPECT_TRUE(got[i].tensor[row].equal(want[i].tensor[row])) << row << ": " << want[i].name;
    EXPECT_TRUE(got[1].tensor.isnan().equal(want[1].tensor.isnan()));
    EXPECT_EQ(got[1].tensor.isnan().sum().item<int>(), 2);
}

TEST(TernaryBlock, WeightsArePackedAsOnTheCpu)
{
    Draw draw(5);
    for (const TernarySize& size : sizes)
        for (std::int64_t scales : {std::int64_t(1), size.out % 5 == 0 ? std::int64_t(5) : size.out}) {
            const at::Tensor weight = ofFewBits(draw, {size.out, size.in});
            expectSameBits(packedBy<TernaryOnBlocks>(weight, scales), packedBy<TernaryOnCpu>(weight, scales),
                           named(size) + ", " + std::to_string(scales) + " scales");
        }
    const at::Tensor halves = at::full({3, 40}, 0.5f);
    halves[1] = -1.5f; // mean 5 / 6
    expectSameBits(packedBy<TernaryOnBlocks>(halves, 1), packedBy<TernaryOnCpu>(halves, 1), "ties are near");
}

/// A weight (outputs, 6) beside random scales, one an output: half of it, and the floats next to that, of either sign.
at::Tensor aroundHalf(const at::Tensor& scales)
{
    const at::Tensor weight = at::empty({scales.numel(), 6});
    for (std::int64_t o = 0; o < scales.numel(); ++o) {
        const float half = 0.5f * scales[o].item<float>();
        for (int i = 0; i < 3; ++i) {
            const float near = i == 0 ? half : std::nextafter(half, i == 1 ? 0.0f : 2 * half);
            weight[o][2 * i] = near;
            weight[o][2 * i + 1] = -near;
        }
    }
    return weight;
}

TEST(TernaryBlock, AHalfAndItsNeighboursAreDecidedAsOnTheCpu)
{
    Draw draw(15);
    const at::Tensor scales = draw.uniform({2000}) + 0.5, weight = aroundHalf(scales);
    const PackedShape shape{2000, 6};
    const auto packedWith = [&](auto&& pack) {
        const at::Tensor packed = at::empty({shape.panels(), shape.groups(), kPanelBytes}, at::kByte);
        pack(WeightPacking{weight.const_data_ptr<float>(),
                           {scales.const_data_ptr<float>(), 1},
                           shape,
                           packed.mutable_data_ptr<std::uint8_t>()});
        return packed;
    };
    const at::Tensor got = packedWith([&](const WeightPacking& p) { TernaryOnBlocks(CallKind{}).pack(p); });
    EXPECT_TRUE(got.equal(packedWith([&](const WeightPacking& p) { packPanelsOnCpu(p, {0, shape.panels()}); })));
    const at::Tensor codes = ternaryUnpackOn<TernaryOnBlocks>(got, at::ones({1}), shape.out, shape.in);
    const at::Tensor exact = weight.to(at::kDouble) / scales.to(at::kDouble).unsqueeze(1);
    EXPECT_TRUE(codes.equal(exact.round().to(at::kFloat))) << "half to even";
    EXPECT_EQ(codes.abs().sum().item<float>(), 2 * 2000) << "one pair of six is above a half";
}

TEST(TernaryBlock, AWeightThatIsNotFiniteIsPackedAsOnTheCpu)
{
    Draw draw(6);
    at::Tensor weight = ofFewBits(draw, {20, 33});
    weight[7][30] = std::numeric_limits<float>::quiet_NaN();
    const auto got = packedBy<TernaryOnBlocks>(weight, 1), want = packedBy<TernaryOnCpu>(weight, 1);
    EXPECT_TRUE(got[0].tensor.equal(want[0].tensor));
    EXPECT_TRUE(got[1].tensor.isnan().all().item<bool>());
    EXPECT_TRUE(got[2].tensor.isnan().all().item<bool>());
}

TEST(TernaryBlock, ProductsAreThoseOfTheCpu)
{
    Draw draw(7);
    for (const TernarySize& size : sizes) {
        const auto [codes, step, inverseRms] =
            ternaryRowsOn<TernaryOnCpu>(draw.normal({size.rows, size.in}), at::ones({size.in}), 1e-8);
        const auto [packed, scale] = ternaryPackOn<TernaryOnCpu>(draw.normal({size.out, size.in}), 1);
        const auto product = [&size, &codes = codes, &step = step, &packed = packed,
                              &scale = scale]<class Device>(const MaybeTensor& bias) {
            return ternaryProductOn<Device>(codes, step, packed, scale, bias, size.out);
        };
        EXPECT_TRUE(
            product.template operator()<TernaryOnBlocks>({}).equal(product.template operator()<TernaryOnCpu>({})))
            << named(size);
        const at::Tensor bias = draw.normal({size.out});
        EXPECT_LE(relativeRms(product.template operator()<TernaryOnBlocks>(bias),
                              product.template operator()<TernaryOnCpu>(bias)),
                  1e-6)
            << named(size);
    }
}

/// Codes that begin at any byte of a word.
TEST(TernaryBlock, CodesMayLieAnywhere)
{
    Draw draw(8);
    const at::Tensor weight = draw.normal({21, 48});
    const auto [packed, scale] = ternaryPackOn<TernaryOnCpu>(weight, 1);
    for (std::int64_t rows : {1, 7, 40})
        for (std::int64_t shift : {0, 1, 2, 4, 13}) {
            const at::Tensor codes = (draw.uniform({rows * 48 + shift}) * 255 - 127).round_().to(at::kChar);
            const at::Tensor shifted = codes.narrow(0, shift, rows * 48).view({rows, 48});
            const at::Tensor step = at::ones({rows, 1});
            EXPECT_TRUE(ternaryProductOn<TernaryOnBlocks>(shifted, step, packed, scale, {}, 21)
                            .equal(ternaryProductOn<TernaryOnCpu>(shifted, step, packed, scale, {}, 21)))
                << rows << " rows, " << shift << " bytes on";
        }
}

TEST(TernaryBlock, ExtremeIntegersAreExact)
{
    const at::Tensor codes = at::full({40, 5000}, -128, at::kChar);
    codes[1].fill_(127);
    const at::Tensor weight = at::ones({3, 5000});
    weight[1].fill_(-1);
    const auto [packed, scale] = ternaryPackOn<TernaryOnBlocks>(weight, 1);
    const at::Tensor want = codes.to(at::kFloat).sum(1, true) * weight.narrow(1, 0, 1).t();
    EXPECT_TRUE(ternaryProductOn<TernaryOnBlocks>(codes, at::ones({40, 1}), packed, scale, {}, 3).equal(want));
}

TEST(TernaryBlock, NormGradientsAreThoseOfTheCpu)
{
    Draw draw(9);
    for (const TernarySize& size : {TernarySize{1, 1, 0}, TernarySize{0, 3, 0}, TernarySize{3, 70, 0},
                                    TernarySize{256, 5, 0}, TernarySize{700, 33, 0}}) {
        const at::Tensor x = draw.normal({size.rows, size.in}), gradN = draw.normal({size.rows, size.in});
        const at::Tensor gain = draw.normal({size.in}), inverseRms = draw.uniform({size.rows, 1}) + 0.5;
        const auto gradients = [&]<class Device>() {
            const auto [gradX, gradGain] = ternaryNormBackwardOn<Device>(gradN, x, inverseRms, gain);
            return std::vector<Named>{{"x", gradX}, {"gain", gradGain}};
        };
        expectClose(gradients.template operator()<TernaryOnBlocks>(), gradients.template operator()<TernaryOnCpu>(),
                    at::kFloat, named(size));
    }
}

} // namespace
} // namespace unroll::kernels
