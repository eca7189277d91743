// SPDX-License-Identifier: GPL-3.0-or-later
#include "nodes/shared/activation_parts.h"
#include "nodes/shared/activations.h"
#include "tests/contract/block_case.h"

#include <ATen/ops/equal.h>
#include <ATen/ops/full.h>
#include <ATen/ops/randn.h>
#include <ATen/ops/tensor.h>
#include <c10/util/Exception.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace unroll::nodes {

namespace {

using namespace contract;

BlockCase caseOf(const std::string& function, std::int64_t width)
{
    BlockCase made{registry().find("activation"), {}, {}};
    made.params = made.spec->withDefaults({{"function", function}});
    made.inputs["x"] = {.type = PortType::Sequence, .width = width};
    return made;
}

/// One step of one sequence.
at::Tensor oneRow(std::vector<double> numbers)
{
    const auto width = static_cast<std::int64_t>(numbers.size());
    return at::tensor(numbers, at::kDouble).view({1, 1, width});
}

at::Tensor activated(const BlockCase& made, const at::Tensor& x)
{
    return build(made, 1, x.scalar_type())->forward({{x}}, {})[0][0];
}

void expectRow(const std::string& function, std::vector<double> x, std::vector<double> want)
{
    const BlockCase made = caseOf(function, static_cast<std::int64_t>(x.size()));
    EXPECT_LT(difference(activated(made, oneRow(x)), oneRow(want)), 1e-14) << function;
    EXPECT_LT(difference(activated(made, oneRow(x).to(at::kFloat)), oneRow(want).to(at::kFloat)), 1e-6) << function;
}

/// The gradient of x where (1, 2, 3) comes to y.
at::Tensor gradientOf(const std::string& function, std::vector<double> x)
{
    const at::Tensor leaf = oneRow(std::move(x)).set_requires_grad(true);
    activated(caseOf(function, 3), leaf).mul(oneRow({1, 2, 3})).sum().backward();
    return leaf.grad();
}

std::vector<std::string> namesOf(FunctionKind kind)
{
    std::vector<std::string> names;
    for (const FunctionSpec& each : activationFunctions())
        if (each.kind == kind)
            names.push_back(each.choice.value);
    return names;
}

/// Whether, where one feature of a step is another, the others of that step give other numbers; another step never
/// does.
bool mixesFeatures(const std::string& function)
{
    const at::Tensor x = at::randn({3, 2, 4}, generatorOf(5), at::kDouble).mul(0.1);
    at::Tensor other = x.clone();
    other[1][0][2] += 0.05;
    const BlockCase made = caseOf(function, 4);
    const at::Tensor moved = activated(made, other).ne(activated(made, x));
    EXPECT_FALSE(moved[0].any().item<bool>() || moved[2].any().item<bool>() || moved[1][1].any().item<bool>())
        << function << " reads another step";
    return moved[1][0].index_select(0, at::tensor({0, 1, 3})).any().item<bool>();
}

} // namespace

TEST(ActivationFunctions, AreOfTheKindThatIsSaid)
{
    EXPECT_EQ(namesOf(FunctionKind::OverFeatures), (std::vector<std::string>{"softmax", "log_softmax", "sparsemax"}));
    for (const FunctionSpec& each : activationFunctions()) {
        const std::string& name = each.choice.value;
        EXPECT_EQ(mixesFeatures(name), each.kind == FunctionKind::OverFeatures) << name;
        if (each.kind == FunctionKind::Elementwise)
            EXPECT_EQ(elementFunction(name), activationFunction(name));
        else
            EXPECT_THROW(elementFunction(name), c10::Error) << name;
    }
}

TEST(ActivationFunctions, OfCellsAndGatesAreElementwise)
{
    int offering = 0;
    for (const std::string& id : computingBlocks())
        for (const ParamSpec& param : registry().find(id)->params) {
            if (id == "activation" || (param.choice("tanh") == nullptr && param.choice("sigmoid") == nullptr))
                continue;
            ++offering;
            for (const FunctionKind kind : {FunctionKind::OverFeatures, FunctionKind::WithNumbers})
                for (const std::string& name : namesOf(kind))
                    EXPECT_EQ(param.choice(name), nullptr) << id << "." << param.name << " offers " << name;
        }
    EXPECT_GT(offering, 6);
}

TEST(Activation, GivesSharesThatWereWorkedOutByHand)
{
    const double ln2 = std::log(2.0), ln5 = std::log(5.0), ln8 = std::log(8.0);
    expectRow("softmax", {0, ln2, ln5}, {0.125, 0.25, 0.625});
    expectRow("log_softmax", {0, ln2, ln5}, {-ln8, ln2 - ln8, ln5 - ln8});
    // two are open: c = (1.1 + 0.2 - 1) / 2
    expectRow("sparsemax", {0.1, 1.1, 0.2}, {0, 0.95, 0.05});
    expectRow("sparsemax", {0.5, 1.5, 0.4}, {0, 1, 0});
    expectRow("sparsemax", {2.1, 2.2, 2.0}, {1.0 / 3, 1.0 / 3 + 0.1, 1.0 / 3 - 0.1});
}

