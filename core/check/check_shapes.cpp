// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/check/level.h"
#include "core/check/ports.h"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>
#include <utility>

namespace unroll {

namespace {

/// Shapes at the item's wired inputs, where they are known.
void collectInputs(Level& level, Item& item)
{
    for (const std::size_t index : item.in) {
        const Link& link = level.links[index];
        const auto& outputs = level.items[link.from].checked.outputs;
        if (!link.usable)
            continue;
        if (auto found = outputs.find(link.wire->from.port); found != outputs.end())
            item.checked.inputs[link.wire->to.port] = found->second;
        else if (auto assumed = level.assumed.find(index); assumed != level.assumed.end())
            item.checked.inputs[link.wire->to.port] = assumed->second;
    }
    if (level.fed.empty() || !item.isKnown())
        return;
    for (const PortSpec& port : item.inputs())
        if (auto fed = level.fed.find({item.node->id, port.name}); fed != level.fed.end() && fed->second.shape)
            item.checked.inputs[port.name] = *fed->second.shape;
}

bool hasSize(const Shape& shape)
{
    switch (shape.type) {
    case PortType::Tokens:
    case PortType::Targets: return shape.classes > 0;
    case PortType::Mask:
    case PortType::Loss: return true;
    case PortType::Table: return shape.rows > 0 && shape.width > 0;
    default: return shape.width > 0;
    }
}

bool isTooWide(Level& level, Item& item, const std::string& port, const Shape& shape)
{
    const std::int64_t size = std::max({shape.width, shape.classes, shape.rows});
    if (size <= kWidest)
        return false;
    const double square = static_cast<double>(size) * static_cast<double>(size) * 4 / (1024.0 * 1024 * 1024);
    level.error(
        &item, port, "too-large",
        fmt::format(
            "{}.{} would be {} wide; the limit is {} (a square matrix of that width alone would need {:.1f} GiB)",
            item.node->name, port, size, kWidest, square));
    return true;
}

std::optional<Fix> fixOf(const Level& level, const Item& item, const InferScope::Offer& offer)
{
    if (const auto* value = std::get_if<ParamValue>(&offer.change))
        return Fix{offer.title, level.paramFix(item, offer.where, *value).edit};
    const Link* link = linkInto(level, item, offer.where);
    if (link == nullptr)
        return std::nullopt;
    if (const auto* wanted = std::get_if<WidthOffer>(&offer.change))
        return resizing(level, item, *link, wanted->width);
    return level.fix("Remove the wire", edits::disconnect(*link->wire));
}

/// Of an item that runs on vectors: whether all of them are made of weights alone.
bool readsWeightsAlone(const Item& item)
{
    const auto& inputs = item.checked.inputs;
    const auto& ports = item.spec->inputs;
    return std::all_of(ports.begin(), ports.end(), [&](const PortSpec& port) {
        const auto input = inputs.find(port.name);
        return input == inputs.end() || (input->second.type == PortType::Vector && input->second.ofWeights);
    });
}

void inferBlock(Level& level, Item& item)
{
    InferScope scope(item.params, item.checked.inputs, item.facts ? &*item.facts : nullptr,
                     {level.result.steps, level.result.carried});
    if (item.spec->infer)
        item.spec->infer(scope);
    for (const InferScope::Offer& offer : scope.offers())
        scope.diagnostics()[offer.diagnostic].fix = fixOf(level, item, offer);
    for (Diagnostic& diagnostic : scope.diagnostics()) {
        item.mistaken = item.mistaken || diagnostic.severity == Severity::Error;
        diagnostic.group = level.path;
        diagnostic.groupName = level.name;
        diagnostic.node = item.node->id;
        diagnostic.nodeName = item.node->name;
        level.result.diagnostics.push_back(std::move(diagnostic));
    }
    for (const PortSpec& port : item.outputs()) {
        auto found = scope.outputs().find(port.name);
        const bool vector =
            item.checked.onVectors && port.orVector; // it may come as it went in, or as the port's own type
        if (found == scope.outputs().end() || !hasSize(found->second) ||
            (found->second.type != port.type && !(vector && found->second.type == PortType::Vector)))
            continue;
        if (isTooWide(level, item, port.name, found->second)) {
            item.mistaken = true;
            break;
        }
        Shape& shape = item.checked.outputs[port.name] = found->second;
        if (vector) {
            shape.type = PortType::Vector;
            shape.ofWeights = readsWeightsAlone(item);
        }
    }
    if (item.mistaken)
        item.checked.outputs.clear();
}

void limitLength(CheckedGraph& result, const std::optional<LengthLimit>& limit)
{
    if (limit && (!result.longest || limit->steps < result.longest->steps))
        result.longest = limit;
}

/// How long the sequences are that the item takes.
std::optional<LengthLimit> limitOf(const Level& level, const Item& item)
{
    std::optional<LengthLimit> shortest;
    for (const AlikeCopies& alike : item.inside)
        if (const auto& limit = alike.level->result.longest; limit && (!shortest || limit->steps < shortest->steps))
            shortest = limit;
    if (!item.inside.empty())
        return shortest;
    if (item.spec == nullptr || !item.spec->longest || item.mistaken)
        return std::nullopt;
    const auto steps = item.spec->longest(item.params);
    const std::string prefix = level.name.empty() ? "" : level.name + ".";
    return steps ? std::optional(LengthLimit{*steps, prefix + item.node->name}) : std::nullopt;
}

void inferItem(Level& level, Item& item)
{
    settleKinds(level, item);
    collectInputs(level, item);
    if (item.node->group)
        checkGroup(level, item);
    else if (item.spec != nullptr && !item.mistaken) {
        checkTargets(level, item);
        takeStateVector(level, item);
        inferBlock(level, item);
    }
    if (!item.node->group)
        item.checked.params = item.params;
    limitLength(level.result, limitOf(level, item));
}

/// The shapes in a loop. What comes round to a delay is not known when the delay is met: each round assumes what the
/// one before has found, until nothing more is found. Of the rounds the last one counts.
class LoopShapes {
public:
    LoopShapes(Level& level, const std::vector<std::size_t>& loop) : m_level(level), m_loop(loop)
    {
        for (const std::size_t index : loop)
            m_fresh.emplace_back(level.items[index].checked, level.items[index].mistaken);
    }

