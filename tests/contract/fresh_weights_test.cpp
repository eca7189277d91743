// SPDX-License-Identifier: GPL-3.0-or-later
// Weights as the spec lists them against those that a block makes: names, shapes, how they are trained, and how fresh
// ones are spread.
#include "core/experiment/experiment.h"
#include "tests/contract/block_case.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/eye.h>
#include <ATen/ops/isfinite.h>
#include <gtest/gtest.h>

#include <cmath>
#include <utility>

namespace unroll::contract {

namespace {

constexpr double kRounding = 1e-9;

class FreshWeights : public ::testing::TestWithParam<std::string> {};

std::vector<std::int64_t> sizesOf(const WeightSpec& spec)
{
    std::vector<std::int64_t> sizes;
    for (const WeightSize& each : spec.shape)
        sizes.push_back(each.size);
    return sizes;
}

/// What an end of the span becomes.
double atEnd(const InitialValues& initial, double u)
{
    switch (initial.draw) {
    case InitialValues::Draw::LogOfUniform: return initial.shift + initial.scale * std::log(u);
    case InitialValues::Draw::LogOfLog: return initial.shift + initial.scale * std::log(-0.5 * std::log(u));
    default: return initial.shift + initial.scale * u;
    }
}

std::pair<double, double> boundsOf(const InitialValues& initial)
{
    return std::minmax({atEnd(initial, initial.low), atEnd(initial, initial.high)});
}

/// Mean and deviation within eight times what chance explains: of n elements, sigma / sqrt(n) and about as much.
void expectSpread(const at::Tensor& values, const InitialValues& initial)
{
    const auto n = static_cast<double>(values.numel());
    const double chance = 8 * initial.deviation() / std::sqrt(n) + kRounding;
    EXPECT_NEAR(values.mean().item<double>(), initial.mean(), chance);
    if (values.numel() > 1) {
        EXPECT_NEAR(values.std().item<double>(), initial.deviation(), chance);
    }
}

void expectDrawn(const at::Tensor& values, const InitialValues& initial)
{
    switch (initial.draw) {
    case InitialValues::Draw::None: EXPECT_EQ(values.sub(initial.shift).abs().max().item<double>(), 0); return;
    case InitialValues::Draw::Orthogonal: {
        const at::Tensor lying = values.size(0) <= values.size(1) ? values : values.t();
        const at::Tensor gram = lying.matmul(lying.t()), unit = at::eye(lying.size(0), lying.options());
        EXPECT_LT(gram.sub(unit * initial.scale * initial.scale).abs().max().item<double>(), kRounding);
        return;
    }
    case InitialValues::Draw::Normal:
        if (initial.low < initial.high) {
            EXPECT_LE(values.abs().max().item<double>(), initial.high * std::abs(initial.scale) + kRounding);
        }
        return expectSpread(values, initial);
    default: break;
    }
    const auto [least, most] = boundsOf(initial);
    EXPECT_GE(values.min().item<double>(), least - kRounding);
    EXPECT_LE(values.max().item<double>(), most + kRounding);
    if (initial.draw != InitialValues::Draw::Computed) // how those are spread is a matter of the block's own test
        expectSpread(values, initial);
}

void expectAsListed(const Weight& weight, const WeightSpec& spec)
{
    SCOPED_TRACE(weight.name + ": " + spec.initialText(true));
    EXPECT_EQ(weight.name, spec.name);
    ASSERT_EQ(weight.tensor.sizes().vec(), sizesOf(spec));
    EXPECT_EQ(weight.trained, spec.trained);
    EXPECT_EQ(weight.rule, spec.rule);
    std::int64_t row = 0;
    for (const WeightPart& part : spec.parts) {
        ASSERT_LE(row + part.rows, weight.tensor.size(0));
        expectDrawn(weight.tensor.detach().narrow(0, row, part.rows), part.initial);
        row += part.rows;
    }
    EXPECT_EQ(row, weight.tensor.size(0)) << "every row belongs to a part";
}

} // namespace

TEST_P(FreshWeights, AreTheOnesThatTheSpecLists)
{
    for (const BlockCase& blockCase : freshCasesOf(GetParam())) {
        SCOPED_TRACE(blockCase.text());
        const auto listed = blockCase.spec->weightsOf(blockCase.params, blockCase.inputs);
        const auto block = buildUnshaken(blockCase, 1, at::kDouble);
        ASSERT_EQ(block->weights().size(), listed.size());
        for (std::size_t i = 0; i < listed.size(); ++i)
            expectAsListed(block->weights()[i], listed[i]);
    }
}

/// On top of what the block itself has for a weight.
TEST_P(FreshWeights, AreTrainedWithTheBlocksScale)
{
    for (const BlockCase& blockCase : freshCasesOf(GetParam())) {
        const auto block = buildUnshaken(blockCase, 1, at::kFloat);
        if (block->weights().empty())
            continue;
        Params plain = blockCase.params;
        const double scale = std::get<double>(std::exchange(plain.at("learning_rate_scale"), 1.0));
        const auto listed = blockCase.spec->weightsOf(plain, blockCase.inputs);
        for (std::size_t i = 0; i < listed.size(); ++i)
            EXPECT_EQ(block->weights()[i].rule.learningRateScale, scale * listed[i].rule.learningRateScale);
    }
}

TEST_P(FreshWeights, AreSaidInWordsWhileInputsAreFree)
{
    const BlockSpec& spec = *registry().find(GetParam());
    for (const WeightSpec& weight : spec.weightsOf(spec.withDefaults({}), {})) {
        for (const std::string& words : {weight.symbols(), weight.initialText(false), weight.trainingText()}) {
            EXPECT_FALSE(words.empty()) << weight.name;
            EXPECT_EQ(words.find("inf"), std::string::npos) << words;
            EXPECT_EQ(words.find("nan"), std::string::npos) << words;
        }
    }
}

TEST_P(FreshWeights, OfSinglePrecisionAreFinite)
{
    for (const BlockCase& blockCase : freshCasesOf(GetParam())) {
        SCOPED_TRACE(blockCase.text());
        const auto listed = blockCase.spec->weightsOf(blockCase.params, blockCase.inputs);
        const auto block = buildUnshaken(blockCase, 2, at::kFloat);
        for (std::size_t i = 0; i < listed.size(); ++i) {
            const at::Tensor values = block->weights()[i].tensor.detach();
            EXPECT_EQ(values.scalar_type(), at::kFloat);
            EXPECT_TRUE(values.isfinite().all().item<bool>()) << listed[i].name;
        }
    }
}

INSTANTIATE_TEST_SUITE_P(Blocks, FreshWeights, ::testing::ValuesIn(computingBlocks()), blockName);

namespace {

/// One short sentence: a full stop at its end and none before another word.
void expectShortSentence(const std::string& text, const std::string& place)
{
    ASSERT_FALSE(text.empty()) << place;
    EXPECT_LE(text.size(), 110u) << place << ": " << text;
    EXPECT_EQ(text.back(), '.') << place << ": " << text;
    EXPECT_EQ(text.find(". "), std::string::npos) << place << ": " << text;
    EXPECT_EQ(text.find('\n'), std::string::npos) << place;
}

void expectExplained(const std::vector<ParamSpec>& params, const std::string& owner)
{
    for (const ParamSpec& param : params) {
        const std::string place = owner + "." + param.name;
        EXPECT_FALSE(param.help.empty()) << place;
        EXPECT_EQ(param.type == ParamType::Choice, !param.choices.empty()) << place;
        for (const ChoiceSpec& choice : param.choices) {
            expectShortSentence(choice.explanation, place + " = " + choice.value);
            EXPECT_EQ(param.choice(choice.value), &choice) << place << " occurs twice: " << choice.value;
        }
    }
}

} // namespace

TEST(Choices, OfEveryBlockAreExplained)
{
    for (const BlockSpec* spec : registry().all())
        expectExplained(spec->params, spec->id);
}

TEST(Choices, OfEveryTrainingSettingAreExplained)
{
    expectExplained(trainSettingSpecs(), "training");
}

} // namespace unroll::contract
