// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/contract/block_case.h"

#include <ATen/CPUGeneratorImpl.h>
#include <ATen/core/grad_mode.h>
#include <ATen/ops/rand.h>
#include <ATen/ops/randint.h>
#include <ATen/ops/randn.h>

#include <algorithm>
#include <fmt/format.h>
#include <limits>
#include <random>
#include <set>

namespace unroll::contract {

namespace {

constexpr std::int64_t kClasses = 7;
constexpr std::int64_t kSmallSize = 6; // a numeric gradient can walk through it
constexpr std::int64_t kFreshSize = 64;
constexpr std::int64_t kNumbers = 4; // of target values
constexpr int kMixtures = 8;
constexpr int kMostFixes = 3;
constexpr std::int64_t kMostSteps = 16; // of the sequences in these tests, with what a drawn state may stand for
const std::vector<std::int64_t> kWidths = {5, kSmallSize, 2 * kSmallSize, 1};

std::string textOf(const ParamValue& value)
{
    if (const auto* flag = std::get_if<bool>(&value))
        return *flag ? "true" : "false";
    if (const auto* integer = std::get_if<std::int64_t>(&value))
        return std::to_string(*integer);
    if (const auto* real = std::get_if<double>(&value))
        return fmt::format("{}", *real);
    return std::get<std::string>(value);
}

/// Defaults, with sizes of at most `largest`.
Params sizedParams(const BlockSpec& spec, std::int64_t largest)
{
    Params params = spec.withDefaults({});
    for (const ParamSpec& param : spec.params)
        if (auto* size = std::get_if<std::int64_t>(&params[param.name]); size != nullptr && *size > largest)
            *size = largest;
    return params;
}

Params smallParams(const BlockSpec& spec)
{
    return sizedParams(spec, kSmallSize);
}

/// Other values a parameter may take.
std::vector<ParamValue> otherValues(const ParamSpec& param, const ParamValue& value)
{
    std::vector<ParamValue> others;
    if (const auto* flag = std::get_if<bool>(&value))
        others.emplace_back(std::in_place_type<bool>, !*flag);
    if (const auto* integer = std::get_if<std::int64_t>(&value))
        for (std::int64_t other : {std::int64_t{2}, std::int64_t{3}})
            if (other != *integer)
                others.emplace_back(std::in_place_type<std::int64_t>, other);
    if (const auto* real = std::get_if<double>(&value))
        others.emplace_back(std::in_place_type<double>,
                            *real + 0.3 * (std::min(param.maximum.value_or(1e9), *real + 1) - *real));
    for (const ChoiceSpec& choice : param.choices)
        if (choice.value != std::get<std::string>(value))
            others.emplace_back(std::in_place_type<std::string>, choice.value);
    return others;
}

/// What the block computes with: how weights begin and are trained has tests of its own.
std::vector<ParamSpec> computing(const BlockSpec& spec)
{
    std::vector<ParamSpec> params;
    std::copy_if(spec.params.begin(), spec.params.end(), std::back_inserter(params),
                 [](const ParamSpec& param) { return param.computes; });
    return params;
}

std::map<std::string, Shape> inputShapes(const BlockSpec& spec, std::int64_t width, std::int64_t lastWidth)
{
    std::map<std::string, Shape> shapes;
    std::string last;
    for (const PortSpec& port : spec.inputs) {
        if (port.type == PortType::State)
            continue;
        Shape shape{.type = port.type};
        if (port.type == PortType::Tokens || port.type == PortType::Targets)
            shape.classes = kClasses;
        if (port.type == PortType::Sequence || port.type == PortType::Vector) {
            shape.width = width;
            last = port.name;
        }
        if (port.type == PortType::TargetValues) {
            shape.width = kNumbers;
            shape.shares = true;
        }
        shapes[port.name] = shape;
    }
    if (!last.empty())
        shapes[last].width = lastWidth;
    return shapes;
}

/// The widths at which each option is taken: where there are targets theirs too, since what is compared as it comes must be as wide.
std::vector<std::int64_t> optionWidths(const BlockSpec& spec)
{
    std::vector<std::int64_t> widths = {5, kSmallSize};
    for (const PortSpec& port : spec.inputs)
        if (port.type == PortType::Targets || port.type == PortType::TargetValues)
            widths.push_back(port.type == PortType::Targets ? kClasses : kNumbers);
    return widths;
}

/// A state of the shape that the block itself gives; nothing where the spec refuses the case and offers no other value.
bool complete(BlockCase& blockCase)
{
    Inferred inferred = infer(blockCase);
    for (int i = 0; i < kMostFixes && hasErrors(inferred.diagnostics) && inferred.offer; ++i) {
        blockCase.params[inferred.offer->first] = inferred.offer->second;
        inferred = infer(blockCase);
    }
    if (hasErrors(inferred.diagnostics))
        return false;
    for (const PortSpec& port : blockCase.spec->inputs)
        if (port.type == PortType::State)
            blockCase.inputs[port.name] = inferred.outputs.at("state");
    return true;
}

class Cases {
public:
    explicit Cases(const BlockSpec& spec) : m_spec(spec) {}

