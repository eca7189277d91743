// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/export/golden.h"

#include "core/data/random.h"
#include "core/export/place.h"
#include "core/export/python_graph.h"
#include "core/model/rounding_record.h"
#include "core/train/tensor_file.h"

#include <ATen/core/grad_mode.h>
#include <ATen/ops/empty.h>
#include <c10/util/Exception.h>

#include <algorithm>
#include <fmt/format.h>
#include <limits>
#include <new>

namespace unroll {
namespace {

constexpr std::int64_t kSequences = 3;
constexpr std::int64_t kLongest = 48; ///< steps; enough for states to matter, little enough to be quick in Python
constexpr std::uint64_t kPurpose = 0x676f6c64656e;
constexpr std::uint64_t kIgnoredOneIn = 8; ///< share of targets that are not scored

bool readsMask(const Graph& graph, NodeId source)
{
    return std::any_of(graph.wires.begin(), graph.wires.end(), [&](const Wire& wire) {
        return wire.from == PortRef{source, "mask"};
    });
}

at::Tensor indices(Random& random, std::int64_t steps, std::int64_t classes)
{
    at::Tensor tensor = at::empty({steps, kSequences}, at::kLong);
    std::generate_n(tensor.mutable_data_ptr<std::int64_t>(), tensor.numel(),
                    [&] { return static_cast<std::int64_t>(random.below(static_cast<std::uint64_t>(classes))); });
    return tensor;
}

/// Within -2..2, exact in single precision, so that both precisions read the same.
at::Tensor numbers(Random& random, std::int64_t steps, std::int64_t width)
{
    at::Tensor tensor = at::empty({steps, kSequences, width}, at::kFloat);
    std::generate_n(tensor.mutable_data_ptr<float>(), tensor.numel(),
                    [&] { return static_cast<float>(static_cast<double>(random.next() >> 40) * 0x1p-22 - 2); });
    return tensor;
}

/// The sequences end early at different steps; the first is whole.
at::Tensor padding(std::int64_t steps)
{
    at::Tensor mask = at::empty({steps, kSequences}, at::kBool);
    bool* values = mask.mutable_data_ptr<bool>();
    for (std::int64_t t = 0; t < steps; ++t)
        for (std::int64_t b = 0; b < kSequences; ++b)
            values[t * kSequences + b] = t < steps - b * steps / 4;
    return mask;
}

/// `ignored` stands for a target that is not scored. Numbers of one step and sequence lie side by side.
template <class T>
void ignoreSome(Random& random, at::Tensor& targets, const at::Tensor& mask, T ignored)
{
    T* values = targets.mutable_data_ptr<T>();
    const std::int64_t width = targets.numel() / (targets.size(0) * targets.size(1));
    for (std::int64_t i = 0; i < targets.numel(); ++i)
        if (random.below(kIgnoredOneIn) == 0 || (mask.defined() && !mask.const_data_ptr<bool>()[i / width]))
            values[i] = ignored;
}

ModelInput goldenInput(Random& random, const CheckedNode& source, const ModelPorts& ports, std::int64_t length)
{
    const std::int64_t read = source.outputs.at(ports.input).size(), asked = source.outputs.at("targets").size();
    ModelInput input;
    const auto ask = [&] {
        input.targets = ports.tellsNumbers ? numbers(random, length, asked) : indices(random, length, asked);
    };
    if (ports.numbers) { // drawn in the order in which they always were
        ask();
        input.features = numbers(random, length, read);
    } else {
        input.tokens = indices(random, length, read);
        ask();
    }
    return input;
}

/// The last real step of each sequence alone is scored.
template <class T>
void ignoreAllButLast(at::Tensor& targets, const at::Tensor& mask, T ignored)
{
    T* values = targets.mutable_data_ptr<T>();
    const std::int64_t width = targets.numel() / (targets.size(0) * targets.size(1));
    for (std::int64_t b = 0; b < kSequences; ++b) {
        std::int64_t last = targets.size(0) - 1;
        while (mask.defined() && last > 0 && !mask.const_data_ptr<bool>()[last * kSequences + b])
            --last;
        for (std::int64_t t = 0; t < targets.size(0); ++t)
            if (t != last)
                std::fill_n(values + (t * kSequences + b) * width, width, ignored);
    }
}

template <class T>
void ignore(Random& random, ModelInput& input, bool once, T ignored)
{
    ignoreSome(random, input.targets, input.mask, ignored);
    if (once)
        ignoreAllButLast(input.targets, input.mask, ignored);
}

/// Steps of the first chunk at most; the second goes on from it with half as many, rounded up, and one more.
std::int64_t longestChunk(const CheckedGraph& checked)
{
    return checked.longest ? std::clamp<std::int64_t>((2 * checked.longest->steps - 2) / 3, 1, kLongest) : kLongest;
}

std::vector<ModelInput> goldenInputs(const TrainedRun& run)
{
    const CheckedNode& source = run.checked.nodes.at(run.checked.source);
    const ModelPorts ports = modelPorts(run.checked);
    const std::int64_t steps = std::clamp<std::int64_t>(run.checked.steps, 1, longestChunk(run.checked));
    Random random(run.experiment.seed, kPurpose);
    std::vector<ModelInput> inputs;
    for (const std::int64_t length : {steps, (steps + 2) / 2}) {
        ModelInput input = goldenInput(random, source, ports, length);
        if (!inputs.empty() && readsMask(run.experiment.graph, run.checked.source))
            input.mask = padding(length);
        const bool once = source.outputs.at("targets").onePerSequence;
        if (ports.tellsNumbers)
            ignore(random, input, once, std::numeric_limits<float>::quiet_NaN());
        else
            ignore(random, input, once, std::int64_t{kIgnoredTarget});
        inputs.push_back(std::move(input));
    }
    return inputs;
}

void runChunks(Model& model, const std::vector<ModelInput>& inputs, const std::string& key,
               const std::string& prediction, NamedTensors& golden)
{
    const at::NoGradGuard guard;
    States states;
    for (std::size_t chunk = 0; chunk < inputs.size(); ++chunk) {
        RoundingRecord rounding;
        ModelOutput output = model.forward(inputs[chunk], states, PassContext{});
        if (rounding.roundings() > 0)
            golden.emplace_back(fmt::format("{}.{}.rounded", key, chunk), rounding.nearMiddle());
        if (rounding.choices() > 0)
            golden.emplace_back(fmt::format("{}.{}.chosen", key, chunk), rounding.nearTies());
        states = output.states;
        golden.emplace_back(fmt::format("{}.{}.loss", key, chunk), output.loss);
        golden.emplace_back(fmt::format("{}.{}.{}", key, chunk, prediction), output.prediction);
        for (const auto& [node, state] : states)
            for (std::size_t part = 0; part < state.size(); ++part)
                golden.emplace_back(fmt::format("{}.{}.state.{}.{}", key, chunk, node, part), state[part]);
    }
}

} // namespace

Result<void> writeGolden(const TrainedRun& run, const BlockRegistry& registry, const Builders& builders,
                         const std::filesystem::path& path)
{
    const std::vector<ModelInput> inputs = goldenInputs(run);
    const ModelPorts ports = modelPorts(run.checked);
    NamedTensors golden;
    for (std::size_t chunk = 0; chunk < inputs.size(); ++chunk) {
        golden.emplace_back(fmt::format("{}.{}", chunk, ports.input),
                            ports.numbers ? inputs[chunk].features : inputs[chunk].tokens);
        golden.emplace_back(fmt::format("{}.targets", chunk), inputs[chunk].targets);
        if (inputs[chunk].mask.defined())
            golden.emplace_back(fmt::format("{}.mask", chunk), inputs[chunk].mask);
    }
    try {
        for (const auto& [key, dtype] : {std::pair("fp64", at::kDouble), std::pair("fp32", at::kFloat)}) {
            auto model = buildTrained(run, registry, builders, dtype);
            if (!model)
                return tl::unexpected(model.error());
            runChunks(**model, inputs, key, ports.prediction, golden);
        }
    } catch (const c10::Error& error) {
        return fail(error.what_without_backtrace(), "golden values");
    } catch (const std::bad_alloc&) {
        return fail("not enough memory", "golden values");
    }
    return saveTensors(path.string(), golden, {}, own::kGolden);
}

} // namespace unroll
