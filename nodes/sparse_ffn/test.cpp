// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/model/rounding_record.h"
#include "tests/contract/block_case.h"

#include <ATen/TensorOperators.h>
#include <ATen/core/grad_mode.h>
#include <ATen/ops/equal.h>
#include <ATen/ops/ones_like.h>
#include <ATen/ops/randn.h>
#include <ATen/ops/zeros.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <map>
#include <stdexcept>
#include <utility>

namespace unroll::nodes {

namespace {

using namespace contract;

constexpr std::int64_t kSparseIn = 12, kSparseUnits = 10, kSparseInner = 96, kSparseBlock = 16;

BlockCase sparseCase(const Params& params = {})
{
    const BlockSpec* spec = registry().find("sparse_ffn");
    BlockCase made{spec, spec->withDefaults(params), {}};
    for (const auto& [name, size] : {std::pair<const char*, std::int64_t>{"units", kSparseUnits},
                                     {"inner", kSparseInner},
                                     {"block_size", kSparseBlock},
                                     {"rank", 5}})
        made.params[name] = size;
    made.inputs["x"] = {.type = PortType::Sequence, .width = kSparseIn};
    return made;
}

at::Tensor& sparseWeight(Block& block, const std::string& name)
{
    for (Weight& weight : block.weights())
        if (weight.name == name)
            return weight.tensor;
    throw std::invalid_argument(name);
}

struct SparseSignals : Observer {
    std::map<std::string, at::Tensor> signals;
    bool wants(const std::string&, const std::string&) const override { return true; }
    void show(const std::string&, const std::string& signal, const at::Tensor& value) override
    {
        signals[signal] = value.clone();
    }
};

/// What multiplies the hidden units, [T, B, blocks, block_size].
at::Tensor sparseFactors(Block& block, const at::Tensor& x, bool training, std::uint64_t seed = 1)
{
    SparseSignals seen;
    at::Generator generator = generatorOf(seed);
    block.forward({{x}}, {.training = training, .dropout = &generator, .observer = &seen});
    return seen.signals.at("m").unflatten(-1, {-1, kSparseBlock});
}

at::Tensor sparseOutput(Block& block, const at::Tensor& x, const PassContext& context = {})
{
    return block.forward({{x}}, context)[0][0].detach();
}

} // namespace

/// The same numbers by gathered rows and by all of them, in both precisions and rounded to bfloat16, with biases and
/// without, one token and as many as are gathered.
TEST(SparseFfn, GatheredRowsGiveWhatAllUnitsGive)
{
    for (const bool bias : {true, false})
        for (const at::ScalarType type : {at::kDouble, at::kFloat})
            for (const auto& [steps, sequences] :
                 {std::pair<std::int64_t, std::int64_t>{1, 1}, {1, 4}, {2, 4}, {3, 1}}) {
                const auto block = build(sparseCase({{"use_bias", bias}}), 1, type);
                const at::Tensor x = at::randn({steps, sequences, kSparseIn}, generatorOf(3), at::kDouble).to(type);
                for (const bool bf16 : {false, true}) {
                    const at::Tensor all = sparseOutput(*block, x, {.bf16 = bf16});
                    const at::NoGradGuard decoding;
                    const at::Tensor kept = sparseOutput(*block, x, {.bf16 = bf16});
                    EXPECT_EQ(kept.scalar_type(), type);
                    EXPECT_LT(difference(kept, all), bf16 ? 2e-2 : type == at::kDouble ? 1e-13 : 1e-6);
                }
            }
}

/// Rows that are not kept are not read: whatever stands there leaves the output as it is.
TEST(SparseFfn, OfWhatIsNotKeptNothingIsRead)
{
    const auto block = build(sparseCase());
    const at::Tensor x = at::randn({1, 2, kSparseIn}, generatorOf(3), at::kDouble);
    const at::Tensor kept =
        sparseFactors(*block, x, false).flatten(-2).sum(at::IntArrayRef{0, 1}).gt(0); // by any of both tokens
    const at::NoGradGuard decoding;
    const at::Tensor before = sparseOutput(*block, x);
    for (const char* name : {"weight_up", "bias_up", "weight_down"}) {
        const at::Tensor weight = sparseWeight(*block, name);
        const at::Tensor others = kept.logical_not();
        weight.detach().masked_fill_(weight.dim() == 2 ? others.unsqueeze(1) : others,
                                     std::numeric_limits<double>::quiet_NaN());
    }
    EXPECT_TRUE(at::equal(sparseOutput(*block, x), before));
}

TEST(SparseFfn, EachStepKeepsTheBestUnitOfEachBlock)
{
    const auto block = build(sparseCase());
    const at::Tensor x = at::randn({7, 3, kSparseIn}, generatorOf(3), at::kDouble), m = sparseFactors(*block, x, false);
    EXPECT_TRUE(at::equal(m.sum(-1), at::ones_like(m.select(-1, 0))));
    EXPECT_EQ(m.max().item<double>(), 1);
    const at::Tensor scores =
        x.matmul(sparseWeight(*block, "weight_low").t()).matmul(sparseWeight(*block, "weight_control").t());
    EXPECT_TRUE(at::equal(m.argmax(-1), scores.unflatten(-1, {-1, kSparseBlock}).argmax(-1)));
}

/// Units are drawn by the Gumbel-max rule: with probability softmax(z / temperature), and without a temperature by
/// gumbel_softmax.
TEST(SparseFfn, UnitsAreDrawnByTheirProbability)
{
    constexpr double kTemperature = 0.5;
    for (const bool relaxed : {false, true}) {
        const auto block = build(sparseCase({{"soft_share", 0.0},
                                             {"temperature", kTemperature},
                                             {"convention", std::string(relaxed ? "gumbel_softmax" : "trax")}}));
        const at::Tensor one = at::randn({1, 1, kSparseIn}, generatorOf(3), at::kDouble),
                         x = one.expand({200, 100, kSparseIn});
        const at::Tensor found = sparseFactors(*block, x, true).mean(at::IntArrayRef{0, 1});
        const at::Tensor z =
            one.matmul(sparseWeight(*block, "weight_low").t()).matmul(sparseWeight(*block, "weight_control").t());
        const at::Tensor wanted = z.view({-1, kSparseBlock}).div(relaxed ? 1 : kTemperature).softmax(-1).detach();
        EXPECT_LT(found.sub(wanted).abs().max().item<double>(), 4 * 0.5 / std::sqrt(20000.0)) << relaxed;
    }
}

/// A pass is soft or not as a whole, as often as the share says.
TEST(SparseFfn, SoftPassesAreTheShareOfAll)
{
    const auto block = build(sparseCase({{"soft_share", 0.7}}));
    const at::Tensor x = at::randn({2, 2, kSparseIn}, generatorOf(3), at::kDouble);
    int soft = 0;
    constexpr int kPasses = 400;
    for (int pass = 0; pass < kPasses; ++pass) {
        const at::Tensor m = sparseFactors(*block, x, true, static_cast<std::uint64_t>(pass));
        EXPECT_LT(difference(m.sum(-1), at::ones_like(m.select(-1, 0))), 1e-12);
        const at::Tensor most = m.amax(-1);
        const bool hard = most.min().item<double>() == 1;
        EXPECT_TRUE(hard || most.max().item<double>() < 1);
        soft += hard ? 0 : 1;
    }
    EXPECT_NEAR(soft / double{kPasses}, 0.7, 0.1);
}

TEST(SparseFfn, DrawsFromThePassAlone)
{
    const auto block = build(sparseCase());
    const at::Tensor x = at::randn({5, 2, kSparseIn}, generatorOf(3), at::kDouble);
    const auto drawn = [&](std::uint64_t seed) {
        at::Generator generator = generatorOf(seed);
        const at::Tensor first = sparseOutput(*block, x, {.training = true, .dropout = &generator});
        return std::pair{first, sparseOutput(*block, x, {.training = true, .dropout = &generator})};
    };
    EXPECT_TRUE(at::equal(drawn(5).first, drawn(5).first));
    EXPECT_TRUE(at::equal(drawn(5).second, drawn(5).second));
    EXPECT_FALSE(at::equal(drawn(5).first, drawn(5).second));
    EXPECT_FALSE(at::equal(drawn(5).first, drawn(6).first));
}

/// What is exported for comparison says where the last bit decides.
TEST(SparseFfn, ChoicesBetweenNearlyEqualScoresAreRecorded)
{
    const auto block = build(sparseCase());
    const at::Tensor zeros = at::zeros({2, 1, kSparseIn}, at::kDouble),
                     x = at::randn({2, 1, kSparseIn}, generatorOf(3), at::kDouble);
    const at::NoGradGuard guard;
    RoundingRecord record;
    sparseOutput(*block, x);
    sparseOutput(*block, zeros);
    EXPECT_EQ(record.choices(), 2);
    EXPECT_EQ(record.roundings(), 0);
    const at::Tensor ties = record.nearTies(); // of the second pass: all scores are 0
    ASSERT_EQ(ties.size(0), 2 * kSparseInner / kSparseBlock);
    EXPECT_TRUE(at::equal(ties.select(1, 0), at::ones_like(ties.select(1, 0))));
    EXPECT_EQ(ties.select(1, 2).abs().sum().item<std::int64_t>(), 0) << "the first of equal ones";
}

TEST(SparseFfn, BlocksThatDoNotFitOfferSomeThatDo)
{
    BlockCase made = sparseCase();
    EXPECT_TRUE(infer(made).diagnostics.empty());
    made.params["block_size"] = std::int64_t{10};
    const auto found = infer(made);
    ASSERT_EQ(found.diagnostics.size(), 1u);
    EXPECT_EQ(found.diagnostics[0].where, "block_size");
    EXPECT_EQ(found.diagnostics[0].sentence, "block_size must divide inner, 96; it is 10");
    EXPECT_EQ(found.offer->second, ParamValue(std::int64_t{8}));
    made.params["inner"] = std::int64_t{97};
    EXPECT_EQ(infer(made).offer->first, "inner");
    EXPECT_EQ(infer(made).offer->second, ParamValue(std::int64_t{90}));
}

/// 2 rank (in + inner) and 2 (in + units) for each hidden unit that is computed.
TEST(SparseFfn, SaysWhatAStepOfDecodingTakes)
{
    const BlockCase made = sparseCase();
    EXPECT_EQ(
        made.spec->trainingPath(made.params, made.inputs),
        "All hidden units, those that are not kept times 0; outside training one step of few sequences computes the "
        "kept ones alone, 1,344 FLOPs in the place of 5,304.");
}

} // namespace unroll::nodes
