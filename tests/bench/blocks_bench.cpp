// SPDX-License-Identifier: GPL-3.0-or-later
// Every block of the registry, forward alone and with its backward pass: 64 steps of 12 sequences, 256 wide, as the
// gallery's character models use them. The unit is what a user waits for: tokens a second.
#include "core/check/ports.h"
#include "core/kernels/testing/bandwidth_bench.h"
#include "tests/contract/block_case.h"

#include <ATen/core/grad_mode.h>

namespace unroll::contract {
namespace {

constexpr std::int64_t kSteps = 64, kSequences = 12, kWidth = 256, kClasses = 64;

BlockCase caseOf(const BlockSpec& spec)
{
    BlockCase made{&spec, spec.withDefaults({}), {}};
    if (made.params.contains("units"))
        made.params["units"] = kWidth;
    for (const PortSpec& port : portsWith(spec, made.params).inputs)
        if (port.type != PortType::State)
            made.inputs[port.name] = {.type = port.type, .width = kWidth, .classes = kClasses};
    const auto outputs = infer(made).outputs;
    for (const PortSpec& port : spec.inputs)
        if (port.type == PortType::State)
            made.inputs[port.name] = outputs.at("state");
    return made;
}

at::Tensor scored(const std::vector<Value>& outputs)
{
    at::Tensor total;
    for (const at::Tensor& output : floats(outputs))
        total = total.defined() ? total.add(output.sum()) : output.sum();
    return total;
}

void run(benchmark::State& state, const BlockSpec& spec, bool backward)
{
    const BlockCase blockCase = caseOf(spec);
    const auto block = buildUnshaken(blockCase, 1, at::kFloat);
    auto inputs =
        inputsOf(blockCase, *block,
                 {.steps = kSteps, .sequences = kSequences, .state = false, .mask = false, .dtype = at::kFloat});
    for (at::Tensor& input : floats(inputs))
        input.set_requires_grad(backward);
    const at::AutoGradMode gradients(backward);
    at::Generator dropout = generatorOf(5);
    if (backward && !scored(block->forward(inputs, {})).requires_grad())
        return state.SkipWithError("nothing to differentiate");
    for (auto _ : state) {
        const auto outputs = block->forward(inputs, {.training = backward, .dropout = &dropout});
        if (backward)
            scored(outputs).backward();
    }
    state.counters["tokens/s"] =
        benchmark::Counter(static_cast<double>(state.iterations() * kSteps * kSequences), benchmark::Counter::kIsRate);
}

int registerAll()
{
    kernels::bench::keepFreedMemory();
    for (const std::string& id : computingBlocks())
        for (const bool backward : {false, true})
            benchmark::RegisterBenchmark(
                (id + (backward ? "/forward+backward" : "/forward")).c_str(),
                [id, backward](benchmark::State& state) { run(state, *registry().find(id), backward); })
                ->Unit(benchmark::kMillisecond)
                ->UseRealTime();
    return 0;
}

[[maybe_unused]] const int registered = registerAll();

} // namespace
} // namespace unroll::contract