    void add(const Params& params, std::int64_t width, std::int64_t lastWidth)
    {
        BlockCase made{&m_spec, params, inputShapes(m_spec, width, lastWidth)};
        if (complete(made) && m_seen.insert(made.text()).second)
            m_cases.push_back(std::move(made));
    }

    std::vector<BlockCase> take() { return std::move(m_cases); }

private:
    const BlockSpec& m_spec;
    std::vector<BlockCase> m_cases;
    std::set<std::string> m_seen;
};

Params mixture(const std::vector<ParamSpec>& changing, Params params, std::mt19937& random)
{
    for (const ParamSpec& param : changing) {
        const auto others = otherValues(param, params.at(param.name));
        const std::size_t pick = random() % (others.size() + 1);
        if (pick < others.size())
            params[param.name] = others[pick];
    }
    return params;
}

} // namespace

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

std::string BlockCase::text() const
{
    std::string words = spec->id;
    const Params usual = smallParams(*spec);
    for (const auto& [name, value] : params)
        if (value != usual.at(name))
            words += " " + name + "=" + textOf(value);
    for (const auto& [port, shape] : inputs)
        if (shape.type == PortType::Sequence)
            words += fmt::format(" {}:{}", port, shape.width);
    return words;
}

std::vector<BlockCase> casesOf(const std::string& block)
{
    const BlockSpec& spec = *registry().find(block);
    Cases cases(spec);
    const Params usual = smallParams(spec);
    for (std::int64_t width : kWidths)
        cases.add(usual, width, width);
    cases.add(usual, 5, 3);
    for (const ParamSpec& param : computing(spec))
        for (const ParamValue& other : otherValues(param, usual.at(param.name))) {
            Params params = usual;
            params[param.name] = other;
            for (std::int64_t width : optionWidths(spec))
                cases.add(params, width, width);
        }
    std::mt19937 random(4); // NOLINT: the same mixtures every time
    for (int i = 0; i < kMixtures && !spec.params.empty(); ++i) {
        const std::int64_t width = kWidths[random() % 3];
        cases.add(mixture(computing(spec), smallParams(spec), random), width, width);
    }
    return cases.take();
}

std::vector<BlockCase> freshCasesOf(const std::string& block)
{
    constexpr std::int64_t kFreshWidth = 48;
    const BlockSpec& spec = *registry().find(block);
    Cases cases(spec);
    const Params usual = sizedParams(spec, kFreshSize);
    cases.add(usual, kFreshWidth, kFreshWidth);
    cases.add(usual, kFreshSize, kFreshSize);
    for (const ParamSpec& param : spec.params)
        for (const ParamValue& other : otherValues(param, usual.at(param.name))) {
            Params params = usual;
            params[param.name] = other;
            cases.add(params, kFreshWidth, kFreshWidth);
        }
    std::mt19937 random(5); // NOLINT: the same mixtures every time
    for (int i = 0; i < kMixtures && !spec.params.empty(); ++i)
        cases.add(mixture(spec.params, usual, random), kFreshWidth, kFreshWidth);
    return cases.take();
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
        } else {
            value.push_back(inputTensor(blockCase.inputs.at(port.name), options, random));
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
