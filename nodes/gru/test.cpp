// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/contract/block_case.h"

#include <ATen/TensorOperators.h>
#include <ATen/core/grad_mode.h>
#include <ATen/ops/cat.h>
#include <gtest/gtest.h>

namespace unroll::nodes {

namespace {

using namespace contract;

BlockCase gruCase(const std::string& convention)
{
    BlockCase made = casesOf("gru").front();
    made.params["convention"] = convention;
    return made;
}

/// y of a sequence with given weights.
at::Tensor gruOutput(const std::string& convention, const std::vector<at::Tensor>& weights)
{
    const BlockCase made = gruCase(convention);
    const auto block = build(made);
    {
        const at::NoGradGuard values;
        for (std::size_t i = 0; i < weights.size(); ++i)
            block->weights()[i].tensor.copy_(weights[i]);
    }
    return block->forward(inputsOf(made, *block, {.steps = 7, .mask = false}), {})[0][0];
}

std::vector<at::Tensor> gruWeights()
{
    std::vector<at::Tensor> weights;
    const auto block = build(gruCase("reset_after"), 5);
    for (const Weight& weight : block->weights())
        weights.push_back(weight.tensor.detach());
    return weights;
}

} // namespace

/// Where weights are all alike one convention passes for another; random ones distinguish them.
TEST(Gru, TheConventionsGiveDifferentNumbers)
{
    const auto weights = gruWeights();
    const at::Tensor after = gruOutput("reset_after", weights), before = gruOutput("reset_before", weights);
    EXPECT_GT(difference(after, before), 1e-2);
    EXPECT_GT(difference(before, gruOutput("reset_before_inverted_z", weights)), 1e-2);
}

/// 1 - σ(a) is σ(-a).
TEST(Gru, InvertedZIsZWithItsRowsNegated)
{
    auto weights = gruWeights();
    const at::Tensor plain = gruOutput("reset_before", weights);
    for (at::Tensor& weight : weights)
        weight.narrow(0, weight.size(0) / 3, weight.size(0) / 3).neg_();
    EXPECT_LT(difference(gruOutput("reset_before_inverted_z", weights), plain), 1e-14);
}

/// An open reset gate is none, before the product or after it.
TEST(Gru, WithAnOpenResetGateBeforeAndAfterAreTheSame)
{
    const auto weights = gruWeights();
    for (const at::Tensor& bias : {weights[2], weights[3]})
        bias.narrow(0, 0, bias.size(0) / 3).fill_(400);
    EXPECT_LT(difference(gruOutput("reset_before", weights), gruOutput("reset_after", weights)), 1e-14);
}

TEST(Gru, TellsWhereOnlyResetAfterIsFused)
{
    const auto path = [](const std::string& convention) {
        const BlockCase made = gruCase(convention);
        return made.spec->trainingPath(made.params, {});
    };
    const std::string kernel = "The kernel gru_steps, all steps in one pass";
    EXPECT_EQ(path("reset_after"), kernel + "; on a GPU for many sequences PyTorch's fused operation.");
    EXPECT_EQ(path("reset_before"), kernel + ".");
}

namespace {

/// Keeps what is shown of a signal.
class KeptSignals : public Observer {
public:
    bool wants(const std::string&, const std::string&) const override { return true; }
    void show(const std::string&, const std::string& signal, const at::Tensor& value) override
    {
        m_shown[signal].push_back(value);
    }
    at::Tensor all(const std::string& signal) const { return at::cat(m_shown.at(signal)); }

private:
    std::map<std::string, std::vector<at::Tensor>> m_shown;
};

} // namespace

/// The kernel's gates are those of single steps, at masked steps too.
TEST(Gru, ShowsTheSameGatesWholeAndStepByStep)
{
    for (const char* convention : {"reset_after", "reset_before", "reset_before_inverted_z"}) {
        const BlockCase made = gruCase(convention);
        const auto block = build(made);
        const auto inputs = inputsOf(made, *block, {.steps = 6});
        KeptSignals whole, steps;
        block->forward(inputs, {.observer = &whole});
        Value state = inputs[1];
        for (std::int64_t t = 0; t < 6; ++t) {
            std::vector<Value> now = inputs;
            now[0] = {inputs[0][0].narrow(0, t, 1)};
            now[1] = state;
            if (!inputs[2].empty())
                now[2] = {inputs[2][0].narrow(0, t, 1)};
            state = block->forward(now, {.observer = &steps})[1];
        }
        for (const char* signal : {"h", "r", "z", "n"})
            EXPECT_LT(difference(whole.all(signal), steps.all(signal)), 1e-12) << convention << " " << signal;
    }
}

} // namespace unroll::nodes
