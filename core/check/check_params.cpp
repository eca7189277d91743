// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/check/level.h"

#include "core/base/json.h"
#include "core/graph/by_copy.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>

namespace unroll {

namespace {

/// The value that counts: the enclosing groups' if they set one, else the node's own; nullptr: the default.
const ParamValue* givenValue(const Level& level, const Item& item, const std::string& param)
{
    if (!level.overrides.empty())
        if (auto set = level.overrides.find({item.node->id, param}); set != level.overrides.end())
            return &set->second.value;
    auto own = item.node->params.find(param);
    return own == item.node->params.end() ? nullptr : &own->second;
}

std::string faultOf(const ParamSpec& spec, const ParamValue& value)
{
    std::string fault = paramFault(spec, value);
    const auto* whole = std::get_if<std::int64_t>(&value);
    if (fault.empty() && spec.type == ParamType::Int && whole != nullptr && !spec.maximum &&
        (*whole > kLargestInt || *whole < -kLargestInt))
        fault = fmt::format("{} must lie within {} of zero; it is {}", spec.name, kLargestInt, *whole);
    return fault;
}

bool decidesPorts(const BlockSpec& block, const std::string& param)
{
    const auto asks = [&](const PortSpec& port) {
        return std::any_of(port.when.begin(), port.when.end(),
                           [&](const Condition& condition) { return condition.param == param; });
    };
    return std::any_of(block.inputs.begin(), block.inputs.end(), asks) ||
           std::any_of(block.outputs.begin(), block.outputs.end(), asks);
}

/// Why a value may not differ by copy here; empty: it may.
std::string differenceFault(const Level& level, const Item& item, const ParamSpec& spec)
{
    const std::string& node = item.node->name;
    if (!level.copy)
        return fmt::format("{} differs by copy, but {} is not in a repeated group", spec.name, node);
    if (level.copy->sharedWeights)
        return fmt::format("{} cannot differ by copy: the copies of {} share one set of weights", spec.name,
                           level.copy->group);
    if (!mayDifferByCopy(spec.type))
        return fmt::format("{} cannot differ by copy: it is a text", spec.name);
    if (decidesPorts(*item.spec, spec.name))
        return fmt::format("{} cannot differ by copy: it decides which ports {} has", spec.name, node);
    return "";
}

/// The value of the level's copy; nothing where a mistake was reported.
std::optional<ParamValue> ofThisCopy(Level& level, Item& item, const ParamSpec& spec, const ByCopy& values)
{
    const std::string words = paramText(values);
    if (const std::string fault = differenceFault(level, item, spec); !fault.empty()) {
        level.error(&item, spec.name, "bad-parameter", fault).fix =
            level.paramFix(item, spec.name, inFirstCopy(values));
        return std::nullopt;
    }
    for (const PlainValue& each : values.values)
        if (std::string fault = faultOf(spec, asParam(each)); !fault.empty()) {
            level.error(&item, spec.name, "bad-parameter", fmt::format("{} ({})", fault, words)).fix =
                level.paramFix(item, spec.name, spec.defaultValue);
            return std::nullopt;
        }
    if (const std::string fault = copiesFault(values, level.copy->copies); !fault.empty()) {
        level
            .error(&item, spec.name, "bad-parameter",
                   fmt::format("{} {} of {} ({})", spec.name, fault, level.copy->group, words))
            .fix = level.paramFix(item, spec.name, listOf(values, level.copy->copies));
        return std::nullopt;
    }
    return asParam(valueIn(values, level.copy->copy, level.copy->copies));
}

void checkParam(Level& level, Item& item, const ParamSpec& spec)
{
    ParamValue& complete = item.params.emplace(spec.name, spec.defaultValue).first->second;
    const ParamValue* given = givenValue(level, item, spec.name);
    if (given == nullptr)
        return;
    if (const auto* values = std::get_if<ByCopy>(given)) {
        const auto value = ofThisCopy(level, item, spec, *values);
        item.mistaken = item.mistaken || !value;
        if (value)
            complete = *asParamOf(spec.type, *value);
        return;
    }
    std::string fault = faultOf(spec, *given);
    if (fault.empty()) {
        complete = *asParamOf(spec.type, *given);
        return;
    }
    item.mistaken = true;
    level.error(&item, spec.name, "bad-parameter", std::move(fault)).fix =
        level.paramFix(item, spec.name, spec.defaultValue);
}

void reportUnknown(Level& level, Item& item, const std::string& name)
{
    level
        .report(Severity::Warning, &item, name, "unknown-parameter",
                fmt::format("{} has no parameter {}", item.node->name, name))
        .fix = level.fix("Remove " + name, edits::resetParam(item.node->id, name));
}

/// Values of no form that a parameter has: null, an array of arrays, an object.
void checkKept(Level& level, Item& item, const std::string& text)
{
    const auto kept = readJson(text, "params");
    if (!kept || kept->asObject() == nullptr)
        return;
    for (const JsonMember& member : *kept->asObject()) {
        if (item.node->params.contains(member.key))
            continue; // another way to write the number
        const ParamSpec* spec = item.spec->param(member.key);
        if (spec == nullptr) {
            reportUnknown(level, item, member.key);
            continue;
        }
        item.mistaken = true;
        level.error(&item, spec->name, "bad-parameter", fmt::format("{} cannot be {}", spec->name, member.value.kind()))
            .fix = level.fix("Reset " + spec->name, edits::resetParam(item.node->id, spec->name));
    }
}

void checkBlockParams(Level& level, Item& item)
{
    for (const ParamSpec& spec : item.spec->params)
        checkParam(level, item, spec);
    for (const auto& [name, value] : item.node->params)
        if (item.spec->param(name) == nullptr)
            reportUnknown(level, item, name);
    if (auto kept = item.node->extra.find("params"); kept != item.node->extra.end())
        checkKept(level, item, kept->second);
}

void checkGroupParams(Level& level, Item& item)
{
    const auto promotes = [&](const std::string& name) {
        for (const PromotedParam& param : item.node->group->params)
            if (param.name == name)
                return true;
        return false;
    };
    for (const auto& [name, value] : item.node->params)
        if (!promotes(name))
            reportUnknown(level, item, name);
}

} // namespace

void checkParams(Level& level)
{
    for (Item& item : level.items) {
        if (item.node->group)
            checkGroupParams(level, item);
        else if (item.spec != nullptr)
            checkBlockParams(level, item);
        if (!item.node->group && item.spec != nullptr && item.spec->portsVary())
            item.ports = portsWith(*item.spec, item.params);
    }
}

void readSources(Level& level)
{
    for (Item& item : level.items) {
        if (!item.isData() || item.mistaken)
            continue;
        if (!level.options.sourceFacts) {
            level.error(&item, "", "data-unknown",
                        "the contents of this data are unknown here, so the shapes that depend on it are too");
            continue;
        }
        item.facts = level.options.sourceFacts(item.node->block, item.params);
        if (!item.facts->error.empty()) {
            level.error(&item, item.facts->errorParam, "data", item.facts->error);
            item.mistaken = true;
        } else if (level.result.steps == 0) {
            level.result.steps = item.facts->steps;
            level.result.carried = item.facts->carried;
        }
    }
}

} // namespace unroll
