// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/model/model.h"

#include "core/check/ports.h"
#include "core/model/loss_only.h"
#include "core/model/pass.h"
#include "core/model/pass_wrapper.h"

#include <ATen/CPUGeneratorImpl.h>
#include <c10/util/Exception.h>

#include <algorithm>
#include <cassert>
#include <utility>

namespace unroll {

struct Model::Built {
    Plan plan;
    at::ScalarType dtype;
    std::optional<LengthLimit> longest;
    std::string lossUnit;
    std::string running;
    PassWrapper* wrapper = nullptr; ///< null while it runs
};

Model::Model(std::shared_ptr<Built> built) : m_built(std::move(built)) {}

Model::~Model() = default;

Result<std::unique_ptr<Model>> Model::build(const Graph& graph, const CheckedGraph& checked,
                                            const BlockRegistry& registry, const Builders& builders, std::uint64_t seed,
                                            at::ScalarType dtype)
{
    assert(checked.runnable() && "only a graph without errors can be built");
    PlanSetup setup{registry, builders, at::make_generator<at::CPUGeneratorImpl>(seed), dtype, {}};
    try {
        auto plan = makePlan(graph, checked, setup);
        if (!plan)
            return tl::unexpected(plan.error());
        for (Weight& weight : plan->weights)
            weight.rule = weight.rule.atLength(checked.steps);
        return std::unique_ptr<Model>(new Model(std::make_shared<Built>(
            Built{std::move(*plan), dtype, checked.longest, lossUnitOf(checked), {}, nullptr})));
    } catch (const c10::Error& error) {
        return fail(error.what_without_backtrace(), setup.building);
    } catch (const std::bad_alloc&) {
        return fail("not enough memory for the weights of this graph", setup.building);
    }
}

namespace {

/// Numbers come in the type that the weights have.
void setSource(const Plan& plan, std::vector<Value>& slots, const char* port, const at::Tensor& tensor,
               at::ScalarType dtype)
{
    auto slot = plan.sourceSlots.find(port);
    if (slot != plan.sourceSlots.end() && tensor.defined())
        slots[slot->second] = {tensor.is_floating_point() ? tensor.to(dtype) : tensor};
}

at::Tensor single(const std::vector<Value>& slots, Slot slot)
{
    return slot == kNoSlot || slots[slot].empty() ? at::Tensor() : slots[slot].front();
}

/// Takes the wrapper out of its place for as long as it runs.
class WrapperAway {
public:
    explicit WrapperAway(PassWrapper*& place) : m_place(place), m_wrapper(std::exchange(place, nullptr)) {}
    ~WrapperAway() { m_place = m_wrapper; }
    WrapperAway(const WrapperAway&) = delete;
    WrapperAway& operator=(const WrapperAway&) = delete;

