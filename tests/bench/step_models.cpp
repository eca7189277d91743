// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/bench/step_models.h"

#include "core/experiment/data_cache.h"
#include "core/experiment/gallery.h"
#include "core/model/model.h"
#include "tests/bench/step_timing.h"
#include "tests/contract/block_case.h"

#include <ATen/ops/zeros.h>

#include <cmath>
#include <functional>
#include <stdexcept>
#include <utility>

namespace unroll::contract {
namespace {

using Change = std::function<void(Node&)>;

/// The graph with `change` made to every node, in groups too.
Graph changed(const Graph& graph, const Change& change)
{
    Graph made = graph;
    for (const auto& [id, node] : graph.nodes) {
        Node other = *node;
        change(other);
        if (other.group) {
            Group inner = *other.group;
            inner.graph = std::make_shared<const Graph>(changed(*inner.graph, change));
            other.group = std::make_shared<const Group>(std::move(inner));
        }
        made.addNode(std::move(other));
    }
    return made;
}

std::int64_t* whole(Node& node, const char* param)
{
    const auto found = node.params.find(param);
    return found == node.params.end() ? nullptr : std::get_if<std::int64_t>(&found->second);
}

class Bench {
public:
    ModelStep timed(const std::string& name, const Graph& graph)
    {
        const CheckedGraph checked = check(name, graph);
        auto model = Model::build(graph, checked, registry(), builders(), 1);
        if (!model)
            throw std::runtime_error(model.error().text());
        constexpr std::int64_t kWindow = 64; // of both
        ModelInput input{at::zeros({kWindow, 1}, at::kLong), {}, {}, {}};
        States states;
        const auto step = [&] { states = (*model)->forward(input, states, PassContext{}).states; };
        step();
        input.tokens = input.tokens.narrow(0, 0, 1);
        ModelStep made{name, 0, checked.cost.parameters, microsecondsOf(step)};
        changed(graph, [&](Node& node) {
            if (node.block == "embedding")
                made.width = *whole(node, "width");
        });
        return made;
    }

    /// The graph of an experiment, so many times as wide.
    Graph wide(const std::string& name, std::int64_t times)
    {
        return changed(experiment(name).graph, [&](Node& node) {
            for (const char* param : {"width", "units", "inner", "rank"})
                if (std::int64_t* size = whole(node, param))
                    *size *= times;
            for (const auto& [param, value] :
                 {std::pair<const char*, std::int64_t>{"block_size", 32}, {"num_modules", 16}})
                if (times > 1 && registry().find(node.block)->param(param) != nullptr)
                    node.params[param] = (node.params.contains(param) ? *whole(node, param) : value) * times / 2;
        });
    }

    /// The graph with as many hidden units in its sparse layers as make its parameters those of `wanted`.
    Graph matched(const std::string& name, const Graph& graph, std::int64_t wanted)
    {
        const auto with = [&](std::int64_t blocks) {
            return changed(graph, [&](Node& node) {
                if (node.block == "sparse_ffn")
                    *whole(node, "inner") += blocks * *whole(node, "block_size");
            });
        };
        const std::int64_t now = check(name, graph).cost.parameters, more = check(name, with(1)).cost.parameters;
        return with(std::llround(static_cast<double>(wanted - now) / static_cast<double>(more - now)));
    }

private:
    static Experiment experiment(const std::string& name)
    {
        return loadExperiment(findExperiment(name).value().string()).value();
    }

    CheckedGraph check(const std::string& name, const Graph& graph)
    {
        Experiment made = experiment(name);
        made.graph = graph;
        CheckedGraph checked = checkExperiment(made, registry(), m_data);
        if (!checked.runnable())
            throw std::runtime_error(name + " cannot be made as it is timed");
        return checked;
    }

    DataCache m_data{builders()};
};

} // namespace

std::vector<ModelStep> modelSteps()
{
    constexpr const char *kDense = "char-gpt", *kSparse = "char-terraformer";
    constexpr std::int64_t kTimes = 8;
    Bench bench;
    std::vector<ModelStep> found{bench.timed(kDense, bench.wide(kDense, 1)),
                                 bench.timed(kSparse, bench.wide(kSparse, 1))};
    found.push_back(bench.timed(kDense, bench.wide(kDense, kTimes)));
    const Graph sparse = bench.wide(kSparse, kTimes);
    found.push_back(bench.timed(kSparse, bench.matched(kSparse, sparse, found.back().parameters)));
    return found;
}

} // namespace unroll::contract
