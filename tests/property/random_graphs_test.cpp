// SPDX-License-Identifier: GPL-3.0-or-later
// Random graphs over the whole registry: what the check calls valid builds and trains a step; what it calls invalid is
// refused by a session with the same diagnostics. Nothing throws, nothing crashes.
#include "core/block/registry.h"
#include "core/check/check.h"
#include "core/check/ports.h"
#include "core/data/dataset.h"
#include "core/experiment/data_cache.h"
#include "core/graph/reach.h"
#include "core/model/model.h"
#include "core/session/session.h"
#include "core/train/trainer.h"
#include "tests/support/tiny_experiment.h"

#include <ATen/core/Tensor.h>

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <random>
#include <set>
#include <unistd.h>

namespace unroll {
namespace {

/// A text file of its own, gone with it: what a graph trains on does not matter here, that it asks for the next token
/// does.
struct SmallText {
    SmallText()
    {
        std::ofstream file(path);
        for (int i = 0; i < 60; ++i)
            file << "a cab had a bad face; ";
    }
    ~SmallText() { std::filesystem::remove(path); }
    SmallText(const SmallText&) = delete;
    SmallText& operator=(const SmallText&) = delete;

    std::string path =
        (std::filesystem::temp_directory_path() / ("unroll_random_" + std::to_string(getpid()) + ".txt")).string();
};

bool hasDelay(const BlockSpec& spec)
{
    return std::any_of(spec.inputs.begin(), spec.inputs.end(), [](const PortSpec& port) { return port.delayed; });
}

class RandomGraphs {
public:
    RandomGraphs(const BlockRegistry& registry, std::uint64_t seed) : m_draw(seed)
    {
        for (const BlockSpec* spec : registry.all())
            if (spec->category != Category::Data && spec->category != Category::Group &&
                spec->category != Category::Output)
                m_blocks.push_back(spec);
        for (const BlockSpec* spec : registry.all())
            if (hasDelay(*spec))
                m_blocks.insert(m_blocks.end(), m_blocks.size() / 6, spec); // or loops would be rare
    }

    Experiment next()
    {
        Experiment experiment;
        std::vector<Node> nodes{dataNode()};
        const bool shares = chance(0.2);
        nodes.push_back(
            testing::makeNode(2, "embedding", "embedding", {{"width", std::int64_t{8}}, {"share_table", shares}}));
        const std::size_t inner = below(7);
        for (std::size_t i = 0; i < inner; ++i)
            nodes.push_back(randomNode(nodes.size() + 1));
        if (!chance(0.03))
            nodes.push_back(testing::makeNode(nodes.size() + 1, "head", "head",
                                              {{"readout", std::string(shares && chance(0.7) ? "tied" : "linear")}}));
        experiment.graph = testing::makeGraph(std::move(nodes), {{{1, "tokens"}, {2, "tokens"}}});
        wireUp(experiment.graph);
        if (chance(0.55))
            group(experiment.graph);
        experiment.training.batch = 2;
        experiment.training.steps = 1;
        experiment.training.threads = 1;
        experiment.training.device = "cpu";
        experiment.training.evaluateEvery = 0;
        experiment.training.evaluateWhole = false;
        experiment.training.evaluateBatches = 1;
        experiment.training.sampleEvery = 0;
        return experiment;
    }

private:
    std::size_t below(std::size_t n) { return std::uniform_int_distribution<std::size_t>(0, n - 1)(m_draw); }
    bool chance(double p) { return std::bernoulli_distribution(p)(m_draw); }

    Node dataNode()
    {
        if (chance(0.3))
            return testing::makeNode(1, "text", "data", {{"file", m_text.path}, {"steps", std::int64_t{6}}});
        return testing::makeNode(
            1, "copy", "data",
            {{"length", std::int64_t{2}}, {"delay", std::int64_t{3}}, {"evaluation_sequences", std::int64_t{8}}});
    }

    /// Applies the edit where that can be done.
    static bool apply(Graph& graph, const GraphEdit& edit)
    {
        auto after = edit.apply(graph);
        if (after)
            graph = std::move(*after);
        return after.has_value();
    }

