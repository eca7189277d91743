// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/check/level.h"

#include "core/graph/names.h"

#include <algorithm>

namespace unroll {

namespace {

const PortSpec* named(const std::vector<PortSpec>& ports, std::string_view name)
{
    for (const PortSpec& port : ports)
        if (port.name == name)
            return &port;
    return nullptr;
}

} // namespace

const PortSpec* Item::input(std::string_view name) const
{
    return isKnown() ? named(inputs(), name) : nullptr;
}
const PortSpec* Item::output(std::string_view name) const
{
    return isKnown() ? named(outputs(), name) : nullptr;
}

std::int64_t Item::copies() const
{
    std::size_t copies = 0;
    for (const AlikeCopies& alike : inside)
        copies += alike.copies.size();
    return static_cast<std::int64_t>(copies);
}

Level* Item::innerOfLast() const
{
    for (const AlikeCopies& alike : inside)
        if (alike.copies.back() == copies())
            return alike.level.get();
    return nullptr;
}

bool Item::hasInput(const std::string& name) const
{
    return !isKnown() || (node->group ? findPort(node->group->inputs, name) != nullptr : input(name) != nullptr);
}

bool Item::hasOutput(const std::string& name) const
{
    return !isKnown() || (node->group ? findPort(node->group->outputs, name) != nullptr : output(name) != nullptr);
}

bool Item::givesLoss() const
{
    return !node->group && spec != nullptr && spec->givesLoss();
}

std::optional<PortType> Item::gives(std::string_view name) const
{
    if (node->group) {
        const PromotedPort* promoted = findPort(node->group->outputs, std::string(name));
        const Item* source = promoted == nullptr || inside.empty() ? nullptr : inner()->item(promoted->inner.node);
        if (source != nullptr)
            return source->gives(promoted->inner.port);
    }
    const PortSpec* port = output(name);
    if (port == nullptr)
        return std::nullopt;
    return port->orVector && checked.onVectors ? PortType::Vector : port->type;
}

std::optional<std::size_t> Level::indexOf(NodeId id) const
{
    auto found = std::lower_bound(items.begin(), items.end(), id,
                                  [](const Item& item, NodeId wanted) { return item.node->id < wanted; });
    if (found == items.end() || found->node->id != id)
        return std::nullopt;
    return static_cast<std::size_t>(found - items.begin());
}

Item* Level::item(NodeId id)
{
    auto index = indexOf(id);
    return index ? &items[*index] : nullptr;
}

Diagnostic& Level::report(Severity severity, Item* item, std::string where, std::string code, std::string sentence)
{
    Diagnostic diagnostic;
    diagnostic.severity = severity;
    diagnostic.group = path;
    diagnostic.groupName = name;
    if (item != nullptr) {
        diagnostic.node = item->node->id;
        diagnostic.nodeName = item->node->name;
    }
    diagnostic.where = std::move(where);
    diagnostic.code = std::move(code);
    diagnostic.sentence = std::move(sentence);
    return result.diagnostics.emplace_back(std::move(diagnostic));
}

GraphEdit atPath(const GroupPath& path, GraphEdit edit)
{
    return path.empty() ? edit : edits::inside(path, std::move(edit));
}

Fix Level::fix(std::string title, GraphEdit edit) const
{
    return {std::move(title), atPath(path, std::move(edit))};
}

Fix Level::paramFix(const Item& item, const std::string& param, const ParamValue& value) const
{
    const std::string title = "Set " + param + " to " + paramText(value);
    auto found = overrides.find({item.node->id, param});
    if (found == overrides.end())
        return fix(title, edits::setParam(item.node->id, param, value));
    const ParamOverride& set = found->second;
    return {title, atPath(set.path, edits::setParam(set.node, set.param, value))};
}

} // namespace unroll
