// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/contract/block_case.h"

#include <ATen/TensorOperators.h>
#include <ATen/core/grad_mode.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/randn.h>
#include <ATen/ops/zeros.h>
#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <string>

namespace unroll::nodes {

namespace {

using namespace contract;

std::unique_ptr<Block> hgrnWithout(const BlockCase& made, double theta)
{
    auto block = build(made);
    const at::NoGradGuard values;
    for (Weight& weight : block->weights())
        if (weight.name == "theta")
            weight.tensor.fill_(theta);
        else if (weight.name != "g_norm.weight" && weight.name != "o_proj.weight")
            weight.tensor.zero_();
    return block;
}

struct HgrnSignals : Observer {
    std::map<std::string, at::Tensor> signals;
    bool wants(const std::string&, const std::string&) const override { return true; }
    void show(const std::string&, const std::string& signal, const at::Tensor& value) override
    {
        signals[signal] = value.detach().clone();
    }
};

SignalKind hgrnKind(const BlockCase& made, const std::string& name)
{
    for (const SignalSpec& signal : made.spec->signalSpecs)
        if (signal.name == name)
            return signal.lookOf(made.params);
    return SignalKind::Matrix;
}

} // namespace

/// Numbers 2 j and 2 j + 1 are the parts of unit j, as of every complex signal; the state has all real parts first.
TEST(Hgrn, ComplexSignalsHaveBothPartsOfAUnitInTurn)
{
    BlockCase made = casesOf("hgrn").front();
    const std::int64_t units = std::get<std::int64_t>(made.params.at("units"));
    for (const char* signal : {"h", "i"})
        EXPECT_EQ(hgrnKind(made, signal), SignalKind::Complex) << signal;
    const auto block = build(made);
    HgrnSignals shown;
    const auto inputs = inputsOf(made, *block, {.steps = 3, .state = false, .mask = false});
    const at::Tensor last = block->forward(inputs, {.observer = &shown, .node = "n"})[1][0]; // [B, 2 units]
    const at::Tensor h = shown.signals.at("h")[2].unflatten(-1, {units, 2}), i = shown.signals.at("i")[0];
    EXPECT_EQ(difference(h.select(-1, 0), last.narrow(-1, 0, units)), 0);
    EXPECT_EQ(difference(h.select(-1, 1), last.narrow(-1, units, units)), 0);
    EXPECT_GT(difference(h.select(-1, 1), h.select(-1, 0)), 1e-3);
    const at::Tensor first = shown.signals.at("h")[0].unflatten(-1, {units, 2});
    const at::Tensor share = (1 - shown.signals.at("f")[0]).unsqueeze(-1);
    EXPECT_LT(difference(first, share * i.unflatten(-1, {units, 2})), 1e-14) << "h is (1 - f) i after the first step";
    made.params["convention"] = std::string("fla");
    for (const char* signal : {"h", "i"})
        EXPECT_EQ(hgrnKind(made, signal), SignalKind::Signed) << signal;
}

/// With a gate of a half and nothing let in, three steps turn a state by 3 θ and leave an eighth.
TEST(Hgrn, AStateTurnsByThetaAStep)
{
    const BlockCase made = casesOf("hgrn").front();
    const auto block = hgrnWithout(made, 0.4);
    const std::int64_t units = std::get<std::int64_t>(made.params.at("units"));
    const at::Tensor start = at::randn({2, 2 * units}, generatorOf(3), at::kDouble);
    const at::Tensor nothing = at::zeros({3, 2, made.inputs.at("x").width}, at::kDouble);
    const at::Tensor re = start.narrow(1, 0, units), im = start.narrow(1, units, units);
    const double c = std::cos(1.2), s = std::sin(1.2);
    const at::Tensor want = at::cat({re * c - im * s, im * c + re * s}, 1) / 8;
    EXPECT_LT(difference(block->forward({{nothing}, {start}, {}}, {})[1][0], want), 1e-14);
}

/// The last of three layers keeps at least two thirds, whatever its gate says.
TEST(Hgrn, TheBoundRisesWithTheLayer)
{
    BlockCase made = casesOf("hgrn").front();
    made.params["layer"] = std::int64_t{2};
    made.params["layers"] = std::int64_t{3};
    const auto block = hgrnWithout(made, 0);
    {
        const at::NoGradGuard values;
        for (Weight& weight : block->weights())
            if (weight.name == "f_proj.bias")
                weight.tensor.fill_(-60);
    }
    const std::int64_t units = std::get<std::int64_t>(made.params.at("units"));
    const at::Tensor start = at::randn({2, 2 * units}, generatorOf(3), at::kDouble);
    const at::Tensor nothing = at::zeros({2, 2, made.inputs.at("x").width}, at::kDouble);
    EXPECT_LT(difference(block->forward({{nothing}, {start}, {}}, {})[1][0], start * 4 / 9), 1e-14);
}

} // namespace unroll::nodes
