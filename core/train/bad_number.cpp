// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/train/bad_number.h"

#include "core/train/regularisation.h"

#include <ATen/core/grad_mode.h>
#include <ATen/ops/alias.h>
#include <ATen/ops/isfinite.h>
#include <ATen/ops/isinf.h>
#include <ATen/ops/isnan.h>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace unroll {

namespace {

constexpr const char* kData = "data";
constexpr const char* kForward = "forward pass";
constexpr const char* kBackward = "backward pass";

bool isBad(const at::Tensor& value)
{
    return value.defined() && value.is_floating_point() && !at::isfinite(value).all().item<bool>();
}

/// "NaN" or "inf".
const char* kindOf(const at::Tensor& value)
{
    return at::isnan(value).any().item<bool>() ? "NaN" : "inf";
}

/// Of a sequence [T, B, ...] the first time step with such a number: ", first at time step 17 of 64".
std::string firstStep(const at::Tensor& value)
{
    if (value.dim() < 3 || value.size(0) < 2)
        return {};
    const at::Tensor bad = at::isfinite(value).logical_not().flatten(1).any(1);
    const auto first = bad.to(at::kInt).argmax().item<std::int64_t>();
    return fmt::format(", first at time step {} of {}", first + 1, value.size(0));
}

std::string partOf(const PortSpec& port, std::size_t part)
{
    const bool named = port.type == PortType::State && part < port.parts.size();
    return named ? fmt::format("state {}", port.parts[part]) : port.name;
}

/// A recurrent block's state comes in as it goes out, so its parts are those of the output.
std::string statePart(const BlockSpec& spec, std::size_t part)
{
    const PortSpec* state = spec.output("state");
    return state == nullptr ? "state" : partOf(*state, part);
}

BadPlace placeAt(const std::string& node, const at::Tensor& value, const std::string& where, const std::string& pass)
{
    return {node, fmt::format("{} in {} ({})", kindOf(value), node, where), pass};
}

/// "lstm" of "lstm.weight_ih_l0".
std::string nodeOf(const Weight& weight)
{
    return weight.name.substr(0, weight.name.rfind('.'));
}

std::string ownName(const Weight& weight)
{
    return weight.name.substr(weight.name.rfind('.') + 1);
}

at::Tensor gradientOf(const at::Tensor& value)
{
    return value.defined() && value.requires_grad() ? value.grad() : at::Tensor();
}

bool isTargets(PortType type)
{
    return type == PortType::TargetValues || type == PortType::Targets;
}

} // namespace

BadNode BadPlace::at(const std::string& when) const
{
    return {node, what + " " + when + ", " + pass, pass == kData};
}

PassRecord::PassRecord(std::vector<LimitedSignal> limited, std::string source)
    : LimitWatch(std::move(limited)), m_source(std::move(source))
{}

void PassRecord::note(const std::string& node, std::string place, const at::Tensor& value)
{
    m_found = placeAt(node, value, place, kForward);
}

/// What a node reads was found finite when it left the node that made it, unless the batch or the step before brought
/// it.
void PassRecord::checkInput(const Call& call, std::size_t port)
{
    const PortSpec& spec = call.spec->inputs[port];
    for (std::size_t part = 0; part < call.inputs[port].size() && !m_found; ++part) {
        const at::Tensor& value = call.inputs[port][part];
        const bool asked = isTargets(spec.type); // NaN among them is nothing asked
        if (!value.defined() || (asked ? !at::isinf(value).any().item<bool>() : !isBad(value)))
            continue;
        if (spec.type == PortType::State)
            note(call.node, statePart(*call.spec, part) + " carried in", value);
        else
            m_found = BadPlace{m_source,
                               fmt::format("{} in {} ({}{})", asked ? "inf" : kindOf(value), m_source,
                                           asked ? "targets" : "features", asked ? std::string() : firstStep(value)),
                               kData};
    }
}

void PassRecord::entering(const std::string& node, const BlockSpec& spec, std::vector<Value>& inputs)
{
    m_foundLoss = false;
    for (Value& value : inputs)
        for (at::Tensor& tensor : value)
            if (tensor.defined() && tensor.requires_grad()) {
                tensor = at::alias(tensor);
                tensor.retain_grad();
            }
    m_calls.push_back({node, &spec, inputs, {}, {}});
    for (std::size_t i = 0; i < inputs.size() && !m_found; ++i)
        checkInput(m_calls.back(), i);
}

