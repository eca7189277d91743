// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/check/level.h"

#include "core/base/json.h"

#include <fmt/format.h>

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

void checkParam(Level& level, Item& item, const ParamSpec& spec)
{
    ParamValue& complete = item.params.emplace(spec.name, spec.defaultValue).first->second;
    const ParamValue* given = givenValue(level, item, spec.name);
    if (given == nullptr)
        return;
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

/// Values that are null, an array or an object: no parameter is one.
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
