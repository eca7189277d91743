// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/contract/block_case.h"

#include "core/check/ports.h"

#include <ATen/CPUGeneratorImpl.h>
#include <ATen/core/grad_mode.h>
#include <ATen/ops/rand.h>
#include <ATen/ops/randint.h>
#include <ATen/ops/randn.h>

#include <algorithm>
#include <limits>

namespace unroll::contract {

constexpr std::int64_t kMostSteps = 16; // of the sequences in these tests, with what a drawn state may stand for

const BlockRegistry& registry()
{
    static const BlockRegistry specs = allSpecs();
    return specs;
}

const Builders& builders()
{
    static const Builders made = allBuilders();
    return made;
}

std::vector<std::string> blocksWhere(const std::function<bool(const BlockSpec&)>& chosen)
{
    std::vector<std::string> ids;
    for (const BlockSpec* spec : registry().all())
        if (chosen(*spec))
            ids.push_back(spec->id);
    return ids;
}

static bool computes(const BlockSpec& spec)
{
    return builders().block(spec.id) != nullptr;
}

std::vector<std::string> computingBlocks()
{
    return blocksWhere(computes);
}

std::vector<std::string> recurrentBlocks()
{
    return blocksWhere([](const BlockSpec& spec) { return computes(spec) && spec.recurrent; });
}

/// Gradients go to weights, and to inputs that are numbers.
static bool learns(const BlockSpec& spec)
{
    const bool numbers = std::any_of(spec.inputs.begin(), spec.inputs.end(), [](const PortSpec& port) {
        return port.type == PortType::Sequence || port.type == PortType::Vector;
    });
    return computes(spec) && (numbers || spec.weights);
}

std::vector<std::string> learningBlocks()
{
    return blocksWhere(learns);
}

std::vector<std::string> roundingBlocks()
{
    return blocksWhere([](const BlockSpec& spec) { return computes(spec) && spec.straightThrough; });
}

std::vector<std::string> smoothBlocks()
{
    return blocksWhere([](const BlockSpec& spec) { return learns(spec) && !spec.straightThrough; });
}

bool BlockCase::fitsPorts() const
{
    const std::vector<PortSpec> ports = portsWith(*spec, params).inputs;
    const auto isFine = [&](const PortSpec& port) { return port.optional || inputs.contains(port.name); };
    const auto isThere = [&](const auto& input) {
        return std::any_of(ports.begin(), ports.end(), [&](const PortSpec& port) { return port.name == input.first; });
    };
    return std::all_of(ports.begin(), ports.end(), isFine) && std::all_of(inputs.begin(), inputs.end(), isThere);
}

Inferred infer(const BlockCase& blockCase)
{
    InferScope scope(blockCase.params, blockCase.inputs, nullptr, {.steps = kMostSteps});
    blockCase.spec->infer(scope);
    Inferred inferred{scope.outputs(), scope.diagnostics(), {}};
    for (const InferScope::Offer& offer : scope.offers())
        if (const auto* value = std::get_if<ParamValue>(&offer.change); value != nullptr && !inferred.offer)
            inferred.offer = {offer.where, *value};
    return inferred;
}

Cost costOf(const BlockCase& blockCase, std::int64_t steps)
{
    const auto outputs = infer(blockCase).outputs;
    return blockCase.spec->costOf(
        {.params = blockCase.params, .inputs = blockCase.inputs, .outputs = outputs, .steps = steps});
}

std::unique_ptr<Block> buildUnshaken(const BlockCase& blockCase, std::uint64_t seed, at::ScalarType dtype)
{
    at::Generator generator = generatorOf(seed);
    const BlockSetup setup{*blockCase.spec, blockCase.params, blockCase.inputs, generator, dtype};
    return builders().block(blockCase.spec->id)(setup);
}

std::unique_ptr<Block> build(const BlockCase& blockCase, std::uint64_t seed, at::ScalarType dtype)
{
    auto block = buildUnshaken(blockCase, seed, dtype);
    at::Generator generator = generatorOf(seed + 1000);
    const at::NoGradGuard noGradient;
    for (Weight& weight : block->weights())
        if (weight.trained)
            weight.tensor.add_(at::randn(weight.tensor.sizes(), generator, at::kDouble).to(dtype), 0.2);
    return block;
}

namespace {

at::Tensor inputTensor(const Shape& shape, const InputOptions& options, at::Generator& random)
{
    const std::vector<std::int64_t> plane = {options.steps, options.sequences};
    switch (shape.type) {
    case PortType::Sequence: return at::randn({plane[0], plane[1], shape.width}, random, at::kDouble).to(options.dtype);
    case PortType::Vector: return at::randn({plane[1], shape.width}, random, at::kDouble).to(options.dtype);
    case PortType::Table: return at::randn({shape.rows, shape.width}, random, at::kDouble).to(options.dtype);
    case PortType::Mask: return at::rand(plane, random, at::kDouble).lt(0.67);
    case PortType::TargetValues: {
        const at::Tensor values = at::rand({plane[0], plane[1], shape.width}, random, at::kDouble);
        const at::Tensor missing = at::rand(values.sizes(), random, at::kDouble).lt(0.33);
        return values.masked_fill(missing, std::numeric_limits<double>::quiet_NaN()).to(options.dtype);
    }
    case PortType::Targets:
        return at::randint(0, shape.classes, plane, random, at::kLong)
            .masked_fill(at::rand(plane, random, at::kDouble).lt(0.33), -100);
    default: return at::randint(0, shape.classes, plane, random, at::kLong);
    }
}

} // namespace

std::vector<Value> inputsOf(const BlockCase& blockCase, const Block& block, const InputOptions& options)
{
    at::Generator random = generatorOf(options.seed);
    std::vector<Value> inputs;
    for (const PortSpec& port : blockCase.spec->inputs) {
        Value value;
        if (port.type == PortType::State) {
            for (const at::Tensor& zeros : block.initialState(options.sequences))
                value.push_back(at::rand(zeros.sizes(), random, at::kDouble).mul(2).sub(1).to(options.dtype));
        } else if (const auto shape = blockCase.inputs.find(port.name); shape != blockCase.inputs.end()) {
            value.push_back(inputTensor(shape->second, options, random));
        }
        const bool left =
            (port.type == PortType::State && !options.state) || (port.type == PortType::Mask && !options.mask);
        inputs.push_back(left ? Value{} : value);
    }
    return inputs;
}

at::Tensor& tensorAt(std::vector<Value>& values, const std::vector<PortSpec>& ports, const std::string& port)
{
    const auto found =
        std::find_if(ports.begin(), ports.end(), [&](const PortSpec& spec) { return spec.name == port; });
    return values.at(static_cast<std::size_t>(found - ports.begin())).front();
}

std::vector<at::Tensor> floats(const std::vector<Value>& values)
{
    std::vector<at::Tensor> found;
    for (const Value& value : values)
        for (const at::Tensor& tensor : value)
            if (tensor.defined() && tensor.is_floating_point())
                found.push_back(tensor);
    return found;
}

std::vector<at::Tensor> readFloats(const BlockSpec& spec, const std::vector<Value>& inputs)
{
    std::vector<Value> read;
    for (std::size_t i = 0; i < inputs.size(); ++i)
        if (!spec.inputs[i].onlyCounted)
            read.push_back(inputs[i]);
    return floats(read);
}

at::Generator generatorOf(std::uint64_t seed)
{
    return at::make_generator<at::CPUGeneratorImpl>(seed);
}

double difference(const at::Tensor& got, const at::Tensor& want)
{
    if (got.sizes() != want.sizes())
        return std::numeric_limits<double>::infinity();
    if (want.numel() == 0)
        return 0;
    const at::Tensor left = got.detach().to(at::kDouble), right = want.detach().to(at::kDouble);
    const double largest = std::max(1.0, right.abs().max().item<double>());
    return left.sub(right).abs().max().item<double>() / largest;
}

} // namespace unroll::contract
