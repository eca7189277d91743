// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/check/level.h"
#include "core/check/ports.h"

#include <fmt/format.h>

#include <deque>
#include <tuple>

namespace unroll {

namespace {

std::string portText(const Item& item, const std::string& port)
{
    return item.node->name + "." + port;
}

void reportDangling(Level& level, const Wire& wire, Item* from, Item* to)
{
    Item* end = to != nullptr ? to : from;
    Diagnostic& diagnostic = level.error(end, to != nullptr ? wire.to.port : wire.from.port, "dangling-wire",
                                         "a wire connects to a node that does not exist");
    diagnostic.fix = level.fix("Remove the wire", edits::disconnect(wire));
}

/// Ports that blocks do not have, with the wires at them: one finding a port.
class UnknownPorts {
public:
    void note(std::size_t item, bool output, const Wire& wire)
    {
        m_wires[{item, output, output ? wire.from.port : wire.to.port}].push_back(edits::disconnect(wire));
    }

    void report(Level& level)
    {
        for (auto& [port, cuts] : m_wires) {
            const auto& [index, output, name] = port;
            Item& item = level.items[index];
            const bool hangs = item.ports && !item.node->group &&
                               (output ? item.spec->output(name) : item.spec->input(name)) != nullptr;
            const std::string title = cuts.size() == 1 ? "Remove the wire" : "Remove the wires";
            level
                .error(&item, name, "unknown-port",
                       fmt::format("{} has no {} {}{}", item.node->name, output ? "output" : "input", name,
                                   hangs ? " with these settings" : ""))
                .fix = level.fix(title, edits::sequence(title, std::move(cuts)));
        }
    }

private:
    std::map<std::tuple<std::size_t, bool, std::string>, std::vector<GraphEdit>> m_wires;
};

void checkPorts(Level& level, Link& link, UnknownPorts& unknown)
{
    const bool from = level.items[link.from].hasOutput(link.wire->from.port),
               to = level.items[link.to].hasInput(link.wire->to.port);
    if (!from)
        unknown.note(link.from, true, *link.wire);
    if (!to)
        unknown.note(link.to, false, *link.wire);
    link.usable = from && to;
}

void checkTypes(Level& level, Link& link)
{
    Item &from = level.items[link.from], &to = level.items[link.to];
    const PortSpec* output = from.output(link.wire->from.port);
    const PortSpec* input = to.input(link.wire->to.port);
    if (!link.usable || output == nullptr || input == nullptr || mayJoin(*output, *input))
        return;
    link.usable = false;
    reportType(level, to, link, output->type);
}

void checkDoubles(Level& level, Item& item)
{
    std::set<std::string_view> seen;
    for (const std::size_t index : item.in) {
        Link& link = level.links[index];
        if (seen.insert(link.wire->to.port).second)
            continue;
        link.usable = false;
        level
            .error(&item, link.wire->to.port, "input-twice",
                   portText(item, link.wire->to.port) + " accepts one wire; it has several")
            .fix = level.fix("Remove the wire from " + portText(level.items[link.from], link.wire->from.port),
                             edits::disconnect(*link.wire));
    }
}

/// Outputs that a free input could take, by type.
struct FreeOutputs {
    struct Output {
        std::size_t item;
        std::string port;
        bool wired;
    };
    std::map<PortType, std::vector<Output>> byType;
};

constexpr std::size_t kMostCandidates = 8; ///< more than these are not an obvious choice
constexpr std::size_t kMostSearches = 32;  ///< a walk over the graph each

FreeOutputs collectOutputs(const Level& level)
{
    FreeOutputs outputs;
    for (std::size_t i = 0; i < level.items.size(); ++i) {
        const Item& item = level.items[i];
        if (!item.isKnown())
            continue;
        std::set<std::string_view> wired;
        for (const std::size_t link : item.out)
            wired.insert(level.links[link].wire->from.port);
        for (const PortSpec& port : item.outputs())
            outputs.byType[port.type].push_back({i, port.name, wired.contains(port.name)});
    }
    return outputs;
}

std::vector<bool> reachableFrom(const Level& level, std::size_t start)
{
    std::vector<bool> reached(level.items.size(), false);
    std::deque<std::size_t> open{start};
    reached[start] = true;
    while (!open.empty()) {
        const Item& item = level.items[open.front()];
        open.pop_front();
        for (const std::size_t link : item.out)
            if (const std::size_t next = level.links[link].to; !reached[next]) {
                reached[next] = true;
                open.push_back(next);
            }
    }
    return reached;
}

/// The one output that suits: of those that feed nothing yet, else of all. None where the choice is open or a cycle
/// would come of it.
const FreeOutputs::Output* onlyChoice(const Level& level, const FreeOutputs& outputs, std::size_t item, PortType type)
{
    auto found = outputs.byType.find(type);
    if (found == outputs.byType.end() || found->second.size() > kMostCandidates)
        return nullptr;
    const std::vector<bool> behind = reachableFrom(level, item);
    const FreeOutputs::Output *free = nullptr, *any = nullptr;
    std::size_t frees = 0, all = 0;
    for (const auto& output : found->second) {
        if (behind[output.item])
            continue;
        any = &output;
        ++all;
        if (!output.wired) {
            free = &output;
            ++frees;
        }
    }
    return frees == 1 ? free : frees == 0 && all == 1 ? any : nullptr;
}

} // namespace

void reportType(Level& level, Item& to, const Link& link, PortType given)
{
    const PortSpec& input = *to.input(link.wire->to.port);
    const char* vectorToo = input.type == PortType::State ? ", or a vector of its numbers" : "";
    std::string sentence =
        fmt::format("{} expects {}{}; {} gives {}", portText(to, input.name), portTypeWord(input.type), vectorToo,
                    portText(level.items[link.from], link.wire->from.port), portTypeWord(given));
    const auto converter = findConverter(level.registry, given, input.type);
    if (converter)
        sentence += ": insert " + converter->spec->title;
    Diagnostic& diagnostic = level.error(&to, input.name, "type-mismatch", std::move(sentence));
    if (converter)
        diagnostic.fix = level.fix("Insert " + converter->spec->title, insertedOn(*converter, level.graph, *link.wire));
}

void indexWires(Level& level)
{
    UnknownPorts unknown;
    level.links.reserve(level.graph.wires.size());
    for (const Wire& wire : level.graph.wires) {
        const auto from = level.indexOf(wire.from.node), to = level.indexOf(wire.to.node);
        if (!from || !to) {
            reportDangling(level, wire, from ? &level.items[*from] : nullptr, to ? &level.items[*to] : nullptr);
            continue;
        }
        level.items[*from].out.push_back(level.links.size());
        level.items[*to].in.push_back(level.links.size());
        level.links.push_back({&wire, *from, *to});
        const PortSpec* input = level.items[*to].input(wire.to.port);
        level.links.back().late = input != nullptr && input->delayed;
        checkPorts(level, level.links.back(), unknown);
        checkTypes(level, level.links.back());
    }
    unknown.report(level);
    for (Item& item : level.items)
        checkDoubles(level, item);
}

void checkFreeInputs(Level& level)
{
    std::optional<FreeOutputs> outputs;
    std::size_t searches = 0;
    for (std::size_t i = 0; i < level.items.size(); ++i) {
        Item& item = level.items[i];
        if (!item.isKnown())
            continue;
        std::set<std::string_view> wired;
        for (const std::size_t link : item.in)
            wired.insert(level.links[link].wire->to.port);
        for (const PortSpec& port : item.inputs()) {
            if (port.optional || wired.contains(port.name) || level.fed.contains({item.node->id, port.name}))
                continue;
            Diagnostic& diagnostic = level.error(
                &item, port.name, "input-free",
                fmt::format("{} must be wired; it expects {}", portText(item, port.name), portTypeWord(port.type)));
            if (++searches > kMostSearches)
                continue;
            if (!outputs)
                outputs = collectOutputs(level);
            if (const auto* choice = onlyChoice(level, *outputs, i, port.type)) {
                const Item& source = level.items[choice->item];
                diagnostic.fix =
                    level.fix("Connect " + portText(source, choice->port),
                              edits::connect({{source.node->id, choice->port}, {item.node->id, port.name}}));
            }
        }
    }
}

} // namespace unroll
