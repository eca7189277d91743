// SPDX-License-Identifier: GPL-3.0-or-later
// What a spec promises against what its block does: shapes, parameters, signals.
#include "tests/contract/block_case.h"

#include <gtest/gtest.h>

namespace unroll::contract {

namespace {

class Contract : public ::testing::TestWithParam<std::string> {};

std::vector<std::int64_t> sizesOf(const Shape& shape, const InputOptions& options)
{
    switch (shape.type) {
    case PortType::Sequence: return {options.steps, options.sequences, shape.width};
    case PortType::Vector:
    case PortType::State: return {options.sequences, shape.width};
    case PortType::Table: return {shape.rows, shape.width};
    case PortType::Loss: return {};
    default: return {options.steps, options.sequences};
    }
}

void expectShape(const Value& value, const Shape& shape, const InputOptions& options)
{
    ASSERT_EQ(value.size(), shape.type == PortType::State ? static_cast<std::size_t>(shape.parts) : 1u);
    for (const at::Tensor& tensor : value)
        EXPECT_EQ(tensor.sizes().vec(), sizesOf(shape, options));
}

} // namespace

TEST_P(Contract, InferredShapesAreTheRealOnes)
{
    for (const BlockCase& blockCase : casesOf(GetParam())) {
        SCOPED_TRACE(blockCase.text());
        const auto block = build(blockCase);
        const auto inferred = infer(blockCase);
        for (const InputOptions& options : {InputOptions{}, InputOptions{.steps = 1, .sequences = 1},
                                            InputOptions{.steps = 7, .sequences = 2, .state = false, .mask = false}}) {
            const auto outputs = block->forward(inputsOf(blockCase, *block, options), {});
            ASSERT_EQ(outputs.size(), blockCase.spec->outputs.size());
            for (std::size_t i = 0; i < outputs.size(); ++i)
                if (const PortSpec& port = blockCase.spec->outputs[i]; blockCase.spec->hasPort(port, blockCase.params))
                    expectShape(outputs[i], inferred.outputs.at(port.name), options);
                else
                    EXPECT_TRUE(outputs[i].empty()) << port.name;
        }
    }
}

TEST_P(Contract, CostCountsTheParametersThatAreTrained)
{
    for (const BlockCase& blockCase : casesOf(GetParam())) {
        SCOPED_TRACE(blockCase.text());
        std::int64_t trained = 0;
        const auto block = build(blockCase);
        for (const Weight& weight : block->weights()) {
            EXPECT_EQ(weight.tensor.requires_grad(), weight.trained) << weight.name;
            trained += weight.trained ? weight.tensor.numel() : 0;
        }
        const Cost cost = costOf(blockCase);
        EXPECT_EQ(cost.parameters, trained);
        EXPECT_GE(cost.forwardFlops, 0);
        EXPECT_GE(cost.backwardFlops, 0);
        EXPECT_GT(cost.activationBytes, 0);
    }
}

TEST_P(Contract, InitialStateHasTheShapeOfTheLastOne)
{
    for (const BlockCase& blockCase : casesOf(GetParam())) {
        const auto block = build(blockCase);
        const Value state = block->initialState(4);
        if (!blockCase.spec->recurrent) {
            EXPECT_TRUE(state.empty());
            continue;
        }
        expectShape(state, infer(blockCase).outputs.at("state"), {.sequences = 4});
        for (const at::Tensor& tensor : state) {
            EXPECT_EQ(tensor.abs().sum().item<double>(), 0);
            EXPECT_FALSE(tensor.requires_grad());
        }
    }
}

namespace {

/// Keeps everything it is shown.
struct Recorder : Observer {
    std::map<std::string, std::vector<at::Tensor>> seen;
    bool wants(const std::string& node, const std::string&) const override { return node == "the.node"; }
    void show(const std::string&, const std::string& signal, const at::Tensor& value) override
    {
        seen[signal].push_back(value.detach().clone());
    }
};

void expectLook(const at::Tensor& value, SignalKind look, bool signedGates)
{
    ASSERT_EQ(value.dim(), look == SignalKind::Matrix ? 5 : 3);
    EXPECT_TRUE(look != SignalKind::Matrix || value.numel() > 0) << value.sizes();
    EXPECT_TRUE(look != SignalKind::Complex || value.size(2) % 2 == 0) << "both parts of every unit";
    EXPECT_TRUE(value.isfinite().all().item<bool>());
    const bool bounded = look == SignalKind::Gate || look == SignalKind::Bounded;
    EXPECT_TRUE(!bounded || value.abs().max().item<double>() <= 1);
    EXPECT_TRUE(look != SignalKind::Gate || signedGates || value.min().item<double>() >= 0);
}

/// Gates are within 0..1, unless it is a setting that makes them otherwise.
bool hasSignedGates(const BlockCase& made)
{
    const auto found = made.params.find("gate_activation");
    if (found == made.params.end())
        return false;
    const std::string& function = std::get<std::string>(found->second);
    return function == "tanh" || function == "softsign" || function == "hard_tanh";
}

} // namespace

TEST_P(Contract, EverySignalIsShownOnceAsItIsDescribed)
{
    for (const BlockCase& blockCase : casesOf(GetParam())) {
        SCOPED_TRACE(blockCase.text());
        const auto block = build(blockCase);
        for (const InputOptions& options : {InputOptions{}, InputOptions{.steps = 1, .state = false, .mask = false}}) {
            Recorder recorder;
            block->forward(inputsOf(blockCase, *block, options), {.observer = &recorder, .node = "the.node"});
            ASSERT_EQ(recorder.seen.size(), blockCase.spec->signalSpecs.size());
            for (const SignalSpec& signal : blockCase.spec->signalSpecs) {
                SCOPED_TRACE(signal.name);
                const auto& shown = recorder.seen[signal.name];
                ASSERT_EQ(shown.size(), 1u);
                expectLook(shown.front(), signal.lookOf(blockCase.params), hasSignedGates(blockCase));
                EXPECT_EQ(shown.front().size(0), options.steps);
                EXPECT_EQ(shown.front().size(1), options.sequences);
            }
        }
    }
}

namespace {

struct OneSignal : Observer {
    std::string wanted;
    int shown = 0;
    bool wants(const std::string&, const std::string& signal) const override { return signal == wanted; }
    void show(const std::string&, const std::string& signal, const at::Tensor&) override
    {
        shown += signal == wanted ? 1 : 100;
    }
};

} // namespace

TEST_P(Contract, OnlyWantedSignalsAreShown)
{
    const BlockCase blockCase = casesOf(GetParam()).front();
    const auto block = build(blockCase);
    for (const SignalSpec& signal : blockCase.spec->signalSpecs) {
        OneSignal observer;
        observer.wanted = signal.name;
        block->forward(inputsOf(blockCase, *block), {.observer = &observer, .node = "n"});
        EXPECT_EQ(observer.shown, 1) << signal.name;
    }
}

TEST_P(Contract, BeingWatchedChangesNoNumber)
{
    for (const BlockCase& blockCase : casesOf(GetParam()))
        for (bool mask : {false, true}) {
            SCOPED_TRACE(blockCase.text());
            const auto block = build(blockCase);
            const auto inputs = inputsOf(blockCase, *block, {.steps = 9, .mask = mask});
            Recorder recorder;
            const auto alone = floats(block->forward(inputs, {}));
            const auto watched = floats(block->forward(inputs, {.observer = &recorder, .node = "the.node"}));
            ASSERT_EQ(alone.size(), watched.size());
            for (std::size_t i = 0; i < alone.size(); ++i)
                EXPECT_LT(difference(watched[i], alone[i]), 1e-12);
        }
}

INSTANTIATE_TEST_SUITE_P(Blocks, Contract, ::testing::ValuesIn(computingBlocks()), blockName);

} // namespace unroll::contract
