// SPDX-License-Identifier: GPL-3.0-or-later
// What is special to delta_scan; what every scan owes is in tests/kernels.
#include "core/kernels/delta_scan/delta_scan.h"

#include "core/kernels/outer_scan/outer_scan.h"
#include "core/kernels/testing/plain_loop_test.h"
#include "core/kernels/testing/scan_kernels.h"

#include <ATen/ops/eye.h>
#include <ATen/ops/full.h>
#include <ATen/ops/zeros.h>

#include <limits>

namespace unroll::kernels {
namespace {

using namespace test;
using testing::HasSubstr;

at::Tensor directions(Draw& draws, at::IntArrayRef sizes)
{
    const at::Tensor drawn = draws.normal(sizes);
    return drawn / drawn.norm(2, {-1}, true);
}

/// Lengths around those of which states are made again, keys and values around a vector's.
TEST(DeltaScanValues, EverySizeGivesWhatThePlainLoopGives)
{
    unsigned round = 0;
    for (std::int64_t size : {1, 2, 3, 4, 5, 8, 15, 16, 17, 24, 31, 33, 64})
        for (std::int64_t steps : {1, 2, 15, 16, 17, 31, 33, 48}) {
            const auto c = deltaScanKernel().variant({steps, 2, size}, round);
            expectThePlainLoop(*c, drawTrial(*c, round++));
            ASSERT_FALSE(HasFailure()) << "stopped at the first bad case";
        }
}

TEST(DeltaScanValues, WithNothingRemovedItIsOuterScan)
{
    Draw draws(1);
    const at::Tensor q = draws.normal({40, 2, 2, 5}), k = draws.normal({40, 2, 2, 5}), v = draws.normal({40, 2, 2, 7});
    const at::Tensor w = draws.uniform({40, 2, 2, 5});
    const DeltaScanResult got = deltaScan(q, k, v, at::zeros_like(k), std::nullopt, w);
    const OuterScanResult want = outerScan(q, k, v, w);
    EXPECT_LT(relativeRms(got.y, want.y), 1e-6);
    EXPECT_LT(relativeRms(got.last, want.last), 1e-6);
    EXPECT_FALSE(got.u.any().item<bool>());
}

/// The delta rule with beta = 1: what was stored under a key is replaced.
TEST(DeltaScanValues, AKeyHoldsWhatWasStoredUnderItLast)
{
    Draw draws(2);
    const at::Tensor k = at::eye(4).index_select(0, at::full({9}, 2, at::kLong)).view({9, 1, 1, 4}).contiguous();
    const at::Tensor v = draws.normal({9, 1, 1, 3});
    const DeltaScanResult got = deltaScan(k, k, v, -k);
    EXPECT_LT(relativeRms(got.y, v), 1e-6);
    EXPECT_LT(relativeRms(got.u.narrow(0, 1, 8), -v.narrow(0, 0, 8)), 1e-6);
}

/// beta = 2 reflects: eigenvalues 1 and -1, and a thousand steps neither shrink nor blow up a state.
TEST(DeltaScanValues, ReflectionsKeepTheLengthOfEveryColumn)
{
    Draw draws(3);
    const at::Tensor k = directions(draws, {1000, 1, 1, 6}).to(at::kDouble), initial = draws.normal({1, 1, 6, 4});
    const at::Tensor v = at::zeros({1000, 1, 1, 4}, at::kDouble), start = initial.to(at::kDouble);
    const at::Tensor last = deltaScan(k, k, v, -2 * k, std::nullopt, std::nullopt, start).last;
    EXPECT_LT(relativeRms(last.norm(2, {-2}), start.norm(2, {-2})), 1e-6); // directions are drawn in fp32
}

/// b given as k is the case in which it is absent.
TEST(DeltaScanValues, GivenAsTheKeyBIsAsIfAbsent)
{
    Draw draws(4);
    Tensors in{draws.normal({33, 2, 1, 6}), directions(draws, {33, 2, 1, 6}), draws.normal({33, 2, 1, 5})};
    in.push_back(-in[1] * draws.uniform({33, 2, 1, 1}));
    for (at::Tensor& tensor : in)
        tensor.requires_grad_();
    const DeltaScanResult own = deltaScan(in[0], in[1], in[2], in[3]);
    const DeltaScanResult given = deltaScan(in[0], in[1], in[2], in[3], in[1]);
    const at::Tensor weights = draws.normal({33, 2, 1, 5});
    EXPECT_LT(relativeRms(given.y, own.y), 1e-6);
    const Tensors want = torch::autograd::grad({(own.y * weights).sum()}, in);
    const Tensors got = torch::autograd::grad({(given.y * weights).sum()}, in);
    for (std::size_t i = 0; i < in.size(); ++i)
        EXPECT_LT(relativeRms(got[i], want[i]), 1e-5) << i;
}

TEST(DeltaScanValues, ValuesThatAreNoNumbersReachNothingBeforeThem)
{
    Draw draws(5);
    const at::Tensor q = draws.normal({24, 2, 1, 3}), k = directions(draws, {24, 2, 1, 3});
    const at::Tensor v = draws.normal({24, 2, 1, 4}), z = -k.clone();
    for (const at::Tensor& bad : {k, v, z}) {
        const at::Tensor whole = bad.clone();
        bad[9][1].fill_(std::numeric_limits<float>::quiet_NaN());
        const DeltaScanResult got = deltaScan(q, k, v, z);
        EXPECT_FALSE(got.y.narrow(0, 0, 9).isnan().any().item<bool>());
        EXPECT_FALSE(got.u.narrow(0, 0, 9).isnan().any().item<bool>());
        EXPECT_FALSE(got.y.select(1, 0).isnan().any().item<bool>()) << "another sequence";
        EXPECT_TRUE(got.y[9][1].isnan().all().item<bool>());
        bad.copy_(whole);
    }
}

TEST(DeltaScanErrors, SayWhatWasExpectedAndWhatCame)
{
    const at::Tensor q = at::zeros({5, 2, 3, 4}), v = at::zeros({5, 2, 3, 6}), state = at::zeros({2, 3, 4, 6});
    const auto message = [&](const at::Tensor& queries, const at::Tensor& keys, const at::Tensor& values,
                             std::optional<at::Tensor> b, std::optional<at::Tensor> w,
                             std::optional<at::Tensor> initial) {
        return errorOf([&] { deltaScan(queries, keys, values, keys, b, w, initial); });
    };
    EXPECT_EQ(message(q, q, v, {}, {}, state), "");
    for (const at::Tensor& w : {at::zeros({5, 2, 3, 4}), at::zeros({5, 2, 3})})
        EXPECT_EQ(message(q, q, v, q, w, state), "");
    EXPECT_THAT(message(q[0], q, v, {}, {}, {}),
                HasSubstr("q has shape [2, 3, 4], expected [steps, batch, heads, keys]"));
    EXPECT_THAT(message(q, v, v, {}, {}, {}), HasSubstr("k has shape [5, 2, 3, 6], expected [5, 2, 3, 4]"));
    EXPECT_THAT(message(q, q, v[0], {}, {}, {}),
                HasSubstr("v has shape [2, 3, 6], expected [steps, batch, heads, values]"));
    EXPECT_THAT(message(q, q, v, v, {}, {}), HasSubstr("b has shape [5, 2, 3, 6], expected [5, 2, 3, 4]"));
    EXPECT_THAT(message(q, q, v, {}, at::zeros({5, 2, 4}), {}), HasSubstr("w has shape [5, 2, 4], expected [5, 2, 3]"));
    EXPECT_THAT(message(q, q, v, {}, at::zeros({3, 4}), {}), HasSubstr("[steps, batch, heads]"));
    EXPECT_THAT(message(q, q, v, {}, {}, at::zeros({2, 3, 4})),
                HasSubstr("initial has shape [2, 3, 4], expected [2, 3, 4, 6]"));
    EXPECT_THAT(message(q, q, v, {}, {}, state.to(at::kDouble)), HasSubstr("initial is Double, expected Float"));
    EXPECT_THAT(message(q.to(at::kHalf), q, v, {}, {}, {}), HasSubstr("q is Half on cpu"));
}

} // namespace
} // namespace unroll::kernels
