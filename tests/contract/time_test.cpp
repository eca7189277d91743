// SPDX-License-Identifier: GPL-3.0-or-later
// What blocks do along time: stepping equals the whole, masked steps are as if they were not there, nothing causal sees
// ahead.
#include "tests/contract/block_case.h"

#include <ATen/ops/cat.h>
#include <ATen/ops/zeros.h>
#include <gtest/gtest.h>

namespace unroll::contract {

namespace {

constexpr double kTight = 1e-12;

class Time : public ::testing::TestWithParam<std::string> {};

/// Steps [from, from + count) of what has steps; the rest as it is.
std::vector<Value> window(const BlockCase& blockCase, const std::vector<Value>& inputs, std::int64_t from,
                          std::int64_t count)
{
    std::vector<Value> cut = inputs;
    for (std::size_t i = 0; i < cut.size(); ++i)
        if (isPerStep(blockCase.spec->inputs[i].type))
            for (at::Tensor& tensor : cut[i])
                tensor = tensor.narrow(0, from, count);
    return cut;
}

/// The outputs of sequences that the block has with these parameters.
std::vector<std::size_t> sequencePorts(const BlockCase& blockCase)
{
    const std::vector<PortSpec>& all = blockCase.spec->outputs;
    std::vector<std::size_t> ports;
    for (std::size_t i = 0; i < all.size(); ++i)
        if (all[i].type == PortType::Sequence && blockCase.spec->hasPort(all[i], blockCase.params))
            ports.push_back(i);
    return ports;
}

/// What the block gives at masked steps: "zero" where it has no choice.
std::string maskedRule(const BlockCase& blockCase)
{
    const auto rule = blockCase.params.find("masked_output");
    return rule == blockCase.params.end() ? "zero" : std::get<std::string>(rule->second);
}

bool causal(const BlockCase& blockCase)
{
    return blockCase.spec->isCausal(blockCase.params);
}

/// Runs pieces of the sequence, handing the state on; outputs joined along time, the last state at its port.
std::vector<Value> runInPieces(const BlockCase& blockCase, Block& block, std::vector<Value> inputs, std::int64_t piece)
{
    const BlockSpec& spec = *blockCase.spec;
    const std::int64_t steps = tensorAt(inputs, spec.inputs, spec.inputs.front().name).size(0);
    std::vector<Value> joined(spec.outputs.size());
    for (std::int64_t t = 0; t < steps; t += piece) {
        auto outputs = block.forward(window(blockCase, inputs, t, std::min(piece, steps - t)), {});
        for (std::size_t port : sequencePorts(blockCase))
            joined[port].push_back(outputs[port].front());
        if (spec.recurrent)
            inputs[inputIndex(spec, "state")] = joined[outputIndex(spec, "state")] =
                outputs[outputIndex(spec, "state")];
    }
    for (std::size_t port : sequencePorts(blockCase))
        joined[port] = {at::cat(joined[port])};
    return joined;
}

} // namespace

TEST_P(Time, SteppingEqualsTheWhole)
{
    for (const BlockCase& blockCase : casesOf(GetParam())) {
        if (!causal(blockCase))
            continue;
        for (bool mask : {false, true})
            for (std::int64_t piece : {1, 3}) {
                if (mask && maskedRule(blockCase) == "hold")
                    continue; // an output of an earlier pass is held by nobody
                SCOPED_TRACE(blockCase.text());
                const auto block = build(blockCase);
                const auto inputs = inputsOf(blockCase, *block, {.steps = 8, .mask = mask});
                const auto whole = block->forward(inputs, {});
                const auto pieces = runInPieces(blockCase, *block, inputs, piece);
                for (std::size_t i = 0; i < whole.size(); ++i)
                    for (std::size_t k = 0; k < pieces[i].size(); ++k)
                        EXPECT_LT(difference(pieces[i][k], whole[i][k]), kTight) << blockCase.spec->outputs[i].name;
            }
    }
}

TEST_P(Time, CausalBlocksDoNotSeeAheadAndOthersDo)
{
    for (const BlockCase& blockCase : casesOf(GetParam())) {
        SCOPED_TRACE(blockCase.text());
        const BlockSpec& spec = *blockCase.spec;
        const auto block = build(blockCase);
        // So many sequences that a single rectified unit is hardly off in all of them.
        auto inputs = inputsOf(blockCase, *block, {.steps = 6, .sequences = 8, .mask = false});
        const auto before = block->forward(inputs, {});
        at::Tensor& x = tensorAt(inputs, spec.inputs, spec.inputs.front().name);
        x = x.clone();
        // A product of two odd functions is even: the sign alone may not be seen.
        x[5].copy_(x.is_floating_point() ? x[5].neg().roll(1, -1) : x[5].add(1).remainder(7));
        const auto after = block->forward(inputs, {});
        for (std::size_t port : sequencePorts(blockCase)) {
            const double early = difference(after[port][0].narrow(0, 0, 5), before[port][0].narrow(0, 0, 5));
            EXPECT_EQ(early == 0, causal(blockCase))
                << "the spec says it is " << (causal(blockCase) ? "" : "not ") << "causal";
            // One feature may be normalised away, and what is delayed is seen at the next step; what sees ahead was
            // seen to read it.
            const bool wide = (x.dim() < 3 || x.size(2) > 1) && !spec.inputs.front().delayed && causal(blockCase);
            EXPECT_TRUE(!wide || difference(after[port][0][5], before[port][0][5]) > 0) << "the input is not read";
        }
    }
}

namespace {

/// Sequence b alone, without its masked steps.
std::vector<Value> withoutMasked(const BlockCase& blockCase, const std::vector<Value>& inputs, const at::Tensor& mask,
                                 std::int64_t b)
{
    const at::Tensor kept = mask.select(1, b).nonzero().flatten();
    std::vector<Value> cut = inputs;
    for (std::size_t i = 0; i < cut.size(); ++i)
        for (at::Tensor& tensor : cut[i])
            if (const PortType type = blockCase.spec->inputs[i].type; type != PortType::Table)
                tensor =
                    type == PortType::State ? tensor.narrow(0, b, 1) : tensor.narrow(1, b, 1).index_select(0, kept);
    cut[inputIndex(*blockCase.spec, "mask")] = {};
    return cut;
}

/// Of y [T, B, width] at masked steps, given what it is at real ones: 0; or what stood at the real step before, in each
/// direction, 0 before the first.
void expectByRule(const BlockCase& blockCase, const at::Tensor& y, const at::Tensor& mask)
{
    const std::string rule = maskedRule(blockCase);
    if (rule == "read") // as the reference and single steps have it
        return;
    const auto both = blockCase.params.find("bidirectional");
    const std::int64_t sides = both != blockCase.params.end() && std::get<bool>(both->second) ? 2 : 1;
    const std::int64_t steps = y.size(0), width = y.size(2) / sides;
    for (std::int64_t b = 0; b < y.size(1); ++b)
        for (std::int64_t side = 0; side < sides; ++side) {
            at::Tensor before = at::zeros({width}, y.options());
            for (std::int64_t s = 0; s < steps; ++s) {
                const std::int64_t t = side == 0 ? s : steps - 1 - s;
                const at::Tensor here = y[t][b].narrow(0, side * width, width).detach();
                if (mask[t][b].item<bool>())
                    before = rule == "hold" ? here : before;
                EXPECT_TRUE(mask[t][b].item<bool>() || difference(here, before) == 0)
                    << "step " << t << " of sequence " << b;
            }
        }
}

} // namespace

TEST_P(Time, MaskedStepsHoldTheStateAndGiveWhatTheRuleSays)
{
    for (const BlockCase& blockCase : casesOf(GetParam())) {
        if (!blockCase.hasInput("mask") || !blockCase.spec->recurrent)
            continue;
        SCOPED_TRACE(blockCase.text());
        const BlockSpec& spec = *blockCase.spec;
        const auto block = build(blockCase);
        auto inputs = inputsOf(blockCase, *block, {.steps = 9});
        const at::Tensor mask = tensorAt(inputs, spec.inputs, "mask");
        auto outputs = block->forward(inputs, {});
        const at::Tensor y = tensorAt(outputs, spec.outputs, "y");
        expectByRule(blockCase, y, mask);
        EXPECT_TRUE(y.isfinite().all().item<bool>());
        for (std::int64_t b = 0; b < mask.size(1); ++b) {
            auto alone = block->forward(withoutMasked(blockCase, inputs, mask, b), {});
            const at::Tensor kept = mask.select(1, b).nonzero().flatten();
            EXPECT_LT(difference(y.select(1, b).index_select(0, kept), tensorAt(alone, spec.outputs, "y").squeeze(1)),
                      kTight);
            const Value &all = outputs[outputIndex(spec, "state")], &one = alone[outputIndex(spec, "state")];
            for (std::size_t i = 0; i < all.size(); ++i)
                EXPECT_LT(difference(all[i].narrow(0, b, 1), one[i]), kTight);
        }
    }
}

TEST_P(Time, ASingleMaskedStepLeavesTheState)
{
    for (const BlockCase& blockCase : casesOf(GetParam())) {
        if (!blockCase.hasInput("mask") || !blockCase.spec->recurrent)
            continue;
        SCOPED_TRACE(blockCase.text());
        const BlockSpec& spec = *blockCase.spec;
        const auto block = build(blockCase);
        auto inputs = inputsOf(blockCase, *block, {.steps = 1});
        tensorAt(inputs, spec.inputs, "mask").fill_(false);
        auto outputs = block->forward(inputs, {});
        const at::Tensor y = tensorAt(outputs, spec.outputs, "y");
        expectByRule(blockCase, y, tensorAt(inputs, spec.inputs, "mask"));
        EXPECT_TRUE(y.isfinite().all().item<bool>());
        const Value left = inputs[inputIndex(spec, "state")] = outputs[outputIndex(spec, "state")];
        outputs = block->forward(inputs, {}); // from a state that the block itself has made
        for (std::size_t i = 0; i < left.size(); ++i)
            EXPECT_LT(difference(outputs[outputIndex(spec, "state")][i], left[i]), kTight);
    }
}

/// Where masked steps read what is held, their gates are of their own x; what they hold is not.
TEST_P(Time, NothingFlowsBackIntoMaskedSteps)
{
    for (const BlockCase& blockCase : casesOf(GetParam())) {
        if (!blockCase.hasInput("mask"))
            continue;
        SCOPED_TRACE(blockCase.text());
        const auto block = build(blockCase);
        auto inputs = inputsOf(blockCase, *block, {.steps = 9});
        const at::Tensor mask = tensorAt(inputs, blockCase.spec->inputs, "mask");
        at::Tensor x = tensorAt(inputs, blockCase.spec->inputs, "x").set_requires_grad(true);
        auto outputs = block->forward(inputs, {});
        if (maskedRule(blockCase) == "read")
            for (std::size_t port : sequencePorts(blockCase))
                outputs[port].front() = outputs[port].front().mul(mask.unsqueeze(-1));
        tensorAt(outputs, blockCase.spec->outputs, "y").square().sum().add(floats(outputs).back().sum()).backward();
        const at::Tensor gradient = x.grad();
        EXPECT_EQ(gradient.masked_select(mask.logical_not().unsqueeze(-1)).abs().sum().item<double>(), 0);
        EXPECT_GT(gradient.abs().sum().item<double>(), 0);
    }
}

TEST_P(Time, AMaskOfRealStepsIsNoMask)
{
    for (const BlockCase& blockCase : casesOf(GetParam())) {
        if (!blockCase.hasInput("mask"))
            continue;
        SCOPED_TRACE(blockCase.text());
        const auto block = build(blockCase);
        auto inputs = inputsOf(blockCase, *block);
        tensorAt(inputs, blockCase.spec->inputs, "mask").fill_(true);
        const auto masked = floats(block->forward(inputs, {}));
        inputs[inputIndex(*blockCase.spec, "mask")] = {};
        const auto plain = floats(block->forward(inputs, {}));
        for (std::size_t i = 0; i < plain.size(); ++i)
            EXPECT_LT(difference(masked[i], plain[i]), kTight);
    }
}

TEST_P(Time, AFreeStateIsZeros)
{
    for (const BlockCase& blockCase : casesOf(GetParam())) {
        if (!blockCase.spec->recurrent)
            continue;
        SCOPED_TRACE(blockCase.text());
        const auto block = build(blockCase);
        auto inputs = inputsOf(blockCase, *block, {.state = false});
        const auto left = floats(block->forward(inputs, {}));
        inputs[inputIndex(*blockCase.spec, "state")] = block->initialState(3);
        const auto given = floats(block->forward(inputs, {}));
        for (std::size_t i = 0; i < left.size(); ++i)
            EXPECT_EQ(difference(left[i], given[i]), 0);
    }
}

INSTANTIATE_TEST_SUITE_P(Blocks, Time, ::testing::ValuesIn(computingBlocks()), blockName);

} // namespace unroll::contract