    /// Some nodes in a group, mostly neighbours; perhaps repeated, perhaps with a parameter set from outside.
    void group(Graph& graph)
    {
        const NodeId first = 3 + below(4);
        std::set<NodeId> ids;
        for (NodeId id = first; graph.find(id) != nullptr && graph.find(id)->block != "head"; ++id)
            if (ids.empty() || chance(0.6))
                ids.insert(id);
        const NodeId made = graph.nextId;
        if (ids.empty() || !apply(graph, edits::makeGroup(ids, "body")))
            return;
        if (chance(0.5))
            apply(graph, edits::setRepeat(made, static_cast<std::int64_t>(2 + below(2)), chance(0.5)));
        const Node& inner = *graph.find(made)->group->graph->find(*ids.begin());
        for (const auto& [name, value] : Params(inner.params))
            if (chance(0.5) && apply(graph, edits::promoteParam(made, {"outer_" + name, inner.id, name})))
                apply(graph, edits::setParam(made, "outer_" + name, value));
    }

    Node randomNode(NodeId id)
    {
        const BlockSpec& spec = *m_blocks[below(m_blocks.size())];
        Params params;
        for (const ParamSpec& param : spec.params) {
            if (param.type == ParamType::Int && param.defaultValue == ParamValue(std::int64_t{128}))
                params[param.name] =
                    std::int64_t{chance(0.02) ? 0 : 8};           // widths: mostly equal, so that many graphs fit
            else if (param.type == ParamType::Int && chance(0.3)) // numbers of heads, sizes of projections
                params[param.name] = std::vector<std::int64_t>{0, 1, 2, 3, 4, 9}[below(6)];
            else if (param.type == ParamType::Bool && chance(0.3))
                params[param.name] = chance(0.5);
            else if (param.type == ParamType::Choice && chance(0.3))
                params[param.name] = param.choices[below(param.choices.size())].value;
        }
        return testing::makeNode(id, spec.id, spec.id + "_" + std::to_string(id), params);
    }

    /// Wires every input from an earlier node, mostly of the right type; sometimes a wrong one, none, or a backward
    /// one.
    void wireUp(Graph& graph)
    {
        const BlockRegistry registry = allSpecs();
        for (const bool delayed : {false, true}) // last, when it is known what comes behind a delay
            for (const auto& [id, node] : Graph(graph).nodes)
                for (const PortSpec& port : portsOf(*node, registry).inputs)
                    if (port.delayed == delayed && graph.wireInto({id, port.name}) == nullptr &&
                        !chance(port.optional ? 0.7 : 0.02))
                        connectOne(graph, registry, id, port);
    }

    /// The nodes that a delay's output reaches.
    static std::set<NodeId> behind(const Graph& graph, NodeId id)
    {
        std::multimap<NodeId, NodeId> steps;
        for (const Wire& wire : graph.wires)
            steps.insert({wire.from.node, wire.to.node});
        return reachedFrom(id, steps);
    }

    static std::vector<PortRef> unreadDelays(const Graph& graph, const BlockRegistry& registry,
                                             const std::vector<PortRef>& outputs)
    {
        std::vector<PortRef> unread;
        for (const PortRef& output : outputs)
            if (hasDelay(*registry.find(graph.find(output.node)->block)) &&
                std::none_of(graph.wires.begin(), graph.wires.end(),
                             [&](const Wire& wire) { return wire.from.node == output.node; }))
                unread.push_back(output);
        return unread;
    }

    void connectOne(Graph& graph, const BlockRegistry& registry, NodeId id, const PortSpec& port)
    {
        std::vector<PortRef> fitting, all;
        const std::set<NodeId> round = port.delayed ? behind(graph, id) : std::set<NodeId>();
        const bool closes = round.size() > 1 && chance(0.8);
        for (const auto& [other, node] : graph.nodes)
            for (const PortSpec& output : portsOf(*node, registry).outputs) {
                if (other == id)
                    continue;
                all.push_back({other, output.name});
                if (output.type == port.type && (closes ? round.contains(other) : other < id || chance(0.01)))
                    fitting.push_back({other, output.name});
            }
        if (const auto unread = unreadDelays(graph, registry, fitting); !unread.empty() && chance(0.6))
            fitting = unread; // or loops would be rare
        const auto& from = fitting.empty() || chance(0.01) ? all : fitting;
        if (!from.empty())
            graph = edits::connect({from[below(from.size())], {id, port.name}}).apply(graph).value();
    }

