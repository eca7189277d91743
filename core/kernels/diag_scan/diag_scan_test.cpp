// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/kernels/diag_scan/diag_scan.h"

#include "core/kernels/common/kernel_test.h"

#include <ATen/ops/complex.h>
#include <ATen/ops/full.h>
#include <ATen/ops/polar.h>
#include <ATen/ops/stack.h>
#include <ATen/ops/view_as_real.h>
#include <ATen/ops/where.h>
#include <ATen/ops/zeros.h>

namespace unroll::kernels {
namespace {

using namespace test;
using testing::HasSubstr;

struct DiagCase {
    ScanShape shape{1, 1, 1};
    bool complex = false;
    bool constant = false; ///< a is (d)
    bool reverse = false;
    bool masked = false;
    bool initial = true;
    Layout layout = Layout::Contiguous;
    unsigned gradients = 3; ///< bit 0: one arrives on h, bit 1: on last
};

std::string describe(const DiagCase& c)
{
    return "T " + std::to_string(c.shape.steps) + " B " + std::to_string(c.shape.batch) + " d " +
           std::to_string(c.shape.width) + (c.complex ? " complex" : "") + (c.constant ? " constant" : "") +
           (c.reverse ? " reverse" : "") + (c.masked ? " masked" : "") + (c.initial ? " initial" : "") + " layout " +
           std::to_string(static_cast<int>(c.layout)) + " gradients " + std::to_string(c.gradients) + " " +
           cpuTargetInUse();
}

/// The numbers of a case, in fp32 or complex64.
struct DiagNumbers {
    at::Tensor a, b, initial, mask;
    Tensors weights; ///< of h, last
};

at::Tensor drawn(Draw& draws, const DiagCase& c, at::IntArrayRef sizes)
{
    const at::Tensor real = draws.normal(sizes);
    return c.complex ? at::complex(real, draws.normal(sizes)) : real;
}

/// Moduli below 1, as a recurrence that is to stay in bounds has.
at::Tensor drawnFactor(Draw& draws, const DiagCase& c)
{
    const auto [steps, batch, width] = c.shape;
    const std::vector<std::int64_t> sizes =
        c.constant ? std::vector<std::int64_t>{width} : std::vector<std::int64_t>{steps, batch, width};
    const at::Tensor modulus = draws.uniform(sizes) * 0.6 + 0.4;
    return c.complex ? at::polar(modulus, draws.uniform(sizes) * 6.28) : modulus;
}

DiagNumbers draw(const DiagCase& c, std::uint64_t seed)
{
    Draw draws(seed);
    const auto [steps, batch, width] = c.shape;
    DiagNumbers n;
    n.a = drawnFactor(draws, c);
    n.b = drawn(draws, c, {steps, batch, width});
    n.initial = drawn(draws, c, {batch, width});
    n.mask = draws.uniform({steps, batch}) < 0.7;
    const Tensors weights = {drawn(draws, c, {steps, batch, width}), drawn(draws, c, {batch, width})};
    for (unsigned i = 0; i < 2; ++i)
        n.weights.push_back(c.gradients >> i & 1 ? weights[i] : at::Tensor());
    return n;
}

at::ScalarType typeOf(const DiagCase& c, at::ScalarType real)
{
    if (!c.complex)
        return real;
    return real == at::kDouble ? at::kComplexDouble : at::kComplexFloat;
}

at::Tensor asReal(const at::Tensor& tensor)
{
    return tensor.is_complex() ? at::view_as_real(tensor.resolve_conj()) : tensor;
}

std::vector<Named> withGradients(const DiagCase& c, const DiagNumbers& n, const Tensors& outputs, const Tensors& in)
{
    const Tensors grads = gradients(outputs, n.weights, in);
    std::vector<Named> all = {{"h", asReal(outputs[0])},
                              {"last", asReal(outputs[1])},
                              {"gradient of a", asReal(grads[0])},
                              {"gradient of b", asReal(grads[1])}};
    if (c.initial)
        all.push_back({"gradient of initial", asReal(grads[2])});
    return all;
}

Tensors leaves(const DiagCase& c, const DiagNumbers& n, at::ScalarType type)
{
    Tensors all = {leaf(n.a, type), leaf(n.b, type)};
    if (c.initial)
        all.push_back(leaf(n.initial, type));
    return all;
}

/// The recurrence step by step in fp64, gradients by torch's autograd.
std::vector<Named> reference(const DiagCase& c, const DiagNumbers& n)
{
    const auto [steps, batch, width] = c.shape;
    const at::ScalarType type = typeOf(c, at::kDouble);
    const Tensors in = leaves(c, n, type);
    at::Tensor h = c.initial ? in[2] : at::zeros({batch, width}, type);
    Tensors hs(static_cast<std::size_t>(steps));
    for (std::int64_t s = 0; s < steps; ++s) {
        const std::int64_t t = c.reverse ? steps - 1 - s : s;
        const at::Tensor real = c.masked ? n.mask[t].unsqueeze(1) : at::full({1, 1}, true, at::kBool);
        h = at::where(real, (c.constant ? in[0] : in[0][t]) * h + in[1][t], h);
        hs[static_cast<std::size_t>(t)] = h;
    }
    return withGradients(c, n, {at::stack(hs), h.clone()}, in);
}

std::vector<Named> kernel(const DiagCase& c, const DiagNumbers& n, at::ScalarType real)
{
    const at::ScalarType type = typeOf(c, real);
    const Tensors in = leaves(c, n, type);
    const at::Tensor a = c.constant ? in[0] : inLayout(in[0], c.layout);
    const DiagScanResult out = diagScan(a, inLayout(in[1], c.layout), c.initial ? std::optional(in[2]) : std::nullopt,
                                        c.masked ? std::optional(n.mask) : std::nullopt, c.reverse);
    EXPECT_EQ(out.h.scalar_type(), type);
    return withGradients(c, n, {out.h, out.last}, in);
}

/// Every shape with several of the variants, all of which come up many times; the pick depends on `round` alone.
DiagCase variant(const ScanShape& shape, unsigned round)
{
    DiagCase c;
    c.shape = shape;
    c.complex = round % 2 == 1;
    c.constant = round / 2 % 2 == 1;
    c.reverse = round % 3 == 1;
    c.masked = round / 3 % 2 == 1;
    c.initial = round % 7 < 5;
    c.layout = static_cast<Layout>(round / 5 % static_cast<unsigned>(Layout::Count));
    c.gradients = 1 + round % 3;
    return c;
}

TEST(DiagScanValues, OutputsAndGradientsAreThoseOfThePlainLoop)
{
    unsigned round = 0;
    for (const ScanShape& shape : scanShapes())
        for (int i = 0; i < 4; ++i, ++round) {
            const DiagCase c = variant(shape, round);
            const DiagNumbers n = draw(c, round);
            const std::vector<Named> want = reference(c, n);
            for (const std::string& target : cpuTargets()) {
                const ScopedCpuTarget scope(target);
                expectClose(kernel(c, n, at::kDouble), want, at::kDouble, describe(c));
                expectClose(kernel(c, n, at::kFloat), want, at::kFloat, describe(c));
            }
            ASSERT_FALSE(HasFailure()) << "stopped at the first bad case";
        }
}

/// A memory that hardly fades: what comes in early is still there after thousands of steps, and the gradient of a constant a is a long sum.
TEST(DiagScanValues, LongMemoriesKeepTheirDigits)
{
    for (bool complex : {false, true}) {
        DiagCase c;
        c.shape = {4097, 2, 5};
        c.complex = complex;
        c.constant = true;
        DiagNumbers n = draw(c, 4);
        n.a = complex ? at::polar(at::full({5}, 0.9995), at::full({5}, 0.3)) : at::full({5}, 0.9995);
        expectClose(kernel(c, n, at::kFloat), reference(c, n), at::kFloat, describe(c));
    }
}

TEST(DiagScanValues, NanStaysInItsColumn)
{
    for (bool complex : {false, true}) {
        DiagCase c;
        c.shape = {9, 2, 21};
        c.complex = complex;
        const DiagNumbers n = draw(c, 3);
        n.b[4][1][20] = std::numeric_limits<float>::quiet_NaN();
        const at::Tensor bad = diagScan(n.a, n.b, n.initial, std::nullopt).h.isnan();
        EXPECT_EQ(bad.sum().item<std::int64_t>(), 5);
        EXPECT_EQ(bad.select(1, 1).select(1, 20).sum().item<std::int64_t>(), 5);
    }
}

TEST(DiagScanThreads, OneAndTwoGiveTheSameBits)
{
    for (const ScanShape& shape : {ScanShape{65, 3, 129}, ScanShape{40, 7, 1000}})
        for (unsigned kind = 0; kind < 4; ++kind) {
            DiagCase c;
            c.shape = shape;
            c.masked = true;
            c.complex = kind % 2 == 1;
            c.constant = kind / 2 == 1;
            const DiagNumbers n = draw(c, 11);
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

TEST(DiagScanSteps, OneStepAtATimeEqualsTheWhole)
{
    DiagCase c;
    c.shape = {12, 3, 37};
    c.complex = true;
    const DiagNumbers n = draw(c, 2);
    const DiagScanResult whole = diagScan(n.a, n.b, n.initial, n.mask);
    at::Tensor state = n.initial;
    for (std::int64_t t = 0; t < 12; ++t) {
        const DiagScanResult one = diagScan(n.a.narrow(0, t, 1), n.b.narrow(0, t, 1), state, n.mask.narrow(0, t, 1));
        EXPECT_TRUE(one.h.equal(whole.h.narrow(0, t, 1))) << "step " << t;
        state = one.last;
    }
    EXPECT_TRUE(state.equal(whole.last));
}

TEST(DiagScanMask, MaskedStepsAreAsIfTheyWereNotThere)
{
    DiagCase c;
    c.shape = {20, 1, 23};
    const DiagNumbers n = draw(c, 8);
    const at::Tensor kept = n.mask.select(1, 0).nonzero().squeeze(1);
    const DiagScanResult all = diagScan(n.a, n.b, n.initial, n.mask);
    const DiagScanResult some = diagScan(n.a.index_select(0, kept), n.b.index_select(0, kept), n.initial, std::nullopt);
    EXPECT_TRUE(all.last.equal(some.last));
    EXPECT_TRUE(all.h.index_select(0, kept).equal(some.h));
}

TEST(DiagScanSizes, EmptySequencesHandTheStateThrough)
{
    for (const ScanShape& shape : {ScanShape{0, 3, 5}, ScanShape{4, 0, 5}, ScanShape{4, 3, 0}, ScanShape{0, 0, 0}})
        for (bool constant : {false, true}) {
            DiagCase c;
            c.shape = shape;
            c.masked = true;
            c.constant = constant;
            const DiagNumbers n = draw(c, 1);
            const std::vector<Named> got = kernel(c, n, at::kFloat);
            EXPECT_EQ(got[0].tensor.sizes(), (std::vector<std::int64_t>{shape.steps, shape.batch, shape.width}));
            if (shape.steps == 0) {
                EXPECT_TRUE(got[1].tensor.equal(n.initial));
                EXPECT_TRUE(got[4].tensor.equal(n.weights[1]))
                    << "the gradient on the last state reaches the initial one";
                EXPECT_EQ(got[2].tensor.abs().sum().item<float>(), 0.0f);
            }
        }
}

TEST(DiagScanErrors, SayWhatWasExpectedAndWhatCame)
{
    const at::Tensor a = at::zeros({5, 2, 4}), state = at::zeros({2, 4});
    const auto message = [&](const at::Tensor& factor, const at::Tensor& b, std::optional<at::Tensor> initial) {
        return errorOf([&] { diagScan(factor, b, initial, std::nullopt); });
    };
    EXPECT_EQ(message(a, a, state), "");
    EXPECT_EQ(message(at::zeros({4}), a, state), "");
    EXPECT_THAT(message(a, at::zeros({5, 4}), state), HasSubstr("b has shape [5, 4], expected [steps, batch, width]"));
    EXPECT_THAT(message(state, a, state), HasSubstr("a has shape [2, 4], expected [steps, batch, width] or [width]"));
    EXPECT_THAT(message(at::zeros({3}), a, state), HasSubstr("a has shape [3], expected [4]"));
    EXPECT_THAT(message(a, a, at::zeros({2, 5})), HasSubstr("initial has shape [2, 5], expected [2, 4]"));
    EXPECT_THAT(message(a.to(at::kComplexFloat), a, state), HasSubstr("a is ComplexFloat, expected Float"));
    EXPECT_THAT(message(a, a.to(at::kHalf), state),
                HasSubstr("is Half on cpu; expected float32, float64, complex64 or complex128"));
}

TEST(DiagScanGradients, SecondDerivativesAreRefused)
{
    const at::Tensor a = at::zeros({2, 1, 3}).requires_grad_(true);
    const at::Tensor h = diagScan(a, a, std::nullopt, std::nullopt).h;
    const at::Tensor grad = torch::autograd::grad({h.sum()}, {a}, {}, true, true)[0];
    EXPECT_THAT(errorOf([&] { torch::autograd::grad({grad.sum()}, {a}); }), HasSubstr("diag_scan_backward"));
}

} // namespace
} // namespace unroll::kernels