    PassWrapper* wrapper() const { return m_wrapper; }

private:
    PassWrapper*& m_place;
    PassWrapper* m_wrapper;
};

thread_local bool lossAloneIsAsked = false;

} // namespace

LossOnly::LossOnly(bool asked) : m_before(std::exchange(lossAloneIsAsked, asked)) {}

LossOnly::~LossOnly()
{
    lossAloneIsAsked = m_before;
}

bool LossOnly::isAsked()
{
    return lossAloneIsAsked;
}

ModelOutput Model::forward(const ModelInput& input, const States& states, PassContext context)
{
    if (m_built->wrapper != nullptr) {
        const WrapperAway away(m_built->wrapper);
        return away.wrapper()->pass(*this, input, states, context);
    }
    const Plan& plan = m_built->plan;
    std::vector<Value> slots(plan.slots);
    for (const auto& [port, tensor] : {std::pair("tokens", &input.tokens), std::pair("features", &input.features),
                                       std::pair("targets", &input.targets), std::pair("mask", &input.mask)})
        setSource(plan, slots, port, *tensor, m_built->dtype);
    ModelOutput result;
    Pass pass{plan, slots, states, context, context.keepsState, m_built->running, result.states, false, m_built};
    runSteps(pass, 0, plan.steps.size());
    m_built->running.clear();
    result.loss = single(slots, plan.loss);
    result.prediction = single(slots, plan.prediction);
    return result;
}

void Model::wrap(PassWrapper* wrapper)
{
    m_built->wrapper = wrapper;
}

States Model::startStates(std::int64_t sequences) const
{
    return m_built->wrapper == nullptr ? States() : m_built->wrapper->start(sequences);
}

const std::vector<Weight>& Model::weights() const
{
    return m_built->plan.weights;
}

std::vector<WeightPlace> Model::weightPlaces() const
{
    std::vector<WeightPlace> places(m_built->plan.weights.size());
    for (const PlanStep& step : m_built->plan.steps) {
        const auto& own = step.block->weights();
        const auto first = m_built->plan.firstWeight.find(step.block.get());
        for (std::size_t i = 0; first != m_built->plan.firstWeight.end() && i < own.size(); ++i)
            if (WeightPlace& place = places[first->second + i]; place.node.empty())
                place = {step.node, own[i].name};
    }
    return places;
}

const std::string& Model::sourceNode() const
{
    return m_built->plan.source;
}

const std::vector<std::string>& Model::recurrentNodes() const
{
    return m_built->plan.recurrentNodes;
}

const std::optional<LengthLimit>& Model::longestSequence() const
{
    return m_built->longest;
}

const std::string& Model::lossUnit() const
{
    return m_built->lossUnit;
}

const std::string& Model::runningNode() const
{
    return m_built->running;
}

const PlanStep* Model::stepOf(const std::string& node) const
{
    const auto& steps = m_built->plan.steps;
    auto found = std::find_if(steps.begin(), steps.end(), [&](const PlanStep& step) { return step.node == node; });
    return found == steps.end() ? nullptr : &*found;
}

const Block* Model::blockOf(const std::string& node) const
{
    const PlanStep* step = stepOf(node);
    return step == nullptr ? nullptr : step->block.get();
}

const BlockSpec* Model::specOf(const std::string& node) const
{
    const PlanStep* step = stepOf(node);
    return step == nullptr ? nullptr : step->spec;
}

SignalKind Model::signalKind(const std::string& node, const std::string& signal) const
{
    if (const PlanStep* step = stepOf(node))
        for (std::size_t i = 0; i < step->looks.size(); ++i)
            if (step->spec->signalSpecs[i].name == signal)
                return step->looks[i];
    return SignalKind::Signed;
}

const SignalSpec* Model::signalSpec(const std::string& node, const std::string& signal) const
{
    if (const PlanStep* step = stepOf(node))
        for (const SignalSpec& spec : step->spec->signalSpecs)
            if (spec.name == signal)
                return &spec;
    return nullptr;
}

std::vector<std::string> Model::stateSignals(const std::string& node) const
{
    std::vector<std::string> signals;
    if (const PlanStep* step = stepOf(node))
        for (const PortSpec& port : step->spec->outputs)
            for (const std::string& part : port.parts)
                for (const SignalSpec& signal : step->spec->signalSpecs)
                    if (signal.name == part)
                        signals.push_back(part);
    return signals;
}

std::vector<LimitedSignal> Model::limitedSignals() const
{
    std::vector<LimitedSignal> found;
    for (const PlanStep& step : m_built->plan.steps)
        for (const SignalSpec& signal : step.spec->signalSpecs)
            if (signal.limit)
                found.push_back({step.node, &signal});
    return found;
}

void Model::to(at::Device device)
{
    for (Weight& weight : m_built->plan.weights)
        weight.tensor.set_data(weight.tensor.detach().to(device));
}

at::Device Model::device() const
{
    const auto& weights = m_built->plan.weights;
    return weights.empty() ? at::Device(at::kCPU) : weights.front().tensor.device();
}

void clearFresh(States& states, const std::vector<std::uint8_t>& fresh)
{
    if (std::none_of(fresh.begin(), fresh.end(), [](std::uint8_t row) { return row != 0; }))
        return;
    for (auto& [node, state] : states)
        for (at::Tensor& tensor : state) {
            if (!tensor.defined())
                continue;
            tensor = tensor.clone();
            for (std::size_t row = 0; row < fresh.size(); ++row)
                if (fresh[row] != 0)
                    tensor.select(0, static_cast<std::int64_t>(row)).zero_();
        }
}

States detach(const States& states)
{
    States result;
    for (const auto& [node, state] : states)
        for (const at::Tensor& tensor : state)
            result[node].push_back(tensor.defined() ? tensor.detach() : tensor);
    return result;
}

} // namespace unroll
