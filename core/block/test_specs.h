// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// A small registry for tests of the document and the check: one block of each kind that the rules speak of.

#include "core/block/registry.h"
#include "core/check/check.h"

#include <string>
#include <utility>

namespace unroll::testing_specs {

inline Shape sequence(std::int64_t width)
{
    return {.type = PortType::Sequence, .width = width};
}

inline ParamSpec integer(std::string name, std::int64_t value, std::optional<double> minimum = 1,
                         std::optional<double> maximum = {})
{
    return {
        .name = std::move(name), .type = ParamType::Int, .defaultValue = value, .minimum = minimum, .maximum = maximum};
}

inline ParamSpec flag(std::string name, bool value)
{
    return {.name = std::move(name), .type = ParamType::Bool, .defaultValue = value};
}

inline PortSpec port(std::string name, PortType type, bool optional = false)
{
    return {std::move(name), type, "", optional};
}

inline void inferText(InferScope& scope)
{
    if (scope.facts() == nullptr)
        return;
    scope.output("tokens", {.type = PortType::Tokens, .classes = scope.facts()->classes});
    scope.output("targets", {.type = PortType::Targets, .classes = scope.facts()->classes, .ahead = true});
    scope.output("mask", {.type = PortType::Mask});
}

inline BlockSpec text()
{
    return {
        .id = "text",
        .title = "Text",
        .category = Category::Data,
        .outputs = {port("tokens", PortType::Tokens), port("targets", PortType::Targets), port("mask", PortType::Mask)},
        .params = {{.name = "path", .type = ParamType::Path, .defaultValue = std::string("a.txt")},
                   {.name = "unit",
                    .type = ParamType::Choice,
                    .defaultValue = std::string("byte"),
                    .choices = {{"byte", "One of 256."}, {"character", "One of those in the text."}}}},
        .infer = inferText};
}

inline PortSpec tablePort(std::string flag)
{
    return {.name = "table", .type = PortType::Table, .when = {{std::move(flag), {"true"}}}};
}

inline void inferEmbedding(InferScope& scope)
{
    const std::int64_t width = scope.integer("width");
    scope.output("y", sequence(width));
    if (const Shape* tokens = scope.input("tokens"); tokens != nullptr && scope.boolean("share_table"))
        scope.output("table", {.type = PortType::Table, .width = width, .rows = tokens->classes});
}

inline BlockSpec embedding()
{
    return {.id = "embedding",
            .title = "Embedding",
            .synonyms = {"lookup table"},
            .category = Category::Embedding,
            .inputs = {port("tokens", PortType::Tokens)},
            .outputs = {port("y", PortType::Sequence), tablePort("share_table")},
            .params = {integer("width", 32), flag("share_table", false)},
            .infer = inferEmbedding,
            .cost = [](const CostScope& scope) {
                const std::int64_t width = scope.integer("width");
                return Cost{product({scope.dimension("tokens"), width}), 0, static_cast<double>(width),
                            4.0 * static_cast<double>(width)};
            }};
}

inline BlockSpec linear()
{
    return {.id = "linear",
            .title = "Linear",
            .synonyms = {"dense"},
            .category = Category::Layer,
            .inputs = {port("x", PortType::Sequence)},
            .outputs = {port("y", PortType::Sequence)},
            .params = {integer("units", 32), flag("bias", true)},
            .infer = [](InferScope& scope) { scope.output("y", sequence(scope.integer("units"))); },
            .cost =
                [](const CostScope& scope) {
                    const std::int64_t in = scope.dimension("x"), out = scope.integer("units");
                    const double work = 2.0 * static_cast<double>(in) * static_cast<double>(out);
                    return Cost{sum({product({in, out}), scope.boolean("bias") ? out : 0}), work, 2 * work,
                                4.0 * static_cast<double>(out)};
                }};
}

inline void inferLstm(InferScope& scope)
{
    const std::int64_t units = scope.integer("units");
    if (const Shape* state = scope.input("state"); state != nullptr && state->width != units) {
        scope.error("state", "width-mismatch",
                    "state has width " + std::to_string(state->width) + ", units is " + std::to_string(units));
        scope.offerParam("Set units to " + std::to_string(state->width), "units", state->width);
    }
    scope.output("y", sequence(scope.boolean("bidirectional") ? 2 * units : units));
    scope.output("state", {.type = PortType::State, .width = units, .parts = 2});
}

inline BlockSpec lstm()
{
    return {
        .id = "lstm",
        .title = "LSTM",
        .synonyms = {"long short-term memory"},
        .category = Category::Recurrent,
        .inputs = {port("x", PortType::Sequence), port("state", PortType::State, true),
                   port("mask", PortType::Mask, true)},
        .outputs = {port("y", PortType::Sequence), port("state", PortType::State)},
        .params = {integer("units", 32),
                   flag("bidirectional", false),
                   {.name = "dropout", .type = ParamType::Real, .defaultValue = 0.0, .minimum = 0, .maximum = 0.95}},
        .recurrent = true,
        .causal = [](const Params& params) { return !std::get<bool>(params.at("bidirectional")); },
        .infer = inferLstm,
        .cost =
            [](const CostScope& scope) {
                const std::int64_t in = scope.dimension("x"), units = scope.integer("units");
                const double work = 8.0 * static_cast<double>(units) * static_cast<double>(in + units);
                return Cost{product({4, units, sum({in, units, 2})}), work, 2 * work,
                            24.0 * static_cast<double>(units)};
            }};
}

inline void inferAttention(InferScope& scope)
{
    const Shape* x = scope.input("x");
    const std::int64_t heads = scope.integer("num_heads");
    if (x == nullptr)
        return;
    if (x->width % heads != 0) {
        scope.error("num_heads", "heads-do-not-divide",
                    "num_heads = " + std::to_string(heads) + " does not divide width = " + std::to_string(x->width));
        scope.offerParam("Set num_heads to 1", "num_heads", std::int64_t{1});
    }
    scope.output("y", *x);
}

inline BlockSpec attention()
{
    return {.id = "attention",
            .title = "Attention",
            .category = Category::Attention,
            .inputs = {port("x", PortType::Sequence), port("mask", PortType::Mask, true)},
            .outputs = {port("y", PortType::Sequence)},
            .params = {integer("num_heads", 4, 1, 64),
                       {.name = "look",
                        .type = ParamType::Choice,
                        .defaultValue = std::string("back"),
                        .choices = {{"back", "Earlier steps."}, {"both", "All steps."}}}},
            .causal = [](const Params& params) { return std::get<std::string>(params.at("look")) == "back"; },
            .infer = inferAttention,
            .cost =
                [](const CostScope& scope) {
                    const auto width = static_cast<double>(scope.dimension("x"));
                    return Cost{0, 4 * width * static_cast<double>(scope.steps),
                                8 * width * static_cast<double>(scope.steps), 4 * width};
                }};
}

/// Sees the whole sequence, whatever its parameters.
inline BlockSpec smooth()
{
    return {.id = "smooth",
            .title = "Smooth",
            .category = Category::Layer,
            .inputs = {port("x", PortType::Sequence), port("state", PortType::State)},
            .outputs = {port("y", PortType::Sequence)},
            .causal = [](const Params&) { return false; },
            .infer =
                [](InferScope& scope) {
                    if (const Shape* x = scope.input("x"))
                        scope.output("y", *x);
                }};
}

inline void inferAdd(InferScope& scope)
{
    const Shape *a = scope.input("a"), *b = scope.input("b");
    if (a != nullptr && b != nullptr && a->width != b->width) {
        const std::string width = std::to_string(a->width);
        scope.error("b", "width-mismatch", "b has width " + std::to_string(b->width) + ", a has width " + width);
        scope.offerWidth("b", a->width);
    }
    if (a != nullptr || b != nullptr)
        scope.output("y", a != nullptr ? *a : *b);
}

inline BlockSpec add()
{
    return {.id = "add",
            .title = "Add",
            .category = Category::Combine,
            .inputs = {port("a", PortType::Sequence), port("b", PortType::Sequence)},
            .outputs = {port("y", PortType::Sequence)},
            .sums = true,
            .infer = inferAdd};
}

inline BlockSpec head()
{
    return {.id = "head",
            .title = "Output head",
            .synonyms = {"softmax"},
            .category = Category::Output,
            .inputs = {port("x", PortType::Sequence), port("targets", PortType::Targets), tablePort("tied")},
            .outputs = {port("loss", PortType::Loss), port("logits", PortType::Sequence)},
            .params = {flag("tied", false)},
            .lossUnit = "nats/token",
            .infer =
                [](InferScope& scope) {
                    scope.output("loss", {.type = PortType::Loss});
                    if (const Shape* targets = scope.input("targets"))
                        scope.output("logits", sequence(targets->classes));
                },
            .cost =
                [](const CostScope& scope) {
                    return Cost{product({scope.dimension("x"), scope.dimension("targets")}), 0, 0,
                                8.0 * static_cast<double>(scope.dimension("targets"))};
                }};
}

inline BlockRegistry registry()
{
    BlockRegistry blocks;
    for (BlockSpec spec : {text(), embedding(), linear(), lstm(), attention(), smooth(), add(), head()})
        blocks.add(std::move(spec));
    return blocks;
}

/// 65 classes, T = 64; a path named missing.txt cannot be read.
inline SourceFacts facts(const std::string&, const Params& params)
{
    SourceFacts found{.classes = 65, .steps = 64, .error = "", .errorParam = ""};
    if (std::get<std::string>(params.at("path")) == "missing.txt") {
        found.error = "there is no file missing.txt";
        found.errorParam = "path";
    }
    return found;
}

inline CheckOptions options()
{
    return {.sourceFacts = facts, .batch = 12, .memoryAvailable = 0};
}

/// Builds graphs in code: nodes by name, wires as "lstm.y -> head.x".
class GraphMaker {
public:
    GraphMaker& node(const std::string& block, const std::string& name, Params params = {})
    {
        m_graph.addNode({.id = m_graph.nextId,
                         .block = block,
                         .name = name,
                         .params = std::move(params),
                         .place = {static_cast<double>(m_graph.nextId) * 200, 40}});
        return *this;
    }

