// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/kernels/sru_scan/sru_scan.h"

#include "core/kernels/common/kernel_test.h"

#include <ATen/ops/full.h>
#include <ATen/ops/stack.h>
#include <ATen/ops/tanh.h>
#include <ATen/ops/where.h>
#include <ATen/ops/zeros.h>

namespace unroll::kernels {
namespace {

using namespace test;
using testing::HasSubstr;

enum class Skip { None, Scaled, FourthPart, Count };

struct Case {
    ScanShape shape{1, 1, 1};
    Skip skip = Skip::Scaled;
    double scaleX = 1.3;
    Activation activation = Activation::Identity;
    bool reverse = false;
    bool masked = false;
    bool dropped = false;
    bool initial = true;
    Layout layout = Layout::Contiguous;
    unsigned gradients = 7; ///< bit 0: one arrives on h, bit 1: on c, bit 2: on last
};

std::string describe(const Case& c)
{
    return "T " + std::to_string(c.shape.steps) + " B " + std::to_string(c.shape.batch) + " d " +
           std::to_string(c.shape.width) + " skip " + std::to_string(static_cast<int>(c.skip)) + " " +
           std::string(activationName(c.activation)) + (c.reverse ? " reverse" : "") + (c.masked ? " masked" : "") +
           (c.dropped ? " dropout" : "") + (c.initial ? " initial" : "") + " layout " +
           std::to_string(static_cast<int>(c.layout)) + " gradients " + std::to_string(c.gradients) + " " +
           cpuTargetInUse();
}

/// The numbers of a case, in fp32.
struct Numbers {
    at::Tensor u, weightC, bias, x, initial, mask, dropout;
    Tensors weights; ///< of h, c, last
};

Numbers draw(const Case& c, std::uint64_t seed)
{
    Draw draws(seed);
    const auto [steps, batch, width] = c.shape;
    Numbers n;
    n.u = draws.normal({steps, batch, c.skip == Skip::FourthPart ? 4 : 3, width});
    // U(-1, 1) as SRU starts from. With larger weights the recurrence turns chaotic and fp32 of any kind loses the gradient of c0.
    n.weightC = draws.uniform({2, width}) * 2 - 1;
    n.bias = draws.normal({2, width});
    n.x = draws.normal({steps, batch, width});
    n.initial = draws.normal({batch, width});
    n.mask = draws.uniform({steps, batch}) < 0.7;
    n.dropout = (draws.uniform({batch, width}) < 0.8).to(at::kFloat) / 0.8;
    const Tensors weights = {draws.normal({steps, batch, width}), draws.normal({steps, batch, width}),
                             draws.normal({batch, width})};
    for (unsigned i = 0; i < 3; ++i)
        n.weights.push_back(c.gradients >> i & 1 ? weights[i] : at::Tensor());
    return n;
}

/// The inputs with gradients: u, weight_c, bias, then x and initial where the case has them.
struct Leaves {
    Leaves(const Case& c, const Numbers& n, at::ScalarType type)
        : u(leaf(n.u, type)),
          weightC(leaf(n.weightC, type)),
          bias(leaf(n.bias, type)),
          all{u, weightC, bias},
          names{"u", "weight_c", "bias"}
    {
        if (c.skip == Skip::Scaled)
            keep(x = leaf(n.x, type), "x");
        if (c.initial)
            keep(initial = leaf(n.initial, type), "initial");
    }
    void keep(const at::Tensor& tensor, const char* name)
    {
        all.push_back(tensor);
        names.emplace_back(name);
    }
    at::Tensor u, weightC, bias, x, initial;
    Tensors all;
    std::vector<std::string> names;
};

std::vector<Named> withGradients(const Numbers& n, const Tensors& outputs, const Leaves& in)
{
    std::vector<Named> all = {{"h", outputs[0]}, {"c", outputs[1]}, {"last", outputs[2]}};
    const Tensors grads = gradients(outputs, n.weights, in.all);
    for (std::size_t i = 0; i < grads.size(); ++i)
        all.push_back({"gradient of " + in.names[i], grads[i]});
    return all;
}

/// The recurrence step by step in fp64, gradients by torch's autograd.
std::vector<Named> reference(const Case& c, const Numbers& n)
{
    const auto [steps, batch, width] = c.shape;
    const Leaves in(c, n, at::kDouble);
    const at::Tensor dropout = c.dropped ? n.dropout.to(at::kDouble) : at::full({1, 1}, 1.0, at::kDouble);
    at::Tensor state = c.initial ? in.initial : at::zeros({batch, width}, at::kDouble);
    Tensors hs(static_cast<std::size_t>(steps)), cs(static_cast<std::size_t>(steps));
    for (std::int64_t s = 0; s < steps; ++s) {
        const std::int64_t t = c.reverse ? steps - 1 - s : s;
        const at::Tensor u = in.u[t];
        const at::Tensor forget = u.select(1, 1) + in.weightC[0] * state + in.bias[0];
        const at::Tensor reset = u.select(1, 2) + in.weightC[1] * state + in.bias[1];
        const at::Tensor next = exactSigmoid(forget) * state + exactSigmoid(-forget) * u.select(1, 0);
        const at::Tensor active = c.activation == Activation::Tanh ? at::tanh(next) : next;
        const at::Tensor skip = c.skip == Skip::FourthPart ? u.select(1, 3)
                                : c.skip == Skip::Scaled   ? in.x[t] * c.scaleX
                                                           : at::zeros_like(next);
        const at::Tensor h =
            dropout * (exactSigmoid(reset) * active + exactSigmoid(-reset) * skip) + (1 - dropout) * skip;
        const at::Tensor real = c.masked ? n.mask[t].unsqueeze(1) : at::full({1, 1}, true, at::kBool);
        state = at::where(real, next, state);
        hs[static_cast<std::size_t>(t)] = at::where(real, h, at::zeros_like(h));
        cs[static_cast<std::size_t>(t)] = state;
    }
    return withGradients(n, {at::stack(hs), at::stack(cs), state.clone()}, in);
}

/// u as the slice of a wider GEMM output, batch-major, and so on; the parts stay planes of d except where rows are not contiguous.
at::Tensor laidOut(const at::Tensor& u, Layout layout)
{
    return layout == Layout::SliceOfWider ? at::constant_pad_nd(u, {0, 0, 1, 2}).narrow(2, 1, u.size(2))
                                          : inLayout(u, layout);
}

std::vector<Named> kernel(const Case& c, const Numbers& n, at::ScalarType type)
{
    const Leaves in(c, n, type);
    SruScanArguments a;
    a.u = laidOut(in.u, c.layout);
    a.weightC = in.weightC;
    a.bias = in.bias;
    if (c.skip == Skip::Scaled)
        a.x = inLayout(in.x, c.layout);
    if (c.initial)
        a.initial = in.initial;
    if (c.masked)
        a.mask = n.mask;
    if (c.dropped)
        a.dropout = n.dropout.to(type);
    a.scaleX = c.scaleX;
    a.activation = c.activation;
    a.reverse = c.reverse;
    const SruScanResult out = sruScan(a);
    EXPECT_EQ(out.h.scalar_type(), type);
    return withGradients(n, {out.h, out.c, out.last}, in);
}

/// Every shape with several of the variants, all of which come up many times; the pick depends on `round` alone.
Case variant(const ScanShape& shape, unsigned round)
{
    Case c;
    c.shape = shape;
    c.skip = static_cast<Skip>(round % static_cast<unsigned>(Skip::Count));
    c.activation = round / 3 % 2 == 1 ? Activation::Tanh : Activation::Identity;
    c.reverse = round % 2 == 1;
    c.masked = round / 2 % 2 == 1;
    c.dropped = round / 4 % 2 == 1;
    c.initial = round % 7 < 5;
    c.layout = static_cast<Layout>(round / 5 % static_cast<unsigned>(Layout::Count));
    c.gradients = 1 + round % 7;
    // A gradient that arrives on the last state alone has shrunk to nothing at the first: of a few columns no digit of fp32 may be left.
    if (shape.width < 7)
        c.gradients |= 1;
    return c;
}

class SruScan : public testing::TestWithParam<std::string> {
protected:
    ScopedCpuTarget target{GetParam()};
};

TEST(SruScanValues, OutputsAndGradientsAreThoseOfThePlainLoop)
{
    unsigned round = 0;
    for (const ScanShape& shape : scanShapes())
        for (int i = 0; i < 3; ++i, ++round) {
            const Case c = variant(shape, round);
            const Numbers n = draw(c, round);
            const std::vector<Named> want = reference(c, n);
            for (const std::string& target : cpuTargets()) {
                const ScopedCpuTarget scope(target);
                expectClose(kernel(c, n, at::kDouble), want, at::kDouble, describe(c));
                expectClose(kernel(c, n, at::kFloat), want, at::kFloat, describe(c));
            }
            ASSERT_FALSE(HasFailure()) << "stopped at the first bad case";
        }
}

TEST_P(SruScan, SaturatedGatesStayFinite)
{
    for (at::ScalarType type : {at::kFloat, at::kDouble})
        for (double forget : {-30.0, 30.0})
            for (double reset : {-30.0, 30.0}) {
                Case c;
                c.shape = {64, 2, 19};
                c.activation = Activation::Tanh;
                Numbers n = draw(c, 5);
                n.u.select(2, 1).fill_(forget);
                n.u.select(2, 2).fill_(reset);
                n.weightC = n.weightC * 0.01;
                const std::vector<Named> got = kernel(c, n, type);
                for (const Named& result : got)
                    EXPECT_TRUE(result.tensor.isfinite().all().item<bool>())
                        << result.name << " " << forget << " " << reset;
                expectClose(got, reference(c, n), type, "saturated");
            }
}

INSTANTIATE_TEST_SUITE_P(EveryTarget, SruScan, testing::ValuesIn(cpuTargets()),
                         [](const auto& instance) { return instance.param; });

TEST(SruScanThreads, OneTwoAndThreeGiveTheSameBits)
{
    for (const ScanShape& shape : {ScanShape{65, 3, 129}, ScanShape{40, 7, 1000}}) {
        Case c;
        c.shape = shape;
        c.masked = true;
        const Numbers n = draw(c, 11);
        std::vector<std::vector<Named>> results;
        for (int count : {1, 2, 3}) {
            const ScopedThreads threads(count);
            results.push_back(kernel(c, n, at::kFloat));
        }
        expectSameBits(results[1], results[0], describe(c));
        expectSameBits(results[2], results[0], describe(c));
    }
}

TEST(SruScanSteps, OneStepAtATimeEqualsTheWhole)
{
    Case c;
    c.shape = {12, 3, 37};
    const Numbers n = draw(c, 2);
    SruScanArguments a{n.u, n.weightC, n.bias, n.x, n.initial, n.mask, std::nullopt};
    const SruScanResult whole = sruScan(a);
    for (std::int64_t t = 0; t < 12; ++t) {
        a.u = n.u.narrow(0, t, 1);
        a.x = n.x.narrow(0, t, 1);
        a.mask = n.mask.narrow(0, t, 1);
        const SruScanResult one = sruScan(a);
        EXPECT_TRUE(one.h.equal(whole.h.narrow(0, t, 1))) << "step " << t;
        a.initial = one.last;
    }
    EXPECT_TRUE(a.initial->equal(whole.last));
}

TEST(SruScanMask, MaskedStepsHoldTheStateAndGiveZero)
{
    Case c;
    c.shape = {20, 1, 23};
    const Numbers n = draw(c, 8);
    const at::Tensor kept = n.mask.select(1, 0).nonzero().squeeze(1);
    const SruScanResult all = sruScan({n.u, n.weightC, n.bias, n.x, n.initial, n.mask, std::nullopt});
    const SruScanResult some = sruScan({n.u.index_select(0, kept), n.weightC, n.bias, n.x.index_select(0, kept),
                                        n.initial, std::nullopt, std::nullopt});
    EXPECT_TRUE(all.last.equal(some.last));
    EXPECT_TRUE(all.h.index_select(0, kept).equal(some.h));
    EXPECT_EQ(all.h.masked_select(n.mask.logical_not().unsqueeze(2)).abs().sum().item<float>(), 0.0f);
}

TEST(SruScanSizes, EmptySequencesHandTheStateThrough)
{
    for (const ScanShape& shape : {ScanShape{0, 3, 5}, ScanShape{4, 0, 5}, ScanShape{4, 3, 0}, ScanShape{0, 0, 0}})
        for (Skip skip : {Skip::None, Skip::Scaled, Skip::FourthPart}) {
            Case c;
            c.shape = shape;
            c.skip = skip;
            c.masked = c.dropped = true;
            const Numbers n = draw(c, 1);
            const std::vector<Named> got = kernel(c, n, at::kFloat);
            EXPECT_EQ(got[0].tensor.sizes(), (std::vector<std::int64_t>{shape.steps, shape.batch, shape.width}));
            EXPECT_EQ(got[4].tensor.sizes(), n.weightC.sizes());
            if (shape.steps == 0 || shape.batch == 0) {
                EXPECT_EQ(got[4].tensor.abs().sum().item<float>(), 0.0f) << "no step, no gradient of weight_c";
                EXPECT_TRUE(got[2].tensor.equal(n.initial));
                EXPECT_TRUE(got.back().tensor.equal(n.weights[2]));
            }
        }
}

TEST(SruScanErrors, SayWhatWasExpectedAndWhatCame)
{
    const at::Tensor u = at::zeros({5, 2, 3, 4});
    const at::Tensor pair = at::zeros({2, 4});
    const SruScanArguments good{u, pair, pair, at::zeros({5, 2, 4}), pair, at::zeros({5, 2}, at::kBool), pair};
    const auto message = [&](auto change) {
        SruScanArguments a = good;
        change(a);
        return errorOf([&] { sruScan(a); });
    };
    EXPECT_EQ(message([](auto&) {}), "");
    EXPECT_THAT(message([](auto& a) {
                    a.u = at::zeros({5, 2, 12});
                }),
                HasSubstr("u has shape [5, 2, 12], expected [steps, batch, k, width]"));
    EXPECT_THAT(message([](auto& a) {
                    a.u = at::zeros({5, 2, 5, 4});
                }),
                HasSubstr("u has k = 5 parts, expected 3 or 4"));
    EXPECT_THAT(message([](auto& a) { a.u = at::zeros({5, 2, 4, 4}); }), HasSubstr("x came together with k = 4"));
    EXPECT_THAT(message([](auto& a) { a.weightC = at::zeros({8}); }),
                HasSubstr("weight_c has shape [8], expected [2, 4]"));
    EXPECT_THAT(message([](auto& a) {
                    a.bias = at::zeros({2, 3});
                }),
                HasSubstr("bias has shape [2, 3], expected [2, 4]"));
    EXPECT_THAT(message([](auto& a) {
                    a.x = at::zeros({5, 2, 3});
                }),
                HasSubstr("x has shape [5, 2, 3], expected [5, 2, 4]"));
    EXPECT_THAT(message([](auto& a) { a.initial = at::zeros({4}); }),
                HasSubstr("initial has shape [4], expected [2, 4]"));
    EXPECT_THAT(message([](auto& a) {
                    a.mask = at::zeros({5, 2});
                }),
                HasSubstr("mask is Float, expected bool or uint8"));
    EXPECT_THAT(message([](auto& a) {
                    a.dropout = at::zeros({5, 2, 4});
                }),
                HasSubstr("dropout has shape [5, 2, 4], expected [2, 4]"));
    EXPECT_THAT(message([](auto& a) { a.bias = a.bias.to(at::kDouble); }), HasSubstr("bias is Double, expected Float"));
    EXPECT_THAT(message([](auto& a) { a.u = a.u.to(at::kHalf); }),
                HasSubstr("u is Half on cpu; expected float32 or float64"));
    EXPECT_THAT(message([](auto& a) { a.activation = Activation::Silu; }),
                HasSubstr("activation is \"silu\", expected one of identity, tanh"));
}

TEST(SruScanGradients, SecondDerivativesAreRefused)
{
    const at::Tensor u = at::zeros({2, 1, 4, 3}).requires_grad_(true);
    const at::Tensor pair = at::zeros({2, 3});
    const at::Tensor h = sruScan({u, pair, pair, {}, {}, {}, {}}).h;
    const at::Tensor grad = torch::autograd::grad({h.sum()}, {u}, {}, true, true)[0];
    EXPECT_THAT(errorOf([&] { torch::autograd::grad({grad.sum()}, {u}); }), HasSubstr("sru_scan_backward"));
}

} // namespace
} // namespace unroll::kernels
