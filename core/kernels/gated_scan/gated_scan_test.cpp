// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/kernels/gated_scan/gated_scan.h"

#include "core/kernels/common/kernel_test.h"

#include <ATen/ops/cat.h>
#include <ATen/ops/full.h>
#include <ATen/ops/silu.h>
#include <ATen/ops/stack.h>
#include <ATen/ops/tanh.h>
#include <ATen/ops/where.h>
#include <ATen/ops/zeros.h>

namespace unroll::kernels {
namespace {

using namespace test;
using testing::HasSubstr;

/// How the gates are packed into tensors.
enum class Packing { One, TwoAndOne, Separate, Count };

struct Case {
    ScanShape shape{1, 1, 1};
    GatedScanOptions options;
    bool masked = false;
    bool byteMask = false;
    bool initial = true;
    Packing packing = Packing::One;
    Layout layout = Layout::Contiguous;
    unsigned gradients = 7; ///< bit 0: one arrives on u, bit 1: on h, bit 2: on last
};

std::string describe(const Case& c)
{
    return "T " + std::to_string(c.shape.steps) + " B " + std::to_string(c.shape.batch) + " d " +
           std::to_string(c.shape.width) + " " + std::string(activationName(c.options.candidate)) +
           (c.options.outputGate ? " gated" : "") + (c.options.reverse ? " reverse" : "") +
           (c.masked ? " masked" : "") + (c.initial ? " initial" : "") + " packing " +
           std::to_string(static_cast<int>(c.packing)) + " layout " + std::to_string(static_cast<int>(c.layout)) +
           " gradients " + std::to_string(c.gradients) + " " + cpuTargetInUse();
}

/// The numbers of a case, in fp32.
struct Numbers {
    Tensors gates; ///< a_f, a_c and perhaps a_g, each (T,B,d)
    at::Tensor initial, mask;
    Tensors weights; ///< of u, h, last
};

Numbers draw(const Case& c, std::uint64_t seed)
{
    Draw draws(seed);
    const auto [steps, batch, width] = c.shape;
    Numbers n;
    for (int gate = 0; gate < (c.options.outputGate ? 3 : 2); ++gate)
        n.gates.push_back(draws.normal({steps, batch, width}) * 2);
    n.initial = draws.normal({batch, width});
    n.mask = draws.uniform({steps, batch}) < 0.7;
    const Tensors weights = {draws.normal({steps, batch, width}), draws.normal({steps, batch, width}),
                             draws.normal({batch, width})};
    for (unsigned i = 0; i < 3; ++i)
        n.weights.push_back(c.gradients >> i & 1 ? weights[i] : at::Tensor());
    return n;
}

Tensors leaves(const Case& c, const Numbers& n, at::ScalarType type)
{
    Tensors all;
    for (const at::Tensor& gate : n.gates)
        all.push_back(leaf(gate, type));
    if (c.initial)
        all.push_back(leaf(n.initial, type));
    return all;
}

std::vector<Named> withGradients(const Case& c, const Numbers& n, const Tensors& outputs, const Tensors& inputs)
{
    std::vector<Named> all = {{"u", outputs[0]}, {"h", outputs[1]}, {"last", outputs[2]}};
    const Tensors grads = gradients(outputs, n.weights, inputs);
    const char* names[] = {"gradient of a_f", "gradient of a_c", "gradient of a_g"};
    for (std::size_t i = 0; i < n.gates.size(); ++i)
        all.push_back({names[i], grads[i]});
    if (c.initial)
        all.push_back({"gradient of initial", grads.back()});
    return all;
}

at::Tensor activated(Activation activation, const at::Tensor& a)
{
    switch (activation) {
    case Activation::Identity: return a;
    case Activation::Tanh: return at::tanh(a);
    case Activation::Silu: return at::silu(a);
    case Activation::Positive: break;
    }
    return at::where(a >= 0, a + 0.5, exactSigmoid(a));
}

/// The recurrence step by step in fp64, gradients by torch's autograd.
std::vector<Named> reference(const Case& c, const Numbers& n)
{
    const auto [steps, batch, width] = c.shape;
    const Tensors in = leaves(c, n, at::kDouble);
    at::Tensor h = c.initial ? in.back() : at::zeros({batch, width}, at::kDouble);
    Tensors us(static_cast<std::size_t>(steps)), hs(static_cast<std::size_t>(steps));
    for (std::int64_t s = 0; s < steps; ++s) {
        const std::int64_t t = c.options.reverse ? steps - 1 - s : s;
        const at::Tensor real = c.masked ? n.mask[t].unsqueeze(1) : at::full({1, 1}, true, at::kBool);
        h = at::where(
            real, exactSigmoid(in[0][t]) * h + exactSigmoid(-in[0][t]) * activated(c.options.candidate, in[1][t]), h);
        const at::Tensor u = c.options.outputGate ? exactSigmoid(in[2][t]) * h : h;
        us[static_cast<std::size_t>(t)] = at::where(real, u, at::zeros_like(u));
        hs[static_cast<std::size_t>(t)] = h;
    }
    return withGradients(c, n, {at::stack(us), at::stack(hs), h.clone()}, in);
}

Tensors packed(const Case& c, const Tensors& gates)
{
    Tensors result;
    switch (c.packing) {
    case Packing::One: result = {at::cat(gates, 2)}; break;
    case Packing::TwoAndOne:
        result = {at::cat({gates[0], gates[1]}, 2)};
        result.insert(result.end(), gates.begin() + 2, gates.end());
        break;
    default: result = gates;
    }
    for (at::Tensor& tensor : result)
        tensor = inLayout(tensor, c.layout);
    return result;
}

std::vector<Named> kernel(const Case& c, const Numbers& n, at::ScalarType type)
{
    const Tensors in = leaves(c, n, type);
    const Tensors gates = packed(c, {in.begin(), in.begin() + static_cast<std::ptrdiff_t>(n.gates.size())});
    std::optional<at::Tensor> mask;
    if (c.masked)
        mask = c.byteMask ? n.mask.to(at::kByte) * 3 : n.mask;
    const GatedScanResult out = gatedScan(gates, c.initial ? std::optional(in.back()) : std::nullopt, mask, c.options);
    EXPECT_EQ(out.u.scalar_type(), type);
    return withGradients(c, n, {out.u, out.h, out.last}, in);
}

/// Every shape with several of the variants, all of which come up many times; the pick depends on `round` alone.
Case variant(const ScanShape& shape, unsigned round)
{
    Case c;
    c.shape = shape;
    c.options.candidate = static_cast<Activation>(round % 4);
    c.options.outputGate = round % 5 != 0;
    c.options.reverse = round % 2 == 1;
    c.masked = round / 2 % 2 == 1;
    c.byteMask = round / 4 % 2 == 1;
    c.initial = round % 7 < 5;
    c.packing = static_cast<Packing>(round / 3 % static_cast<unsigned>(Packing::Count));
    c.layout = static_cast<Layout>(round / 5 % static_cast<unsigned>(Layout::Count));
    c.gradients = 1 + round % 7;
    return c;
}

class GatedScan : public testing::TestWithParam<std::string> {
protected:
    ScopedCpuTarget target{GetParam()};
};

TEST(GatedScanValues, OutputsAndGradientsAreThoseOfThePlainLoop)
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

TEST_P(GatedScan, SaturatedGatesStayFiniteAndHold)
{
    const ScanShape shape{64, 2, 19};
    for (at::ScalarType type : {at::kFloat, at::kDouble})
        for (double forget : {-30.0, 30.0})
            for (double rest : {-30.0, 30.0}) {
                Case c;
                c.shape = shape;
                Numbers n = draw(c, 5);
                n.gates = {at::full({64, 2, 19}, forget), at::full({64, 2, 19}, rest), at::full({64, 2, 19}, rest)};
                const std::vector<Named> got = kernel(c, n, type);
                for (const Named& result : got)
                    EXPECT_TRUE(result.tensor.isfinite().all().item<bool>())
                        << result.name << " " << forget << " " << rest;
                if (forget > 0 && rest < 0) { // nothing comes in, nothing leaks: the state is held
                    EXPECT_LE(relativeRms(got[2].tensor, n.initial), 1e-6);
                }
                expectClose(got, reference(c, n), type, "saturated");
            }
}

TEST_P(GatedScan, NanStaysInItsColumn)
{
    Case c;
    c.shape = {9, 2, 21};
    Numbers n = draw(c, 3);
    n.gates[0][4][1][20] = std::numeric_limits<float>::quiet_NaN();
    const GatedScanResult out = gatedScan(n.gates, n.initial, std::nullopt, c.options);
    const at::Tensor bad = out.u.isnan();
    EXPECT_EQ(bad.sum().item<std::int64_t>(), 5);
    EXPECT_EQ(bad.select(1, 1).select(1, 20).sum().item<std::int64_t>(), 5);
}

INSTANTIATE_TEST_SUITE_P(EveryTarget, GatedScan, testing::ValuesIn(cpuTargets()),
                         [](const auto& instance) { return instance.param; });

TEST(GatedScanThreads, OneAndTwoGiveTheSameBits)
{
    for (const ScanShape& shape : {ScanShape{65, 3, 129}, ScanShape{40, 7, 1000}}) {
        Case c;
        c.shape = shape;
        c.masked = true;
        const Numbers n = draw(c, 11);
        std::vector<Named> one, two;
        {
            const ScopedThreads threads(1);
            one = kernel(c, n, at::kFloat);
        }
        {
            const ScopedThreads threads(2);
            two = kernel(c, n, at::kFloat);
        }
        expectSameBits(two, one, describe(c));
    }
}

TEST(GatedScanSteps, OneStepAtATimeEqualsTheWhole)
{
    Case c;
    c.shape = {12, 3, 37};
    const Numbers n = draw(c, 2);
    const GatedScanResult whole = gatedScan(n.gates, n.initial, n.mask, c.options);
    at::Tensor state = n.initial;
    for (std::int64_t t = 0; t < 12; ++t) {
        const Tensors step = {n.gates[0].narrow(0, t, 1), n.gates[1].narrow(0, t, 1), n.gates[2].narrow(0, t, 1)};
        const GatedScanResult one = gatedScan(step, state, n.mask.narrow(0, t, 1), c.options);
        EXPECT_TRUE(one.u.equal(whole.u.narrow(0, t, 1))) << "step " << t;
        state = one.last;
    }
    EXPECT_TRUE(state.equal(whole.last));
}

TEST(GatedScanMask, MaskedStepsAreAsIfTheyWereNotThere)
{
    Case c;
    c.shape = {20, 1, 23};
    const Numbers n = draw(c, 8);
    const at::Tensor kept = n.mask.select(1, 0).nonzero().squeeze(1);
    const GatedScanResult all = gatedScan(n.gates, n.initial, n.mask, c.options);
    Tensors without;
    for (const at::Tensor& gate : n.gates)
        without.push_back(gate.index_select(0, kept));
    const GatedScanResult some = gatedScan(without, n.initial, std::nullopt, c.options);
    EXPECT_TRUE(all.last.equal(some.last));
    EXPECT_TRUE(all.u.index_select(0, kept).equal(some.u));
    EXPECT_EQ(all.u.masked_select(n.mask.logical_not().unsqueeze(2)).abs().sum().item<float>(), 0.0f);
}

TEST(GatedScanSizes, EmptySequencesHandTheStateThrough)
{
    for (const ScanShape& shape : {ScanShape{0, 3, 5}, ScanShape{4, 0, 5}, ScanShape{4, 3, 0}, ScanShape{0, 0, 0}}) {
        Case c;
        c.shape = shape;
        c.masked = true;
        const Numbers n = draw(c, 1);
        const std::vector<Named> got = kernel(c, n, at::kFloat);
        EXPECT_EQ(got[0].tensor.sizes(), (std::vector<std::int64_t>{shape.steps, shape.batch, shape.width}));
        if (shape.steps == 0) {
            EXPECT_TRUE(got[2].tensor.equal(n.initial));
            EXPECT_TRUE(got.back().tensor.equal(n.weights[2]))
                << "the gradient on the last state reaches the initial one";
        }
    }
    const at::Tensor gates = at::zeros({0, 2, 9});
    EXPECT_EQ(gatedScan(gates, std::nullopt, std::nullopt, {}).last.abs().sum().item<float>(), 0.0f);
}

TEST(GatedScanErrors, SayWhatWasExpectedAndWhatCame)
{
    const at::Tensor gates = at::zeros({5, 2, 12});
    const at::Tensor state = at::zeros({2, 4});
    const auto message = [&](at::TensorList g, std::optional<at::Tensor> initial, std::optional<at::Tensor> mask) {
        return errorOf([&] { gatedScan(g, initial, mask, {}); });
    };
    EXPECT_EQ(message(gates, state, std::nullopt), "");
    EXPECT_THAT(message({}, state, std::nullopt), HasSubstr("gated_scan: no gate tensors came, expected 1 to 3"));
    EXPECT_THAT(message(at::zeros({5, 12}), state, std::nullopt),
                HasSubstr("shape [5, 12], expected [steps, batch, n * width]"));
    EXPECT_THAT(message(at::zeros({5, 2, 11}), state, std::nullopt),
                HasSubstr("11 wide together, expected a multiple of 3"));
    EXPECT_THAT(message({at::zeros({5, 2, 5}), at::zeros({5, 2, 7})}, state, std::nullopt),
                HasSubstr("gate tensor 0 is 5 wide, expected a multiple of the width 4"));
    EXPECT_THAT(message({at::zeros({5, 2, 8}), at::zeros({5, 3, 4})}, state, std::nullopt),
                HasSubstr("a gate tensor has shape [5, 3, 4], expected [5, 2, 4]"));
    EXPECT_THAT(message(gates, at::zeros({2, 5}), std::nullopt),
                HasSubstr("initial has shape [2, 5], expected [2, 4]"));
    EXPECT_THAT(message(gates, state.to(at::kDouble), std::nullopt), HasSubstr("initial is Double, expected Float"));
    EXPECT_THAT(message(gates, state, at::zeros({2, 5}, at::kBool)),
                HasSubstr("mask has shape [2, 5], expected [5, 2]"));
    EXPECT_THAT(message(gates, state, at::zeros({5, 2})), HasSubstr("mask is Float, expected bool or uint8"));
    EXPECT_THAT(message(gates.to(at::kHalf), state, std::nullopt),
                HasSubstr("is Half on cpu; expected float32 or float64"));
    EXPECT_THAT(message(gates.to(at::kBFloat16), state, std::nullopt), HasSubstr("is BFloat16 on cpu"));
}

TEST(GatedScanGradients, SecondDerivativesAreRefused)
{
    const at::Tensor gates = at::zeros({2, 1, 6}).requires_grad_(true);
    const at::Tensor u = gatedScan(gates, std::nullopt, std::nullopt, {}).u;
    const at::Tensor grad = torch::autograd::grad({u.sum()}, {gates}, {}, true, true)[0];
    EXPECT_THAT(errorOf([&] { torch::autograd::grad({grad.sum()}, {gates}); }), HasSubstr("gated_scan_backward"));
}

} // namespace
} // namespace unroll::kernels