    GraphMaker& group(const std::string& name, Group group, Params params = {})
    {
        m_graph.addNode({.id = m_graph.nextId,
                         .block = "group",
                         .name = name,
                         .params = std::move(params),
                         .group = std::make_shared<const Group>(std::move(group))});
        return *this;
    }

    GraphMaker& wire(const std::string& from, const std::string& to)
    {
        m_graph.addWire({end(from), end(to)});
        return *this;
    }

    PortRef end(const std::string& text) const
    {
        const std::size_t dot = text.find('.');
        const Node* found = m_graph.findByName(text.substr(0, dot));
        return {found == nullptr ? 0 : found->id, text.substr(dot + 1)};
    }

    NodeId id(const std::string& name) const { return m_graph.findByName(name)->id; }
    const Graph& graph() const { return m_graph; }

private:
    Graph m_graph;
};

/// text -> embedding -> lstm -> head, without a fault.
inline GraphMaker characterModel()
{
    GraphMaker maker;
    maker.node("text", "text")
        .node("embedding", "embedding")
        .node("lstm", "lstm", {{"units", std::int64_t{48}}})
        .node("head", "head");
    maker.wire("text.tokens", "embedding.tokens")
        .wire("embedding.y", "lstm.x")
        .wire("lstm.y", "head.x")
        .wire("text.targets", "head.targets");
    return maker;
}

} // namespace unroll::testing_specs