void PassRecord::onOutput(const std::string& node, const std::string& port, const at::Tensor& value)
{
    Call& call = m_calls.back();
    const std::size_t part = call.parts[port]++;
    if (value.requires_grad() && !value.is_leaf())
        value.retain_grad();
    call.outputs.emplace_back(port, value);
    if ((m_found && !m_foundLoss) || !isBad(value))
        return;
    const PortSpec& spec = *call.spec->output(port);
    const bool loss = spec.type == PortType::Loss;
    const std::string name = spec.type == PortType::State || loss ? partOf(spec, part) : "output " + port;
    m_found = placeAt(node, value, name + firstStep(value), kForward);
    m_foundLoss = loss;
}

std::optional<BadPlace> PassRecord::badWeightGradient(const Call& call, const std::vector<Weight>& weights)
{
    for (const Weight& weight : weights)
        if (const at::Tensor gradient = weight.tensor.grad(); nodeOf(weight) == call.node && isBad(gradient))
            return placeAt(call.node, gradient, "gradient of " + ownName(weight), kBackward);
    return std::nullopt;
}

std::optional<BadPlace> PassRecord::badInputGradient(const Call& call)
{
    for (std::size_t i = 0; i < call.inputs.size(); ++i)
        for (const at::Tensor& value : call.inputs[i])
            if (const at::Tensor gradient = gradientOf(value); isBad(gradient))
                return placeAt(call.node, gradient, "gradient of its input " + call.spec->inputs[i].name, kBackward);
    return std::nullopt;
}

std::optional<BadPlace> PassRecord::badGradient(const std::vector<Weight>& weights) const
{
    std::map<std::string, std::size_t> calls;
    for (const Call& call : m_calls)
        ++calls[call.node];
    for (auto call = m_calls.rbegin(); call != m_calls.rend(); ++call) {
        for (const auto& [port, value] :
             call->outputs) // all that read it sent finite ones, or the walk had ended there
            if (const at::Tensor gradient = gradientOf(value); isBad(gradient))
                return placeAt(call->node, gradient, "sum of the gradients of its output " + port, kBackward);
        const bool once = calls.at(call->node) == 1;
        // The weights of a node in a loop have gathered what all its calls sent, earlier ones behind the bad number
        // among them.
        if (auto bad = once ? badWeightGradient(*call, weights) : badInputGradient(*call))
            return bad;
        if (auto bad = once ? badInputGradient(*call) : badWeightGradient(*call, weights))
            return bad;
    }
    for (auto weight = weights.rbegin(); weight != weights.rend(); ++weight)
        if (isBad(weight->tensor.grad()))
            return placeAt(nodeOf(*weight), weight->tensor.grad(), "gradient of " + ownName(*weight), kBackward);
    return std::nullopt;
}

std::optional<BadPlace> badWeight(const std::vector<Weight>& weights, const std::string& pass)
{
    for (const Weight& weight : weights)
        if (isBad(weight.tensor.detach()))
            return placeAt(nodeOf(weight), weight.tensor.detach(), "weight " + ownName(weight), pass);
    return std::nullopt;
}

std::optional<BadPlace> badPenalty(const std::vector<Weight>& weights)
{
    for (const Weight& weight : weights) {
        if (!weight.trained || !weight.rule.isPenalised())
            continue;
        const Penalty penalty = penaltyOf(weight.tensor, weight.rule);
        if (isBad(penalty.value) || isBad(penalty.gradient))
            return placeAt(nodeOf(weight), isBad(penalty.value) ? penalty.value : penalty.gradient,
                           "penalty of " + ownName(weight), "penalty");
    }
    return std::nullopt;
}

std::optional<BadPlace> largestGradient(const std::vector<Weight>& weights)
{
    const Weight* largest = nullptr;
    double most = 0;
    for (const Weight& weight : weights) {
        const at::Tensor gradient = weight.tensor.grad();
        const double reach = gradient.defined() && gradient.numel() > 0 ? gradient.abs().max().item<double>() : 0;
        if (reach > most) {
            most = reach;
            largest = &weight;
        }
    }
    if (largest == nullptr)
        return std::nullopt;
    const std::string node = nodeOf(*largest);
    return BadPlace{
        node,
        fmt::format("inf in the norm of {} (gradient of {}, which reaches {:.1e})", node, ownName(*largest), most),
        kBackward};
}

BadNode findInForward(Model& model, const ModelInput& input, const States& states, const std::string& when)
{
    if (const auto weight = badWeight(model.weights()))
        return weight->at(when);
    const at::NoGradGuard guard;
    PassRecord record({}, model.sourceNode());
    PassContext context;
    context.observer = &record;
    model.forward(input, states, context);
    if (record.found())
        return record.found()->at(when);
    return {"", fmt::format("a non-finite value appeared {}, and did not reappear when the batch was repeated", when)};
}

} // namespace unroll