TEST(Activation, HasGradientsThatWereWorkedOutByHand)
{
    // y ∘ (g - Σ g y), Σ g y = 2.5; g - y Σ g; g less its mean over what is open
    const std::vector<double> x = {0, std::log(2.0), std::log(5.0)};
    EXPECT_LT(difference(gradientOf("softmax", x), oneRow({-0.1875, -0.125, 0.3125})), 1e-14);
    EXPECT_LT(difference(gradientOf("log_softmax", x), oneRow({0.25, 0.5, -0.75})), 1e-14);
    EXPECT_LT(difference(gradientOf("sparsemax", {0.1, 1.1, 0.2}), oneRow({0, -0.5, 0.5})), 1e-14);
    EXPECT_LT(difference(gradientOf("sparsemax", {7, 7, 7}), oneRow({-1, 0, 1})), 1e-14);
}

TEST(Activation, TakesRowsOfEqualAndOfHugeNumbers)
{
    const double ln2 = std::log(2.0), ln3 = std::log(3.0);
    for (const double same : {0.0, 1e4, -1e4}) {
        expectRow("softmax", {same, same, same}, {1.0 / 3, 1.0 / 3, 1.0 / 3});
        expectRow("log_softmax", {same, same, same}, {-ln3, -ln3, -ln3});
        expectRow("sparsemax", {same, same, same}, {1.0 / 3, 1.0 / 3, 1.0 / 3});
    }
    expectRow("softmax", {1e4, -1e4, 1e4}, {0.5, 0, 0.5});
    expectRow("log_softmax", {1e4, -1e4, 1e4}, {-ln2, -2e4 - ln2, -ln2});
    expectRow("sparsemax", {1e4, -1e4, 1e4}, {0.5, 0, 0.5});
}

/// Wide rows, where sums of many features round: shares stay shares.
TEST(Activation, OfSparsemaxSumsToOneInSinglePrecision)
{
    for (const double scale : {1e-3, 1.0, 1e4}) {
        const at::Tensor x = at::randn({4, 2, 3000}, generatorOf(8), at::kDouble).mul(scale).to(at::kFloat);
        const at::Tensor y = activated(caseOf("sparsemax", 3000), x);
        EXPECT_GE(y.min().item<float>(), 0);
        EXPECT_LT(difference(y.to(at::kDouble).sum(-1), at::full({4, 2}, 1.0, at::kDouble)), 1e-4) << scale;
    }
}

/// What is not a number is seen, in its row alone.
TEST(Activation, OverFeaturesShowsNaN)
{
    for (const std::string& name : namesOf(FunctionKind::OverFeatures)) {
        at::Tensor x = at::randn({2, 2, 5}, generatorOf(2), at::kDouble);
        x[1][0][3] = std::numeric_limits<double>::quiet_NaN();
        const at::Tensor y = activated(caseOf(name, 5), x);
        EXPECT_TRUE(y[1][0].isnan().all().item<bool>()) << name;
        EXPECT_EQ(y.isnan().sum().item<std::int64_t>(), 5) << name;
    }
}

TEST(Activation, OverOneFeatureIsAConstantAndSaysSo)
{
    for (const std::string& name : namesOf(FunctionKind::OverFeatures)) {
        expectRow(name, {-3}, {name == "log_softmax" ? 0.0 : 1.0});
        const auto found = infer(caseOf(name, 1)).diagnostics;
        ASSERT_EQ(found.size(), 1U) << name;
        EXPECT_EQ(found[0].code, "one-feature");
        EXPECT_TRUE(infer(caseOf(name, 2)).diagnostics.empty()) << name;
    }
    EXPECT_TRUE(infer(caseOf("tanh", 1)).diagnostics.empty());
}

TEST(Activation, KeepsWhatIsAboveItsThreshold)
{
    BlockCase made = caseOf("threshold", 4);
    EXPECT_TRUE(at::equal(activated(made, oneRow({-2, 0, 0.5, 3})), oneRow({0, 0, 0.5, 3}))) << "a relu";
    made.params["threshold"] = 0.5;
    made.params["default_value"] = -7.0;
    EXPECT_TRUE(at::equal(activated(made, oneRow({-2, 0, 0.5, 3})), oneRow({-7, -7, -7, 3})));
}

TEST(Activation, CostsWhatItsFunctionDoes)
{
    const auto costs = [](const std::string& function) {
        const Cost cost = costOf(caseOf(function, 8));
        return std::pair(cost.forwardFlops, cost.backwardFlops);
    };
    EXPECT_EQ(costs("tanh"), std::pair(8.0, 16.0));
    EXPECT_EQ(costs("identity"), std::pair(0.0, 0.0));
    EXPECT_EQ(costs("softmax"), std::pair(40.0, 32.0));
    EXPECT_EQ(costs("log_softmax"), std::pair(40.0, 32.0));
    EXPECT_EQ(costs("sparsemax"), std::pair(8.0 * 16, 32.0)); // three rounds of sorting
    EXPECT_EQ(costs("threshold"), std::pair(8.0, 16.0));
}

/// What a cell or a gate refuses is said at its parameter.
TEST(Activation, OfAnotherBlockNamesTheFunctionsThatItLacks)
{
    const std::string shared = "softmax, log_softmax, sparsemax and threshold.";
    for (const auto& [block, lacks] : {std::pair("gru", "exponential, hard_shrink, soft_shrink, " + shared),
                                       std::pair("lstm", "exponential, hard_shrink, soft_shrink, " + shared),
                                       std::pair("grumml", shared), std::pair("glu", shared)}) {
        const ParamSpec& param = *registry().find(block)->param("activation");
        EXPECT_TRUE(param.help.ends_with(": all of the Activation block's but " + lacks)) << param.help;
        EXPECT_EQ(param.choice("threshold"), nullptr) << block;
        EXPECT_NE(param.choice("mish"), nullptr) << block;
    }
}

} // namespace unroll::nodes
