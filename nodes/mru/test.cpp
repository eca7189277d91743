// SPDX-License-Identifier: GPL-3.0-or-later
#include "nodes/mru/matrices.h"
#include "nodes/mru/scans.h"
#include "tests/contract/block_case.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/eye.h>
#include <ATen/ops/linalg_det.h>
#include <ATen/ops/linalg_qr.h>
#include <ATen/ops/matmul.h>
#include <ATen/ops/ones.h>
#include <ATen/ops/rand.h>
#include <ATen/ops/randn.h>
#include <ATen/ops/tensor.h>
#include <ATen/ops/zeros.h>
#include <gtest/gtest.h>
#include <torch/csrc/autograd/autograd.h>

namespace unroll::nodes {

namespace {

using namespace contract;

const char* const kMakers[] = {"ldu", "identity", "cayley", "householder", "old"};

BlockCase mruCase(const Params& params)
{
    BlockCase made = casesOf("mru").front();
    for (const auto& [name, value] : params)
        made.params[name] = value;
    return made;
}

struct ShownByMru : Observer {
    std::map<std::string, at::Tensor> seen;
    bool wants(const std::string&, const std::string&) const override { return true; }
    void show(const std::string&, const std::string& signal, const at::Tensor& value) override
    {
        seen[signal] = value.clone();
    }
};

/// What a block with this width may read, [T, 2, width].
at::Tensor mruInput(const BlockCase& made, std::int64_t steps, at::ScalarType type)
{
    at::Generator random = generatorOf(41);
    return at::randn({steps, 2, made.inputs.at("x").width}, random, at::kDouble).to(type);
}

std::map<std::string, at::Tensor> shown(Block& block, const at::Tensor& x, bool bf16 = false)
{
    ShownByMru observer;
    block.forward({{x}, {}, {}}, {.observer = &observer, .bf16 = bf16});
    return observer.seen;
}

} // namespace

/// mru-lm's optimiser: 1/n √(2 / T) of the rate with weight decay, clipped as one group to √(T / 2); branch old: as any
/// other matrix.
TEST(Mru, IsTrainedAsItsAuthorsDo)
{
    const auto ruleOf = [](const Params& params) {
        const BlockCase made = mruCase(params);
        return made.spec->weightsOf(made.params, made.inputs).front().rule.atLength(256);
    };
    const std::string rule = "training_rule";
    const WeightRule theirs =
        ruleOf({{"maker", std::string("ldu")}, {"matrix_size", std::int64_t{8}}, {rule, std::string("mru_lm")}});
    EXPECT_EQ(theirs.decay, true);
    EXPECT_NEAR(theirs.learningRateScale, 1.0 / 8 * std::sqrt(2.0 / 256), 1e-12);
    EXPECT_NEAR(theirs.clipScale, 11.3137, 1e-4);
    EXPECT_EQ(theirs.clipGroup, "state_matrices_up");
    const WeightRule old = ruleOf({{"maker", std::string("old")}, {rule, std::string("as_others")}});
    EXPECT_EQ(old, WeightRule{});
    const WeightRule before = ruleOf({{"maker", std::string("ldu")}, {"matrix_size", std::int64_t{8}}});
    EXPECT_EQ(before, (WeightRule{.decay = false, .learningRateScale = 1.0 / 8, .clipGroup = "state_matrices_up"}))
        << "what files of before mean";
}

TEST(Mru, BeginsAsTheIdentity)
{
    for (const char* maker : kMakers) {
        const BlockCase made = mruCase({{"maker", std::string(maker)}});
        const auto block = buildUnshaken(made, 1, at::kDouble);
        const auto signals = shown(*block, mruInput(made, 4, at::kDouble));
        EXPECT_EQ(signals.at("log_norm").abs().max().item<double>(), 0) << maker;
        EXPECT_TRUE(signals.at("H").equal(signals.at("M"))) << maker;
    }
}

TEST(Mru, RotationsKeepTheirLengthForever)
{
    for (const char* maker : {"cayley", "householder"}) {
        const BlockCase made = mruCase({{"maker", std::string(maker)}});
        const auto block = build(made, 3, at::kFloat);
        const auto signals = shown(*block, mruInput(made, 2000, at::kFloat) * 3);
        EXPECT_LT(signals.at("log_norm").abs().max().item<double>(), 1e-4) << maker;
        EXPECT_GT(signals.at("M").std().item<double>(), 0.1) << maker << " turns";
    }
}

/// A determinant of 1 bounds nothing: the norm monitor sees it.
TEST(Mru, LduHasADeterminantOfOneAndGrows)
{
    const BlockCase made = mruCase({{"matrix_size", std::int64_t{4}}});
    const auto block = build(made, 3, at::kDouble);
    const auto signals = shown(*block, mruInput(made, 40, at::kDouble));
    EXPECT_LT((at::linalg_det(signals.at("M")) - 1).abs().max().item<double>(), 1e-10);
    EXPECT_GT(signals.at("log_norm")[39].min().item<double>(), 1);
}

/// Two steps give the identity again, one does not: what parity needs.
TEST(Mru, LduOfThreeRowsAndTwoReflectionsHoldParity)
{
    const at::Tensor ldu = at::tensor({0, -2, 2, 2, 0, -2, 2, 2, 0}, at::kDouble);
    const at::Tensor flip = mru::makeMatrices("ldu", ldu, 3);
    EXPECT_TRUE(flip.equal(at::tensor({1, -2, 2, 2, -3, 2, 2, -2, 1}, at::kDouble).view({3, 3})));
    EXPECT_TRUE(at::matmul(flip, flip).equal(at::eye(3, at::kDouble)));
    const at::Tensor reflections = at::tensor({0, 0, 0, -1, 1, 0}, at::kDouble); // e1, then e2
    const at::Tensor half = mru::makeMatrices("householder", reflections, 3);
    EXPECT_TRUE(half.equal(at::tensor({-1, 0, 0, 0, -1, 0, 0, 0, 1}, at::kDouble).view({3, 3})));
}

namespace {

/// States, last states and gradients of a scan over rotations.
std::vector<at::Tensor> scanned(const std::string& scan, std::int64_t steps, bool initial, bool masked)
{
    at::Generator random = generatorOf(static_cast<std::uint64_t>(steps));
    const at::Tensor m =
        std::get<0>(at::linalg_qr(at::randn({steps, 2, 3, 4, 4}, random, at::kDouble))).set_requires_grad(true);
    const at::Tensor start = at::randn({2, 3, 4, 4}, random, at::kDouble).set_requires_grad(true);
    const at::Tensor real = at::rand({steps, 2}, random, at::kDouble).lt(0.7);
    const auto result = mru::scanMatrices(scan, m, initial ? std::optional(start) : std::nullopt,
                                          masked ? std::optional(real) : std::nullopt);
    const at::Tensor toStates = at::randn(m.sizes(), random, at::kDouble);
    const at::Tensor toLast = at::randn(start.sizes(), random, at::kDouble);
    const at::Tensor score = (result.h * toStates).sum() + (result.last * toLast).sum();
    std::vector<at::Tensor> found = {result.h, result.last};
    const auto leaves = initial ? std::vector<at::Tensor>{m, start} : std::vector<at::Tensor>{m};
    for (const at::Tensor& gradient : torch::autograd::grad({score}, leaves))
        found.push_back(gradient);
    return found;
}

} // namespace

TEST(Mru, EveryScanGivesTheSameStatesForAnyLength)
{
    for (const char* scan : {"auto", "chunked", "brent_kung", "hillis_steele", "sklansky"})
        for (const std::int64_t steps : {1, 2, 3, 4, 5, 7, 8, 9, 31, 64, 65, 129, 200})
            for (const bool initial : {false, true})
                for (const bool masked : {false, true}) {
                    const auto want = scanned("sequential", steps, initial, masked);
                    const auto got = scanned(scan, steps, initial, masked);
                    for (std::size_t i = 0; i < want.size(); ++i)
                        EXPECT_LT(difference(got[i], want[i]), 1e-12)
                            << scan << " " << steps << (initial ? " initial" : "") << (masked ? " masked" : "");
                }
}

/// One launch where the kernel cuts the steps itself.
TEST(Mru, OnAGpuOnlyMatricesThatTheKernelDoesNotCutAreChunkedHere)
{
    for (const std::int64_t n : {2, 8, 16})
        EXPECT_FALSE(mru::chunkedOnGpu({4096, 1, 2, n, n})) << n;
    EXPECT_TRUE(mru::chunkedOnGpu({4096, 1, 2, 17, 17}));
    EXPECT_TRUE(mru::chunkedOnGpu({256, 1, 2, 64, 64}));
    EXPECT_FALSE(mru::chunkedOnGpu({255, 1, 2, 64, 64})) << "few steps";
    EXPECT_FALSE(mru::chunkedOnGpu({4096, 64, 2, 64, 64})) << "rows enough";
}

/// Products in bf16 round what M is made of, and nothing of the states.
TEST(Mru, StatesStayInSinglePrecision)
{
    const BlockCase made = mruCase({{"maker", std::string("cayley")}});
    const auto block = build(made, 2, at::kFloat);
    const at::Tensor x = mruInput(made, 300, at::kFloat);
    const auto signals = shown(*block, x, /*bf16=*/true);
    const at::Tensor m = signals.at("M");
    EXPECT_GT(difference(m, shown(*block, x).at("M")), 1e-4) << "M is made in bf16";
    const at::Tensor exact = kernels::matrixScan(m.to(at::kDouble)).h;
    EXPECT_LT(difference(signals.at("H"), exact), 1e-4);
    EXPECT_LT(signals.at("log_norm").abs().max().item<double>(), 1e-4);
}

/// Weights and steps of an mru-lm layer: its numbers by hand, units = in = heads n columns.
TEST(Mru, ReadsTheStateHeadByHeadAndRowByRow)
{
    BlockCase made =
        mruCase({{"units", std::int64_t{4}}, {"num_heads", std::int64_t{1}}, {"matrix_size", std::int64_t{2}}});
    made.inputs["x"].width = 4;
    made.inputs["state"].width = 4;
    const auto block = build(made, 1, at::kDouble);
    const at::Tensor h = at::tensor({3, 5, 7, 11}, at::kDouble);
    std::map<std::string, at::Tensor> weights;
    for (Weight& weight : block->weights()) {
        weight.tensor.detach().zero_();
        weights[weight.name] = weight.tensor.detach();
    }
    weights["state_matrices_down"].copy_(at::tensor({1, 10, 100, 1000}, at::kDouble).view({1, 2, 2}));
    weights["mru_out"].copy_(at::eye(4, at::kDouble));
    const at::Tensor state = (h - at::tensor({1, 0, 0, 1}, at::kDouble)).unsqueeze(0);
    const auto outputs = block->forward({{at::zeros({1, 1, 4}, at::kDouble)}, {state}, {}}, {});
    EXPECT_TRUE(outputs[0][0].flatten().equal(at::tensor({503, 5030, 1107, 11070}, at::kDouble)));
    EXPECT_TRUE(outputs[1][0].equal(state)) << "M is the identity";
}

} // namespace unroll::nodes
