// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/block/spec.h"
#include "core/graph/edit.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

namespace unroll {

namespace {

template <class T>
std::string namesFault(const std::vector<T>& list, const char* what)
{
    std::set<std::string> seen;
    for (const T& entry : list) {
        if (!isValidName(entry.name))
            return fmt::format("{} \"{}\" is not a valid name", what, entry.name);
        if (!seen.insert(entry.name).second)
            return fmt::format("{} {} occurs twice", what, entry.name);
    }
    return "";
}

std::string paramSpecFault(const ParamSpec& param)
{
    if (param.minimum && param.maximum && *param.minimum > *param.maximum)
        return fmt::format("{}: its minimum is above its maximum", param.name);
    if ((param.type == ParamType::Choice) == param.choices.empty())
        return fmt::format("{}: a Choice must have choices, and only a Choice may", param.name);
    if (param.type != ParamType::Path && !param.suffixes.empty())
        return fmt::format("{}: endings belong to files", param.name);
    const auto typed = asParamOf(param.type, param.defaultValue);
    if (!typed || typed->index() != param.defaultValue.index())
        return fmt::format("{}: its default is of another type", param.name);
    const std::string fault = paramFault(param, param.defaultValue);
    return fault.empty() ? "" : "default: " + fault;
}

/// Of what hangs on parameters: a parameter, a port, or the kind of a signal.
std::string conditionFault(const std::string& name, const std::vector<Condition>& when,
                           const std::vector<ParamSpec>& params)
{
    for (const Condition& condition : when) {
        const auto other = std::find_if(params.begin(), params.end(),
                                        [&](const ParamSpec& each) { return each.name == condition.param; });
        if (other == params.end())
            return fmt::format("{} depends on {}, which does not exist", name, condition.param);
        const bool flag = other->type == ParamType::Bool;
        for (const std::string& choice : condition.choices)
            if (flag ? choice != "true" && choice != "false" : other->choice(choice) == nullptr)
                return fmt::format("{} depends on \"{}\", which is not a choice", name, choice);
    }
    return "";
}

bool hasState(const PortSpec* port)
{
    return port != nullptr && port->type == PortType::State;
}

std::string stateFault(const BlockSpec& spec)
{
    const bool fine = hasState(spec.input("state")) && spec.input("state")->optional && hasState(spec.output("state"));
    return spec.recurrent && !fine ? "a recurrent block has an optional input state and an output state" : "";
}

std::string delayFault(const BlockSpec& spec)
{
    for (const PortSpec& port : spec.inputs)
        if (port.delayed && (!spec.recurrent || port.type != PortType::Sequence))
            return fmt::format("{} is delayed: it must be a sequence held by a state", port.name);
    return "";
}

std::string portsFault(const BlockSpec& spec)
{
    for (const std::vector<PortSpec>* side : {&spec.inputs, &spec.outputs})
        for (const PortSpec& port : *side)
            if (std::string fault = conditionFault(port.name, port.when, spec.params); !fault.empty())
                return fault;
    return "";
}

std::string signalsFault(const BlockSpec& spec)
{
    for (const SignalSpec& signal : spec.signalSpecs)
        if (signal.other)
            if (std::string fault = conditionFault(signal.name, {signal.other->when}, spec.params); !fault.empty())
                return fault;
    return namesFault(spec.signalSpecs, "signal");
}

std::string sumFault(const BlockSpec& spec)
{
    const bool fine = spec.inputs.size() == 2 && spec.outputs.size() == 1 && !spec.portsVary() && !spec.weights;
    return spec.sums && !fine ? "what sums has two inputs, one output and no weights" : "";
}

std::string dimensionsFault(const BlockSpec& spec)
{
    for (const DimensionSpec& dimension : spec.dimensions)
        if (!isValidName(dimension.name) || spec.input(dimension.port) == nullptr)
            return fmt::format("dimension {} reads no input of the block", dimension.name);
    return "";
}

std::string unscaledFault(const BlockSpec& spec)
{
    const ParamSpec* param = spec.param(spec.unscaledParam);
    const bool fine = spec.unscaledParam.empty() || (param != nullptr && param->type == ParamType::Text);
    return fine ? "" : fmt::format("{} is not a text parameter", spec.unscaledParam);
}

std::string shortSequencesFault(const BlockSpec& spec)
{
    for (const auto& [name, value] : spec.forShortSequences) {
        const ParamSpec* param = spec.param(name);
        if (param == nullptr || param->computes)
            return fmt::format("{} for short sequences is not a parameter of initial values", name);
        if (std::string fault = paramFault(*param, value); !fault.empty())
            return fault;
    }
    return "";
}

std::string firstOf(std::initializer_list<std::string> faults)
{
    for (const std::string& fault : faults)
        if (!fault.empty())
            return fault;
    return "";
}

} // namespace

std::string paramsFault(const std::vector<ParamSpec>& params)
{
    std::string fault = namesFault(params, "parameter");
    for (std::size_t i = 0; fault.empty() && i < params.size(); ++i)
        fault = firstOf({paramSpecFault(params[i]), conditionFault(params[i].name, params[i].when, params)});
    return fault;
}

std::string specFault(const BlockSpec& spec)
{
    if (!isValidName(spec.id) || spec.title.empty())
        return fmt::format("\"{}\" is not a valid id, or the title is missing", spec.id);
    if (!spec.infer && !spec.outputs.empty())
        return "infer is missing";
    if (spec.givesLoss() == spec.lossUnit.empty())
        return "a block has a loss unit exactly if it has a loss";
    return firstOf({namesFault(spec.inputs, "input"), namesFault(spec.outputs, "output"), signalsFault(spec),
                    stateFault(spec), delayFault(spec), portsFault(spec), sumFault(spec), dimensionsFault(spec),
                    paramsFault(spec.params), shortSequencesFault(spec), unscaledFault(spec)});
}

} // namespace unroll
