// SPDX-License-Identifier: GPL-3.0-or-later
// What every scan owes, kernel by kernel. What is special to one is tested in its folder.
#include "core/kernels/testing/plain_loop_test.h"
#include "tests/kernels/scan_kernels.h"

#include <ATen/ops/full.h>
#include <ATen/ops/view_as_real.h>

#include <limits>

namespace unroll::kernels {
namespace {

using namespace test;

std::vector<ScanShape> scanShapes()
{
    std::vector<ScanShape> shapes;
    for (std::int64_t steps : {1, 2, 63, 64, 65})
        for (std::int64_t batch : {1, 3})
            for (std::int64_t width : {1, 3, 7, 17, 129})
                shapes.push_back({steps, batch, width});
    return shapes;
}

class Scan : public testing::TestWithParam<ScanKernel> {
protected:
    static std::unique_ptr<ScanCase> variant(const ScanShape& shape, unsigned round)
    {
        return GetParam().variant(shape, round);
    }
};

TEST_P(Scan, OutputsAndGradientsAreThoseOfThePlainLoop)
{
    unsigned round = 0;
    for (const ScanShape& shape : scanShapes())
        for (int i = 0; i < 2; ++i, ++round) {
            const auto c = variant(shape, round);
            expectThePlainLoop(*c, drawTrial(*c, round));
            ASSERT_FALSE(HasFailure()) << "stopped at the first bad case";
        }
}

TEST_P(Scan, ExtremeNumbersStayFiniteAndRight)
{
    for (unsigned round = 0; round < 4; ++round) {
        const auto c = variant({64, 2, 11}, round);
        c->gradients = ~0u; // of one that arrives on the last state alone, nothing would be left
        for (const Extreme& extreme : c->extremes()) {
            SCOPED_TRACE(extreme.what);
            Trial trial = drawTrial(*c, round);
            extreme.apply(trial.numbers);
            expectThePlainLoop(*c, trial);
            for (const Named& result : byKernel(*c, trial, at::kFloat))
                EXPECT_TRUE(result.tensor.isfinite().all().item<bool>()) << result.name;
        }
    }
}

/// Arrays of 8 MiB and more go past the caches, rows that begin with a cache line do so; of the second width only some
/// begin there.
TEST_P(Scan, LargeArraysHoldTheSameNumbers)
{
    unsigned round = 0;
    for (const ScanShape& shape : {ScanShape{40, 3, 18000}, ScanShape{40, 3, 18001}, ScanShape{1, 2, 1100000}}) {
        const auto c = variant(shape, round++);
        if (!c->elementwise)
            GTEST_SKIP() << "a matrix for a state of that width would be too large";
        expectThePlainLoop(*c, drawTrial(*c, 5));
    }
}

TEST_P(Scan, AnyNumberOfThreadsGivesTheSameBits)
{
    for (const ScanShape& shape : {ScanShape{65, 3, 129}, ScanShape{40, 7, 1000}})
        for (unsigned round = 0; round < 6; ++round) {
            const auto c = variant(shape, round);
            const Trial trial = drawTrial(*c, 11);
            std::vector<std::vector<Named>> results;
            for (int count : {1, 2, 3}) {
                const ScopedThreads threads(count);
                results.push_back(byKernel(*c, trial, at::kFloat));
            }
            expectSameBits(results[1], results[0], c->describe());
            expectSameBits(results[2], results[0], c->describe());
        }
}

/// The same numbers to the last bit where a kernel goes step by step; where it puts steps together, sums are rounded in
/// another order.
void expectSameSums(const ScanCase& c, const at::Tensor& got, const at::Tensor& want, const std::string& what)
{
    if (c.stepByStep)
        EXPECT_TRUE(got.equal(want)) << c.describe() << what;
    else
        EXPECT_LE(relativeRms(got, want), 1e-5) << c.describe() << what;
}

/// The chosen steps of a call's numbers, from a state on.
ScanNumbers stepsOf(const ScanNumbers& in, const at::Tensor& steps, const at::Tensor& state)
{
    ScanNumbers some{{}, in.constants, in.fixed, state, {}};
    for (const at::Tensor& sequence : in.sequences)
        some.sequences.push_back(sequence.index_select(0, steps));
    if (in.mask.defined())
        some.mask = in.mask.index_select(0, steps);
    return some;
}

TEST_P(Scan, OneStepAtATimeEqualsTheWhole)
{
    for (unsigned round = 0; round < 6; ++round) {
        const auto c = variant({12, 3, 21}, round);
        c->reverse = false;
        c->masked = c->initial = true;
        const ScanNumbers in = arguments(*c, drawTrial(*c, 2).numbers, at::kFloat);
        const Tensors whole = c->call(in);
        at::Tensor state = in.initial;
        for (std::int64_t t = 0; t < 12; ++t) {
            const Tensors one = c->call(stepsOf(in, at::full({1}, t, at::kLong), state));
            for (std::size_t i = 0; i + 1 < one.size(); ++i)
                expectSameSums(*c, one[i], whole[i].narrow(0, t, 1), ", step " + std::to_string(t));
            state = one.back();
        }
        expectSameSums(*c, state, whole.back(), ", last");
    }
}

TEST_P(Scan, MaskedStepsHoldTheStateAndAreOtherwiseAsIfNotThere)
{
    for (unsigned round = 0; round < 6; ++round) {
        const auto c = variant({20, 1, 23}, round);
        c->masked = c->initial = true;
        const ScanNumbers in = arguments(*c, drawTrial(*c, 8).numbers, at::kFloat);
        const at::Tensor kept = in.mask.select(1, 0).nonzero().squeeze(1);
        const at::Tensor held = in.mask.select(1, 0).logical_not().nonzero().squeeze(1);
        ScanNumbers without = stepsOf(in, kept, in.initial);
        const Tensors all = c->call(in), some = c->call(without);
        EXPECT_TRUE(all.back().equal(some.back())) << c->describe();
        for (std::size_t i = 0; i + 1 < all.size(); ++i)
            EXPECT_TRUE(all[i].index_select(0, kept).equal(some[i])) << c->describe();
        const std::size_t besidesStates = all.size() - (c->givesStates() ? 2 : 1);
        for (std::size_t i = 0; i < besidesStates; ++i)
            EXPECT_FALSE(all[i].index_select(0, held).any().item<bool>())
                << "only the state lasts through a masked step";
    }
}

TEST_P(Scan, EmptySequencesHandTheStateThrough)
{
    for (const ScanShape& shape : {ScanShape{0, 3, 5}, ScanShape{4, 0, 5}, ScanShape{4, 3, 0}, ScanShape{0, 0, 0}})
        for (unsigned round = 0; round < 12; ++round) {
            const auto c = variant(shape, round);
            c->initial = true;
            c->gradients = ~0u;
            const Trial trial = drawTrial(*c, 1);
            const std::vector<Named> got = byKernel(*c, trial, at::kDouble);
            const auto real = [](const at::Tensor& t) { return t.is_complex() ? at::view_as_real(t) : t; };
            const std::size_t last = c->outputs().size() - 1;
            EXPECT_EQ(got[last - 1].tensor.sizes(), real(trial.weights[last - 1]).sizes()) << c->describe();
            if (shape.steps > 0)
                continue;
            EXPECT_TRUE(got[last].tensor.equal(real(trial.numbers.initial).to(at::kDouble)));
            EXPECT_TRUE(got.back().tensor.equal(real(trial.weights[last]).to(at::kDouble)))
                << "the gradient on the last state reaches the initial one";
            for (std::size_t i = last + 1; i + 1 < got.size(); ++i)
                EXPECT_FALSE(got[i].tensor.any().item<bool>()) << "no step, no " << got[i].name;
        }
}

TEST_P(Scan, NanGoesNowhereElse)
{
    for (unsigned round = 0; round < 6; ++round) {
        const auto c = variant({9, 2, 21}, round);
        c->reverse = c->masked = false;
        ScanNumbers in = arguments(*c, drawTrial(*c, 3).numbers, at::kFloat);
        in.sequences[0] = in.sequences[0].detach().clone();
        in.sequences[0].select(0, 4).select(0, 1).select(-1, 20).fill_(std::numeric_limits<float>::quiet_NaN());
        const at::Tensor bad = c->call(in)[0].isnan();
        const at::Tensor here = bad.narrow(0, 4, 5).select(1, 1);
        EXPECT_TRUE(here.any().item<bool>()) << c->describe();
        EXPECT_EQ(bad.sum().item<std::int64_t>(), here.sum().item<std::int64_t>()) << "before, or in another sequence";
        if (c->elementwise) {
            EXPECT_EQ(here.sum().item<std::int64_t>(), here.select(-1, 20).sum().item<std::int64_t>()) << c->describe();
        }
    }
}

TEST_P(Scan, SecondDerivativesAreRefused)
{
    const auto c = variant({2, 1, 3}, 0);
    const ScanNumbers in = arguments(*c, drawTrial(*c, 0).numbers, at::kFloat);
    const at::Tensor sum = c->call(in)[0].sum(), &input = in.sequences[0];
    const at::Tensor grad = torch::autograd::grad({sum}, {input}, {}, true, true)[0];
    EXPECT_THAT(errorOf([&] { torch::autograd::grad({grad.sum()}, {input}); }),
                testing::HasSubstr(GetParam().name + "_backward"));
}

INSTANTIATE_TEST_SUITE_P(Every, Scan, testing::ValuesIn(scanKernels()),
                         [](const auto& instance) { return instance.param.name; });

} // namespace
} // namespace unroll::kernels
