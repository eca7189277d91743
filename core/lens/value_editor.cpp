// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/lens/value_editor.h"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace unroll {

namespace {

/// A sequence of vectors or matrices, or of one vector a sequence.
bool isChangeable(const at::Tensor& value)
{
    return value.defined() && value.is_floating_point() && value.dim() >= 2;
}

/// One name the state's tensor at `part` goes by; empty: none.
std::string partName(const PortSpec& port, std::size_t part, std::size_t parts)
{
    return port.parts.size() == parts ? port.parts[part] : "";
}

} // namespace

bool ValueEditor::wants(const std::string& node, const std::string& signal) const
{
    return std::find(m_wanted.begin(), m_wanted.end(), WatchedSignal{node, signal}) != m_wanted.end();
}

bool ValueEditor::edits(const std::string& node, const std::string& signal)
{
    m_changes[node].insert(signal);
    return wants(node, signal) || sees(node, signal);
}

void ValueEditor::watch(Wants wanted, Seen seen)
{
    m_watched = std::move(wanted);
    m_seen = std::move(seen);
}

bool ValueEditor::changesInside(const std::string& node) const
{
    return std::any_of(m_ways.begin(), m_ways.end(),
                       [&](const auto& each) { return each.first.node == node && each.second == Way::Inside; });
}

bool ValueEditor::sees(const std::string& node, const std::string& signal) const
{
    return m_seen && changesInside(node) && m_watched(node, signal);
}

at::Tensor ValueEditor::edited(const std::string& node, const std::string& signal, const at::Tensor& value,
                               const EditPlace& place)
{
    const WatchedSignal here{node, signal};
    at::Tensor made = value.dim() > 3 ? value.flatten(2) : value;
    if (wants(node, signal)) {
        m_ways[here] = Way::Inside;
        made = changed(here, made, place, false);
    }
    made = made.reshape(value.sizes());
    if (sees(node, signal))
        m_seen(here, made, place);
    return made;
}

void ValueEditor::change(const WatchedSignal& signal, at::Tensor& value, std::int64_t step, Way way)
{
    m_changes[signal.node].insert(signal.signal);
    const bool isOutput = way == Way::Output;
    const auto known = m_ways.find(signal);
    const bool isInside =
        known != m_ways.end() && known->second == Way::Inside; // then what comes out here is changed already
    const bool named = !isInside && wants(signal.node, signal.signal), whole = isOutput && wants(signal.node, "");
    if (!named && !whole)
        return;
    if (named)
        m_ways[signal] = way;
    if (whole)
        m_ways[{signal.node, ""}] = way;
    const bool isOneStep = value.dim() == 2; // a vector a sequence, or a state
    const at::Tensor steps = isOneStep ? value.unsqueeze(0) : value.dim() > 3 ? value.flatten(2) : value;
    value = changed(signal, steps, {step, 0, 0}, isOutput).reshape(value.sizes());
}

void ValueEditor::leaving(const std::string& node, const PortSpec& port, Value& value, std::int64_t step)
{
    m_changes[node];
    for (std::size_t i = 0; i < value.size(); ++i) {
        if (!isChangeable(value[i]))
            continue;
        if (port.type != PortType::State)
            change({node, port.name}, value[i], step, Way::Output);
        else if (const std::string part = partName(port, i, value.size()); !part.empty())
            change({node, part}, value[i], step, Way::Carried);
    }
}

std::string ValueEditor::trouble() const
{
    for (const WatchedSignal& wanted : m_wanted) {
        if (m_ways.contains(wanted))
            continue;
        const auto node = m_changes.find(wanted.node);
        if (node == m_changes.end()) {
            std::vector<std::string> names;
            for (const auto& [name, changes] : m_changes)
                names.push_back(name);
            return fmt::format("the network has no node {}; it has {}", wanted.node, fmt::join(names, ", "));
        }
        if (node->second.empty())
            return wanted.node + " has nothing that can be changed: it outputs no numbers";
        if (wanted.signal.empty())
            return wanted.node + " cannot be ablated: it outputs no numbers";
        return fmt::format("{} has no signal {} that can be changed; what can be is {}", wanted.node, wanted.signal,
                           fmt::join(node->second, ", "));
    }
    return {};
}

bool ValueEditor::stepsThrough(const std::string& node) const
{
    return std::any_of(m_ways.begin(), m_ways.end(),
                       [&](const auto& each) { return each.first.node == node && each.second != Way::Output; });
}

bool ValueEditor::needsSteps() const
{
    return std::any_of(m_ways.begin(), m_ways.end(), [](const auto& each) { return each.second != Way::Output; });
}

} // namespace unroll
