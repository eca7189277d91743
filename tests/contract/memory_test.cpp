// SPDX-License-Identifier: GPL-3.0-or-later
// What a training step really allocates, beside the estimate by which runs are refused.
#include "core/check/ports.h"
#include "tests/contract/block_case.h"

#include <ATen/ops/ones.h>
#include <ATen/ops/randn.h>
#include <c10/core/Allocator.h>
#include <c10/util/ThreadLocalDebugInfo.h>
#include <gtest/gtest.h>
#include <torch/csrc/autograd/autograd.h>

#include <algorithm>
#include <memory>

namespace unroll::contract {

namespace {

constexpr std::int64_t kMeasuredSteps = 64, kMeasuredSequences = 12, kSize = 128;

/// Follows what torch's allocator hands out and takes back.
class PeakMemory : public c10::MemoryReportingInfoBase {
public:
    bool memoryProfilingEnabled() const override { return true; }
    void reportMemoryUsage(void*, std::int64_t bytes, std::size_t, std::size_t, c10::Device) override
    {
        m_now += bytes;
        m_peak = std::max(m_peak, m_now);
    }
    double peak() const { return static_cast<double>(m_peak); }

private:
    std::int64_t m_now = 0, m_peak = 0;
};

BlockCase largeCase(const std::string& id, bool masked, Params params = {})
{
    BlockCase made{registry().find(id), {}, {}};
    for (const char* size : {"units", "width"})
        if (made.spec->param(size) != nullptr)
            params.emplace(size, kSize);
    made.params = made.spec->withDefaults(params);
    for (const PortSpec& port : portsWith(*made.spec, made.params).inputs)
        if (port.type != PortType::State && (port.type != PortType::Mask || masked))
            made.inputs[port.name] = {.type = port.type, .width = kSize, .classes = kSize};
    return made;
}

/// All that a backward pass gives gradients for: inputs, then weights.
std::vector<at::Tensor> leavesOf(const std::vector<at::Tensor>& inputs, const Block& block)
{
    std::vector<at::Tensor> leaves = inputs;
    for (at::Tensor& leaf : leaves)
        leaf.set_requires_grad(true);
    for (const Weight& weight : block.weights())
        if (weight.trained)
            leaves.push_back(weight.tensor);
    return leaves;
}

/// A gradient that comes to an output of this shape.
at::Tensor arrivingAt(const Shape& output)
{
    switch (output.type) {
    case PortType::Loss: return at::ones({});
    case PortType::Vector: return at::randn({kMeasuredSequences, output.width});
    default: return at::randn({kMeasuredSteps, kMeasuredSequences, output.width});
    }
}

/// Bytes at the highest point of a forward and a backward pass. Gradients of weights are counted with the weights;
/// nobody asks for the state.
double measuredBytes(const BlockCase& made)
{
    const auto block = build(made, 1, at::kFloat);
    const auto inputs = inputsOf(made, *block,
                                 {.steps = kMeasuredSteps,
                                  .sequences = kMeasuredSequences,
                                  .state = false,
                                  .mask = made.inputs.contains("mask"),
                                  .dtype = at::kFloat});
    const std::vector<at::Tensor> read = readFloats(*made.spec, inputs);
    const auto leaves = leavesOf(read, *block);
    const at::Tensor arriving = arrivingAt(infer(made).outputs.at(made.spec->outputs.front().name));
    at::Generator dropout = generatorOf(1);
    const auto memory = std::make_shared<PeakMemory>();
    double theirs = 0;
    {
        const c10::DebugInfoGuard watch(c10::DebugInfoKind::PROFILER_STATE, memory);
        const at::Tensor y =
            block->forward(inputs, {.training = true, .dropout = &dropout, .keepsState = false}).front().front();
        if (leaves.empty())
            return memory->peak(); // nothing is learned before it
        const std::vector<at::Tensor> gradients = torch::autograd::grad({y}, leaves, {arriving});
        for (std::size_t i = read.size(); i < gradients.size(); ++i)
            theirs += static_cast<double>(gradients[i].nbytes());
    }
    return memory->peak() - theirs;
}

void expectAboutWhatTheSpecSays(const BlockCase& made)
{
    SCOPED_TRACE(made.text());
    const Cost cost = costOf(made, kMeasuredSteps);
    const double estimated = (cost.activationBytes + cost.workspaceBytes) * kMeasuredSteps * kMeasuredSequences;
    const double measured = measuredBytes(made);
    EXPECT_GT(measured, 0.5 * estimated);
    EXPECT_LT(measured, 2 * estimated);
}

} // namespace

TEST(Memory, OfAStepIsAboutWhatTheSpecSays)
{
    for (const std::string& id : computingBlocks())
        for (const bool masked : {false, true}) {
            if (masked && registry().find(id)->input("mask") == nullptr)
                continue;
            SCOPED_TRACE(masked ? "masked" : "");
            expectAboutWhatTheSpecSays(largeCase(id, masked));
        }
}

/// Options that change what is kept: layers, directions, parts, forms.
TEST(Memory, OfAStepIsAboutWhatTheSpecSaysWithOtherParameters)
{
    const std::pair<const char*, Params> cases[] = {
        {"mru", {{"scan", "chunked"}}},
        {"mru", {{"scan", "hillis_steele"}}},
        {"mru", {{"scan", "brent_kung"}}},
        {"mru", {{"scan", "sklansky"}}},
        {"mru", {{"scan", "hillis_steele"}, {"maker", "householder"}, {"num_heads", std::int64_t{8}}}},
        {"rnn", {{"num_layers", std::int64_t{3}}, {"bidirectional", true}}},
        {"gru", {{"num_layers", std::int64_t{3}}, {"bidirectional", true}}},
        {"lstm", {{"num_layers", std::int64_t{3}}, {"bidirectional", true}}},
        {"sru", {{"bidirectional", true}, {"layer_norm", true}, {"projection_size", std::int64_t{32}}}},
        {"grumml", {{"fully_mml", true}}},
        {"grumml", {{"variant", "paper"}}},
        {"grumml", {{"variant", "mmfreelm"}}},
        {"lrumml", {{"fully_mml", true}}},
        {"lru", {{"skip", "full"}}},
        {"qrnn", {{"window", std::int64_t{4}}, {"pooling", "f"}}},
        {"attention", {{"window", std::int64_t{16}}, {"positions", "learned"}}},
        {"attention", {{"positions", "xpos"}}},
        {"srupp", {{"attention", "full"}}},
        {"activation", {{"function", "softmax"}}},
        {"activation", {{"function", "log_softmax"}}},
        {"activation", {{"function", "sparsemax"}}},
    };
    for (const auto& [id, params] : cases)
        expectAboutWhatTheSpecSays(largeCase(id, false, params));
}

} // namespace unroll::contract