    void infer()
    {
        const std::size_t said = m_level.result.diagnostics.size();
        inferRound();
        while (assumeMore()) {
            restart(said);
            inferRound();
        }
    }

private:
    void inferRound()
    {
        for (const std::size_t index : m_loop)
            inferItem(m_level, m_level.items[index]);
    }

    /// Whether a shape that comes round has become known.
    bool assumeMore()
    {
        bool more = false;
        for (const std::size_t index : m_loop)
            for (const std::size_t in : m_level.items[index].in) {
                const Link& link = m_level.links[in];
                const Item& source = m_level.items[link.from];
                const auto found = source.checked.outputs.find(link.wire->from.port);
                if (link.late && source.loop == m_level.items[index].loop && found != source.checked.outputs.end())
                    more = m_level.assumed.emplace(in, found->second).second || more;
            }
        return more;
    }

    void restart(std::size_t said)
    {
        auto& diagnostics = m_level.result.diagnostics;
        diagnostics.erase(diagnostics.begin() + static_cast<std::ptrdiff_t>(said), diagnostics.end());
        for (std::size_t i = 0; i < m_loop.size(); ++i) {
            Item& item = m_level.items[m_loop[i]];
            std::tie(item.checked, item.mistaken) = m_fresh[i];
            item.inside.clear();
        }
    }

    Level& m_level;
    const std::vector<std::size_t>& m_loop;
    std::vector<std::pair<CheckedNode, bool>> m_fresh; ///< before the first round
};

} // namespace

const Link* linkInto(const Level& level, const Item& item, const std::string& port)
{
    for (const std::size_t link : item.in)
        if (level.links[link].wire->to.port == port)
            return &level.links[link];
    return nullptr;
}

std::optional<Fix> resizing(const Level& level, const Item& item, const Link& link, std::int64_t width)
{
    const auto resizer = findResizer(level.registry);
    const auto before = item.checked.inputs.find(link.wire->to.port);
    if (!resizer || before == item.checked.inputs.end() || !paramFault(*resizer->param, width).empty())
        return std::nullopt;
    const Place a = level.items[link.from].node->place, b = item.node->place;
    Node node{.block = resizer->spec->id,
              .params = {{resizer->param->name, width}},
              .place = {(a.x + b.x) / 2, (a.y + b.y) / 2}};
    return level.fix(fmt::format("Insert {} {} -> {}", resizer->spec->title, before->second.width, width),
                     edits::insertOnWire(std::move(node), *link.wire, resizer->input, resizer->output));
}

void inferShapes(Level& level)
{
    std::size_t loops = 0; // inferred so far: in the order they follow each other
    for (const std::size_t index : level.order) {
        Item& item = level.items[index];
        if (!item.loop)
            inferItem(level, item);
        else if (*item.loop == loops)
            LoopShapes(level, level.loops[loops++]).infer();
    }
}

} // namespace unroll