    std::mt19937_64 m_draw;
    SmallText m_text;
    std::vector<const BlockSpec*> m_blocks;
};

/// Whether a loop runs in the graph or in one of its groups.
bool loops(const CheckedGraph& checked)
{
    return !checked.loops.empty() || std::any_of(checked.nodes.begin(), checked.nodes.end(), [](const auto& node) {
        return node.second.inner && loops(*node.second.inner);
    });
}

bool wiresATable(const CheckedGraph& checked)
{
    return std::any_of(checked.nodes.begin(), checked.nodes.end(),
                       [](const auto& node) { return node.second.inputs.contains("table"); });
}

std::vector<std::string> sentences(const std::vector<Diagnostic>& diagnostics)
{
    std::vector<std::string> found;
    for (const Diagnostic& diagnostic : diagnostics)
        found.push_back(diagnostic.nodeName + ": " + diagnostic.sentence);
    return found;
}

std::string trainOneStep(const Experiment& experiment, const CheckedGraph& checked, const BlockRegistry& registry,
                         DataCache& cache)
{
    const CheckedNode& source = checked.nodes.at(checked.source);
    auto data = cache.open(source.spec->id, source.params, "");
    auto model = Model::build(experiment.graph, checked, registry, allBuilders(), 1);
    if (!model)
        return model.error().text();
    try {
        Trainer trainer(experiment, **model, **data);
        const double loss = trainer.step().loss.item<double>();
        // A loop without a bound may grow: g (1 - g) + (1 - g) x squares its state at every step.
        return loss > 0 && (loss < 1e4 || loops(checked)) ? "" : "loss " + std::to_string(loss);
    } catch (const std::exception& error) {
        return (*model)->runningNode() + ": " + std::string(error.what()).substr(0, 300);
    }
}

TEST(RandomGraphs, ValidOnesTrainInvalidOnesAreRefusedInTheSameWords)
{
    const BlockRegistry registry = allSpecs();
    DataCache cache(allBuilders());
    RandomGraphs graphs(registry, 20);
    int valid = 0, invalid = 0, grouped = 0, looped = 0, tabled = 0, notCausal = 0;
    for (int i = 0; i < 2400 || ((grouped < 100 || looped < 10) && i < 14400); ++i) { // until each kind was there
        const Experiment experiment = graphs.next();
        const CheckedGraph checked = checkExperiment(experiment, registry, cache);
        if (checked.runnable()) {
            ++valid;
            grouped += experiment.graph.findByName("body") != nullptr;
            looped += loops(checked);
            tabled += wiresATable(checked);
            EXPECT_EQ(trainOneStep(experiment, checked, registry, cache), "") << experimentToText(experiment);
            continue;
        }
        ++invalid;
        notCausal += std::any_of(checked.diagnostics.begin(), checked.diagnostics.end(),
                                 [](const Diagnostic& d) { return d.code == "not-causal"; });
        const auto session = startSession(experiment, registry, allBuilders(), {});
        session->run();
        ASSERT_TRUE(session->finish(240));
        EXPECT_EQ(session->snapshot()->state, RunState::Failed);
        EXPECT_EQ(sentences(session->snapshot()->problems), sentences(checked.diagnostics));
    }
    std::printf(
        "%d valid graphs trained a step (%d with a group, %d with a loop, %d with a table), %d invalid ones were "
        "refused (%d see ahead)\n",
        valid, grouped, looped, tabled, invalid, notCausal);
    EXPECT_GT(valid, 400);
    EXPECT_GE(grouped, 100);
    EXPECT_GE(looped, 10);
    EXPECT_GE(tabled, 20);
    EXPECT_GE(notCausal, 20);
    EXPECT_GT(invalid, 200);
}

} // namespace
} // namespace unroll
