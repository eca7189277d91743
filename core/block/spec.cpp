// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/block/spec.h"

#include "core/graph/by_copy.h"

#include <algorithm>

namespace unroll {

namespace {

template <class T>
const T* named(const std::vector<T>& list, const std::string& name)
{
    auto found = std::find_if(list.begin(), list.end(), [&](const T& entry) { return entry.name == name; });
    return found == list.end() ? nullptr : &*found;
}

const PortSpec* typed(const std::vector<PortSpec>& ports, PortType type)
{
    auto found = std::find_if(ports.begin(), ports.end(), [&](const PortSpec& port) { return port.type == type; });
    return found == ports.end() ? nullptr : &*found;
}

bool holds(const Condition& condition, const Params& values)
{
    const auto other = values.find(condition.param);
    const std::vector<std::string>& wanted = condition.choices;
    const auto isWanted = [&](const ParamValue& value) {
        return std::find(wanted.begin(), wanted.end(), paramText(value)) != wanted.end();
    };
    if (other == values.end())
        return true;
    const auto* byCopy = std::get_if<ByCopy>(&other->second); // in one of the copies
    return byCopy == nullptr ? isWanted(other->second)
                             : std::any_of(byCopy->values.begin(), byCopy->values.end(),
                                           [&](const PlainValue& each) { return isWanted(asParam(each)); });
}

} // namespace

const char* categoryTitle(Category category)
{
    switch (category) {
    case Category::Data: return "Data";
    case Category::Embedding: return "Embedding";
    case Category::Recurrent: return "Recurrent";
    case Category::Attention: return "Attention";
    case Category::Layer: return "Layers";
    case Category::Combine: return "Combine";
    case Category::Output: return "Output";
    case Category::Group: return "Groups";
    }
    return "?";
}

const PortSpec* BlockSpec::input(const std::string& port) const
{
    return named(inputs, port);
}
const PortSpec* BlockSpec::output(const std::string& port) const
{
    return named(outputs, port);
}
const ParamSpec* BlockSpec::param(const std::string& wanted) const
{
    return named(params, wanted);
}

bool BlockSpec::givesLoss() const
{
    return typed(outputs, PortType::Loss) != nullptr;
}

const PortSpec* BlockSpec::prediction() const
{
    return givesLoss() ? typed(outputs, PortType::Sequence) : nullptr;
}

Params BlockSpec::withDefaults(const Params& given) const
{
    Params complete;
    for (const ParamSpec& spec : params) {
        auto found = given.find(spec.name);
        auto value = found == given.end() ? std::nullopt : asParamOf(spec.type, inFirstCopy(found->second));
        complete.emplace(spec.name, value ? *value : spec.defaultValue);
    }
    return complete;
}

const ChoiceSpec* ParamSpec::choice(const std::string& wanted) const
{
    auto found =
        std::find_if(choices.begin(), choices.end(), [&](const ChoiceSpec& choice) { return choice.value == wanted; });
    return found == choices.end() ? nullptr : &*found;
}

bool ParamSpec::counts(const Params& values) const
{
    return when.empty() ||
           std::any_of(when.begin(), when.end(), [&](const Condition& condition) { return holds(condition, values); });
}

SignalKind SignalSpec::lookOf(const Params& values) const
{
    return other && holds(other->when, values) ? other->look : look;
}

bool BlockSpec::hasPort(const PortSpec& port, const Params& values) const
{
    const auto has = [&](const Condition& condition) {
        return holds(condition, values) && param(condition.param)->counts(values);
    };
    return port.when.empty() || std::any_of(port.when.begin(), port.when.end(), has);
}

bool BlockSpec::portsVary() const
{
    const auto varies = [](const PortSpec& port) { return !port.when.empty(); };
    return std::any_of(inputs.begin(), inputs.end(), varies) || std::any_of(outputs.begin(), outputs.end(), varies);
}

std::vector<WeightSpec> BlockSpec::weightsOf(const Params& complete, const std::map<std::string, Shape>& wired) const
{
    return weights ? weights({complete, wired}) : std::vector<WeightSpec>();
}

Cost BlockSpec::costOf(const CostScope& scope) const
{
    Cost total = cost(scope);
    total.parameters = sum({total.parameters, trainedElements(weightsOf(scope.params, scope.inputs))});
    return total;
}

bool BlockSpec::isCausal(const Params& complete) const
{
    return !causal || causal(complete);
}

} // namespace unroll
