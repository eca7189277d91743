// SPDX-License-Identifier: GPL-3.0-or-later
// What is special to outer_scan; what every scan owes is in tests/kernels.
#include "core/kernels/outer_scan/outer_scan.h"

#include "core/kernels/testing/plain_loop_test.h"
#include "core/kernels/testing/scan_kernels.h"

#include <ATen/ops/cat.h>
#include <ATen/ops/full.h>
#include <ATen/ops/ones.h>
#include <ATen/ops/tril.h>
#include <ATen/ops/zeros.h>

#include <limits>

namespace unroll::kernels {
namespace {

using namespace test;
using testing::HasSubstr;

/// Lengths around a chunk's, keys and values around a vector's.
TEST(OuterScanValues, EverySizeGivesWhatThePlainLoopGives)
{
    unsigned round = 0;
    for (std::int64_t size : {1, 2, 3, 4, 5, 8, 15, 16, 17, 24, 31, 33, 64})
        for (std::int64_t steps : {1, 2, 15, 16, 17, 31, 33, 48}) {
            const auto c = outerScanKernel().variant({steps, 2, size}, round);
            expectThePlainLoop(*c, drawTrial(*c, round++));
            ASSERT_FALSE(HasFailure()) << "stopped at the first bad case";
        }
}

TEST(OuterScanValues, WithoutAFactorItIsCausalAttentionWithoutASoftmax)
{
    Draw draws(1);
    const at::Tensor q = draws.normal({40, 1, 1, 5}), k = draws.normal({40, 1, 1, 5}), v = draws.normal({40, 1, 1, 7});
    const auto matrix = [](const at::Tensor& t) { return t.select(2, 0).select(1, 0); };
    const at::Tensor want = at::tril(matrix(q).mm(matrix(k).t())).mm(matrix(v));
    const OuterScanResult got = outerScan(q, k, v, std::nullopt);
    EXPECT_LT(relativeRms(matrix(got.y), want), 1e-6);
    EXPECT_LT(relativeRms(got.last[0][0], matrix(k).t().mm(matrix(v))), 1e-6);
}

TEST(OuterScanValues, AFactorOfZeroForgetsAllThatWasBefore)
{
    Draw draws(2);
    const at::Tensor q = draws.normal({20, 1, 2, 3}), k = draws.normal({20, 1, 2, 3}), v = draws.normal({20, 1, 2, 4});
    at::Tensor a = at::ones({20, 1, 2});
    a[11].zero_();
    const auto since = [](const at::Tensor& t) { return t.narrow(0, 11, 9); };
    const OuterScanResult whole = outerScan(q, k, v, a), part = outerScan(since(q), since(k), since(v), since(a));
    EXPECT_LT(relativeRms(since(whole.y), part.y), 1e-6);
    EXPECT_LT(relativeRms(whole.last, part.last), 1e-6);
}

/// From the step at which a factor is all but 0 on, nothing of what was before is left, and nothing of it has become
/// infinite or NaN.
TEST(OuterScanValues, StrongForgettingIsFiniteWithItsGradients)
{
    for (const double factor : {1e-30, 0.0})
        for (const bool ofKeys : {true, false}) {
            Draw draws(3);
            Tensors in{draws.normal({33, 1, 1, 6}), draws.normal({33, 1, 1, 6}), draws.normal({33, 1, 1, 5}),
                       at::full({33, 1, 1}, factor)};
            if (ofKeys)
                in[3] = in[3].unsqueeze(-1).expand({33, 1, 1, 6}).contiguous();
            for (at::Tensor& tensor : in)
                tensor.requires_grad_();
            const OuterScanResult got = outerScan(in[0], in[1], in[2], in[3]);
            const at::Tensor want = (in[0] * in[1]).sum(-1, true) * in[2];
            EXPECT_LT(relativeRms(got.y, want), 1e-6) << factor;
            for (const at::Tensor& gradient : torch::autograd::grad({got.y.sum() + got.last.sum()}, in))
                EXPECT_TRUE(gradient.isfinite().all().item<bool>()) << factor;
        }
}

/// 100^16 is 1e32, the largest product of a chunk, and within the range of fp32.
TEST(OuterScanValues, FactorsAboveOneAreRightWhereTheirProductsAreNumbers)
{
    for (const bool ofKeys : {true, false}) {
        Draw draws(5);
        const at::Tensor q = draws.normal({32, 1, 1, 3}), k = draws.normal({32, 1, 1, 3}),
                         v = draws.normal({32, 1, 1, 4});
        at::Tensor a = at::cat({at::full({16, 1, 1}, 100.0), at::full({16, 1, 1}, 0.01)});
        if (ofKeys)
            a = a.unsqueeze(-1).expand({32, 1, 1, 3}).contiguous();
        const OuterScanResult got = outerScan(q, k, v, a);
        const OuterScanResult want =
            outerScan(q.to(at::kDouble), k.to(at::kDouble), v.to(at::kDouble), a.to(at::kDouble));
        for (std::int64_t t = 0; t < 32; ++t)
            EXPECT_LT(relativeRms(got.y[t], want.y[t]), 1e-4) << t;
    }
}

TEST(OuterScanValues, ValuesThatAreNoNumbersReachNothingBeforeThem)
{
    Draw draws(4);
    const at::Tensor q = draws.normal({24, 2, 1, 3}), k = draws.normal({24, 2, 1, 3}), v = draws.normal({24, 2, 1, 4});
    for (const at::Tensor& bad : {k, v}) {
        const at::Tensor whole = bad.clone();
        bad[9][1].fill_(std::numeric_limits<float>::quiet_NaN());
        const at::Tensor y = outerScan(q, k, v, std::nullopt).y;
        EXPECT_FALSE(y.narrow(0, 0, 9).isnan().any().item<bool>());
        EXPECT_FALSE(y.select(1, 0).isnan().any().item<bool>()) << "another sequence";
        EXPECT_TRUE(y[9][1].isnan().all().item<bool>());
        bad.copy_(whole);
    }
}

TEST(OuterScanErrors, SayWhatWasExpectedAndWhatCame)
{
    const at::Tensor q = at::zeros({5, 2, 3, 4}), v = at::zeros({5, 2, 3, 6}), state = at::zeros({2, 3, 4, 6});
    const auto message = [&](const at::Tensor& queries, const at::Tensor& keys, const at::Tensor& values,
                             std::optional<at::Tensor> a, std::optional<at::Tensor> initial) {
        return errorOf([&] { outerScan(queries, keys, values, a, initial); });
    };
    EXPECT_EQ(message(q, q, v, {}, state), "");
    for (const at::Tensor& a : {at::zeros({5, 2, 3, 4}), at::zeros({5, 2, 3}), at::zeros({3, 4}), at::zeros({3})})
        EXPECT_EQ(message(q, q, v, a, state), "");
    EXPECT_THAT(message(q[0], q, v, {}, {}), HasSubstr("q has shape [2, 3, 4], expected [steps, batch, heads, keys]"));
    EXPECT_THAT(message(q, v, v, {}, {}), HasSubstr("k has shape [5, 2, 3, 6], expected [5, 2, 3, 4]"));
    EXPECT_THAT(message(q, q, v[0], {}, {}),
                HasSubstr("v has shape [2, 3, 6], expected [steps, batch, heads, values]"));
    EXPECT_THAT(message(q, q, v, at::zeros({5, 2, 4}), {}), HasSubstr("a has shape [5, 2, 4], expected [5, 2, 3]"));
    EXPECT_THAT(message(q, q, v, at::zeros({4}), {}), HasSubstr("a has shape [4], expected [3]"));
    EXPECT_THAT(message(q, q, v, at::zeros({5, 2, 3, 4, 1}), {}), HasSubstr("[heads, keys] or [heads]"));
    EXPECT_THAT(message(q, q, v, {}, at::zeros({2, 3, 4})),
                HasSubstr("initial has shape [2, 3, 4], expected [2, 3, 4, 6]"));
    EXPECT_THAT(message(q, q, v, {}, state.to(at::kDouble)), HasSubstr("initial is Double, expected Float"));
    EXPECT_THAT(message(q.to(at::kHalf), q, v, {}, {}), HasSubstr("q is Half on cpu"));
}

} // namespace
} // namespace unroll::kernels
