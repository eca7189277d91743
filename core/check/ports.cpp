// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/check/ports.h"

#include "core/check/check.h"
#include "core/graph/by_copy.h"
#include "core/graph/names.h"

#include <algorithm>

namespace unroll {

namespace {

const Node* innerNode(const Group& group, NodeId id)
{
    return group.graph ? group.graph->find(id) : nullptr;
}

template <class T>
const T* byName(const std::vector<T>& list, const std::string& name)
{
    auto found = std::find_if(list.begin(), list.end(), [&](const T& entry) { return entry.name == name; });
    return found == list.end() ? nullptr : &*found;
}

std::optional<PortSpec> portAt(const Node& node, const std::string& port, bool output, const BlockRegistry& registry,
                               std::size_t depth)
{
    if (node.group) {
        const PromotedPort* promoted = findPort(output ? node.group->outputs : node.group->inputs, port);
        const Node* inner =
            promoted != nullptr && depth <= kMaxGroupDepth ? innerNode(*node.group, promoted->inner.node) : nullptr;
        auto spec = inner != nullptr ? portAt(*inner, promoted->inner.port, output, registry, depth + 1) : std::nullopt;
        if (spec) {
            spec->name = port;
            spec->delayed = false; // a group runs when all that it reads is there
        }
        return spec;
    }
    const BlockSpec* block = registry.find(node.block);
    const PortSpec* spec = block == nullptr ? nullptr : output ? block->output(port) : block->input(port);
    const bool has = spec != nullptr && (spec->when.empty() || block->hasPort(*spec, block->withDefaults(node.params)));
    return has ? std::optional(*spec) : std::nullopt;
}

std::vector<PortSpec> promotedPorts(const Node& node, bool output, const BlockRegistry& registry)
{
    std::vector<PortSpec> ports;
    for (const PromotedPort& promoted : output ? node.group->outputs : node.group->inputs)
        if (auto spec = portAt(node, promoted.name, output, registry, 0);
            spec && byName(ports, promoted.name) == nullptr)
            ports.push_back(std::move(*spec));
    return ports;
}

std::optional<ParamSpec> paramAt(const Node& node, const std::string& param, const BlockRegistry& registry,
                                 std::size_t depth)
{
    std::optional<ParamSpec> spec;
    if (node.group) {
        const auto& params = node.group->params;
        const PromotedParam* promoted = byName(params, param);
        const Node* inner =
            promoted != nullptr && depth <= kMaxGroupDepth ? innerNode(*node.group, promoted->node) : nullptr;
        if (inner != nullptr)
            spec = paramAt(*inner, promoted->param, registry, depth + 1);
        if (spec)
            spec->name = param;
    } else if (const BlockSpec* block = registry.find(node.block); block != nullptr && block->param(param) != nullptr) {
        spec = *block->param(param);
    }
    // Seen from outside, what the node has set is what the parameter is when nothing is set there.
    if (auto set = node.params.find(param); spec && set != node.params.end() && depth > 0)
        if (auto value = asParamOf(spec->type, inFirstCopy(set->second)))
            spec->defaultValue = *value;
    return spec;
}

std::string lowered(std::string text)
{
    std::string letters;
    for (const char c : text)
        if (c != ' ' && c != '_' && c != '-')
            letters += c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    return letters;
}

bool isSequence(const std::vector<PortSpec>& ports)
{
    return ports.size() == 1 && ports.front().type == PortType::Sequence;
}

/// Found by trying two widths.
bool setsWidth(const BlockSpec& spec, const ParamSpec& param)
{
    const std::map<std::string, Shape> inputs{{spec.inputs.front().name, {.type = PortType::Sequence, .width = 1}}};
    for (const std::int64_t width : {std::int64_t{2}, std::int64_t{3}}) {
        Params params = spec.withDefaults({});
        params[param.name] = width;
        InferScope scope(params, inputs, nullptr);
        spec.infer(scope);
        const auto output = scope.outputs().find(spec.outputs.front().name);
        if (output == scope.outputs().end() || output->second.width != width)
            return false;
    }
    return true;
}

/// Whether one insertion, deletion or change turns one into the other.
bool isOneSlipAway(const std::string& a, const std::string& b)
{
    if (a.size() > b.size())
        return isOneSlipAway(b, a);
    const auto [x, y] = std::mismatch(a.begin(), a.end(), b.begin());
    const auto skip = a.size() == b.size() && x != a.end() ? x + 1 : x;
    return b.size() - a.size() <= 1 && y != b.end() && std::equal(skip, a.end(), y + 1, b.end());
}

} // namespace

NodePorts portsOf(const Node& node, const BlockRegistry& registry)
{
    if (node.group)
        return {promotedPorts(node, false, registry), promotedPorts(node, true, registry)};
    const BlockSpec* block = registry.find(node.block);
    if (block == nullptr)
        return {};
    return block->portsVary() ? portsWith(*block, block->withDefaults(node.params))
                              : NodePorts{block->inputs, block->outputs};
}

NodePorts portsWith(const BlockSpec& spec, const Params& params)
{
    NodePorts ports{spec.inputs, spec.outputs};
    const auto isAbsent = [&](const PortSpec& port) { return !spec.hasPort(port, params); };
    std::erase_if(ports.inputs, isAbsent);
    std::erase_if(ports.outputs, isAbsent);
    return ports;
}

namespace {

bool carries(const PortSpec& port, PortType type)
{
    return port.type == type || (port.orVector && type == PortType::Vector);
}

} // namespace

bool mayJoin(const PortSpec& output, const PortSpec& input)
{
    return carries(output, input.type) || carries(input, output.type) ||
           (input.type == PortType::State && carries(output, PortType::Vector));
}

const PortSpec* joiningPort(const std::vector<PortSpec>& ports, PortType type)
{
    const PortSpec* joining = nullptr;
    for (const PortSpec& port : ports)
        if (carries(port, type) && (joining == nullptr || (joining->optional && !port.optional)))
            joining = &port;
    return joining;
}

std::vector<ParamSpec> paramsOf(const Node& node, const BlockRegistry& registry)
{
    if (!node.group) {
        const BlockSpec* block = registry.find(node.block);
        return block == nullptr ? std::vector<ParamSpec>() : block->params;
    }
    std::vector<ParamSpec> params;
    for (const PromotedParam& promoted : node.group->params)
        if (auto spec = paramAt(node, promoted.name, registry, 0); spec && byName(params, promoted.name) == nullptr)
            params.push_back(std::move(*spec));
    return params;
}

std::optional<Converter> findConverter(const BlockRegistry& registry, PortType from, PortType to)
{
    std::optional<Converter> plainest; // a width to choose comes first, then the fewest parameters of what it computes
    const auto rank = [](const BlockSpec& spec) {
        const bool wide = std::any_of(spec.params.begin(), spec.params.end(), [&](const ParamSpec& param) {
            return param.type == ParamType::Int && setsWidth(spec, param);
        });
        return std::pair(!wide, std::count_if(spec.params.begin(), spec.params.end(),
                                              [](const ParamSpec& param) { return param.computes; }));
    };
    for (const BlockSpec* spec : registry.all()) {
        if (spec->category != Category::Embedding && spec->category != Category::Layer &&
            spec->category != Category::Combine)
            continue;
        const auto required = [](const PortSpec& port) { return !port.optional; };
        const auto input = std::find_if(spec->inputs.begin(), spec->inputs.end(), required);
        const bool gives = !spec->outputs.empty() && spec->outputs.front().type == to; // what it is there for
        if (std::count_if(spec->inputs.begin(), spec->inputs.end(), required) == 1 && input->type == from &&
            !input->onlyCounted && gives && (!plainest || rank(*spec) < rank(*plainest->spec)))
            plainest = Converter{spec, input->name, spec->outputs.front().name};
    }
    return plainest;
}

GraphEdit insertedOn(const Converter& converter, const Graph& graph, const Wire& wire)
{
    const Place a = graph.find(wire.from.node)->place, b = graph.find(wire.to.node)->place;
    Node node{.block = converter.spec->id, .place = {(a.x + b.x) / 2, (a.y + b.y) / 2}};
    return edits::insertOnWire(std::move(node), wire, converter.input, converter.output);
}

std::optional<Resizer> findResizer(const BlockRegistry& registry)
{
    std::optional<Resizer> plainest; // with the fewest parameters
    for (const BlockSpec* spec : registry.all()) {
        if (spec->category != Category::Layer || !isSequence(spec->inputs) || !isSequence(spec->outputs) ||
            (plainest && plainest->spec->params.size() <= spec->params.size()))
            continue;
        if (const ParamSpec* param = resizingParam(*spec))
            plainest = Resizer{spec, param, spec->inputs.front().name, spec->outputs.front().name};
    }
    return plainest;
}

const ParamSpec* resizingParam(const BlockSpec& spec)
{
    const auto found = std::find_if(spec.params.begin(), spec.params.end(), [&](const ParamSpec& param) {
        return param.type == ParamType::Int && setsWidth(spec, param);
    });
    return found == spec.params.end() ? nullptr : &*found;
}

std::optional<Converter> findDelay(const BlockRegistry& registry)
{
    for (const BlockSpec* spec : registry.all())
        for (const PortSpec& input : spec->inputs)
            if (input.delayed)
                return Converter{spec, input.name, spec->outputs.front().name};
    return std::nullopt;
}

std::string lossUnitOf(const CheckedGraph& checked)
{
    const std::string every = "/token";
    const CheckedNode& loss = checked.nodes.at(checked.loss);
    const bool once = std::any_of(loss.inputs.begin(), loss.inputs.end(),
                                  [](const auto& input) { return input.second.onePerSequence; });
    const std::string& unit = loss.spec->lossUnit;
    return once && unit.ends_with(every) ? unit.substr(0, unit.size() - every.size()) + "/sequence" : unit;
}

const BlockSpec* nearestBlock(const BlockRegistry& registry, const std::string& id)
{
    const std::string wanted = lowered(id);
    const auto isIt = [&](const std::string& word) { return lowered(word) == wanted; };
    for (const BlockSpec* spec : registry.all())
        if (isIt(spec->id) || isIt(spec->title) || std::any_of(spec->synonyms.begin(), spec->synonyms.end(), isIt))
            return spec;
    for (const BlockSpec* spec : registry.all())
        if (wanted.size() >= 3 && isOneSlipAway(lowered(spec->id), wanted))
            return spec;
    return nullptr;
}

} // namespace unroll
