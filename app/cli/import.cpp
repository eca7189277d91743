// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/experiment_options.h"
#include "app/cli/option_values.h"
#include "app/cli/python_package.h"
#include "app/cli/terminal.h"
#include "app/cli/verbs.h"

#include "core/base/home_path.h"
#include "core/experiment/data_cache.h"
#include "core/experiment/gallery.h"
#include "core/model/builders.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <memory>
#include <set>

namespace unroll::cli {
namespace {

struct ImportOptions {
    std::string weights, experiment, out;
    std::vector<std::string> nodes;
    bool all = false;
    bool json = false;
};

/// Adds {"gru.weight_ih_l0": [33, 12], ...} of the wanted nodes (none named: of all) whose inputs are known; a group's
/// copies have numbers.
void addWeightSizes(const Graph& graph, const CheckedGraph& checked, const std::string& prefix,
                    const std::set<std::string>& wanted, Json& sizes)
{
    for (const auto& [id, node] : checked.nodes) {
        const Node& placed = *graph.find(id);
        const std::string name = prefix + placed.name;
        if (node.inner) {
            const bool numbered = placed.group->repeat > 1 && !placed.group->sharedWeights;
            for (std::int64_t copy = 1; copy <= (numbered ? placed.group->repeat : 1); ++copy)
                addWeightSizes(*placed.group->graph, node.inCopy(copy),
                               numbered ? fmt::format("{}.{}.", name, copy) : name + ".", wanted, sizes);
        }
        if (node.spec == nullptr || (!wanted.empty() && wanted.count(name) == 0))
            continue;
        const std::vector<WeightSpec> weights = node.spec->weightsOf(node.params, node.inputs);
        if (!sizesAreKnown(weights))
            continue;
        for (const WeightSpec& weight : weights) {
            JsonArray shape;
            for (const WeightSize& each : weight.shape)
                shape.emplace_back(each.size);
            sizes.add(fmt::format("{}.{}", name, weight.name), std::move(shape));
        }
    }
}

/// Of the nodes in `words`, NODE or NODE=PREFIX, of all without one; none where the experiment is not one.
Json weightSizes(const std::string& file, const std::vector<std::string>& words)
{
    Json sizes{JsonObject{}};
    std::set<std::string> wanted;
    for (const std::string& word : words)
        wanted.insert(word.substr(0, word.find('=')));
    const BlockRegistry registry = allSpecs();
    if (const auto experiment = readExperiment(file)) {
        DataCache data(allBuilders());
        addWeightSizes(experiment->graph, checkExperiment(*experiment, registry, data), "", wanted, sizes);
    }
    return sizes;
}

int importWeights(const ImportOptions& options)
{
    const auto file = findExperiment(options.experiment);
    if (!file)
        return tellError(file.error());
    std::vector<std::string> words;
    for (const std::string& node : options.nodes)
        words.push_back("--node=" + node);
    if (options.all)
        words.push_back("--all");
    if (options.json)
        words.push_back("--json");
    if (!options.out.empty())
        words.push_back("--out=" + withHome(options.out));
    words.push_back(
        "--sizes=" +
        writeJson(weightSizes(file->string(), options.all ? std::vector<std::string>{} : options.nodes), 0));
    words.insert(words.end(), {"--", withHome(options.weights), file->string()});
    return becomePythonPackage("unroll_weights", words);
}

} // namespace

void addImport(CLI::App& app, Action& chosen)
{
    auto options = std::make_shared<ImportOptions>();
    CLI::App* verb = app.add_subcommand("import", "Map weights of PyTorch or Keras modules to nodes of an experiment");
    verb->add_option(
            "WEIGHTS", options->weights,
            "a .safetensors file, a .pt file of a state_dict (read with weights_only), or a .keras or .weights.h5 "
            "file of Keras 3")
        ->required();
    verb->add_option("FILE", options->experiment, "the experiment whose nodes take them")->required();
    verb->add_option("--node", options->nodes, "NODE, or NODE=PREFIX of its names in WEIGHTS; again for others")
        ->take_all();
    verb->add_flag("--all", options->all,
                   "every node whose name is a prefix in WEIGHTS, or its end; --node for those named otherwise");
    verb->add_option("--out", options->out,
                     "write a .safetensors file for train --init; without it the mapping is only shown");
    verb->add_flag("--json", options->json, "JSON, one object per line");
    verb->footer(
        "Blocks that state a mapping: lstm, gru and rnn of torch.nn and of Keras; embedding, linear, the heads, "
        "layer_norm, rms_norm, causal_conv and attention of torch.nn; sru of the package sru, mru of mru-lm; grumml, "
        "lrumml, dense_mml and glu of Keras-MML. Each line shows which weight maps to which, and how it is "
        "rearranged.");
    verb->callback([options, &chosen] { chosen = [options] { return importWeights(*options); }; });
}

} // namespace unroll::cli
