// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/train/trained_run.h"

#include "core/experiment/adjust.h"
#include "core/experiment/data_cache.h"
#include "core/train/checkpoint.h"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace unroll {
namespace {

std::string stepList(const std::vector<CheckpointPlace>& places)
{
    std::vector<std::int64_t> steps;
    for (const CheckpointPlace& place : places)
        steps.push_back(place.step);
    return fmt::format("{}", fmt::join(steps, ", "));
}

/// What the run remembers of its data, for a check without it.
CheckedGraph checkFromMemory(const Experiment& experiment, const BlockRegistry& registry,
                             const RunEnvironment& environment)
{
    CheckOptions options;
    options.sourceFacts = [&](const std::string&, const Params&) {
        SourceFacts facts;
        facts.classes = environment.classes;
        facts.labels = std::ssize(environment.labels);
        facts.steps = environment.steps;
        facts.inputs = static_cast<std::int64_t>(environment.scales.inputs.size());
        facts.targets = static_cast<std::int64_t>(environment.scales.targets.size());
        facts.shares = true; // what it was trained on was checked then
        return facts;
    };
    return check(experiment.graph, registry, options);
}

/// Whether the data are those of the training: the same parameters, but for how long its windows are and their order.
bool readsItsOwnData(const TrainedRun& run, const BlockRegistry& registry, const TrainedRunOptions& options)
{
    const auto source = [&](const Graph& graph) -> std::pair<std::string, Params> {
        for (const auto& [id, node] : graph.nodes)
            if (const BlockSpec* spec = registry.find(node->block);
                spec != nullptr && spec->category == Category::Data) {
                Params params = spec->withDefaults(node->params);
                params.erase("steps");
                params.erase("order");
                return {node->block, std::move(params)};
            }
        return {};
    };
    return options.dataPath.empty() && source(run.experiment.graph) == source(run.folder.experiment().graph);
}

Result<void> openDataAs(TrainedRun& run, const BlockRegistry& registry, const Builders& builders, bool toTrain)
{
    DataCache cache(builders, run.folder.environment().learned(), toTrain);
    run.checked = checkTrained(run.experiment, registry, cache);
    if (run.checked.source == 0)
        return {}; // the check has said so
    const CheckedNode& source = run.checked.nodes.at(run.checked.source);
    auto data = cache.open(source.spec->id, source.params, run.experiment.folder);
    if (!data)
        return tl::unexpected(data.error());
    run.data = *data;
    run.vocabulary = run.data;
    return sameMeaning(*run.data, run.folder.environment());
}

/// Its own data as in training, so that what is counted on the training part is known of the others (n-grams); where
/// they do not serve for training any more, and other data, to be examined alone.
Result<void> openData(TrainedRun& run, const TrainedRunOptions& options, const BlockRegistry& registry,
                      const Builders& builders)
{
    if (readsItsOwnData(run, registry, options))
        if (auto opened = openDataAs(run, registry, builders, true); opened && run.checked.runnable())
            return opened;
    return openDataAs(run, registry, builders, false);
}

Result<void> openNeeded(TrainedRun& run, const TrainedRunOptions& options, const BlockRegistry& registry,
                        const Builders& builders)
{
    const RunEnvironment& environment = run.folder.environment();
    if (options.need == DataNeed::Alphabet && options.dataPath.empty())
        run.vocabulary = environment.vocabulary();
    if (options.need != DataNeed::None && !run.vocabulary)
        return openData(run, options, registry, builders);
    run.checked = checkFromMemory(run.experiment, registry, environment);
    return {};
}

} // namespace

Result<CheckpointPlace> chooseCheckpoint(const RunFolder& folder, const std::string& wish)
{
    const std::string run = folder.path().string();
    const auto places = folder.checkpoints().all();
    if (places.empty())
        return fail("the run has no checkpoint yet", run);
    if (wish == "newest")
        return places.front();
    if (wish == "best") {
        if (auto best = folder.checkpoints().best())
            return best->place;
        return fail("the run has no checkpoint of its best step", run);
    }
    const auto found = std::find_if(places.begin(), places.end(),
                                    [&](const auto& place) { return std::to_string(place.step) == wish; });
    if (found == places.end())
        return fail(fmt::format("there is no checkpoint '{}'; there are newest, best and {}", wish, stepList(places)),
                    run);
    return *found;
}

Result<TrainedRun> openTrainedRun(const std::string& path, const BlockRegistry& registry, const Builders& builders,
                                  const TrainedRunOptions& options)
{
    auto folder = RunFolder::open(path);
    if (!folder)
        return tl::unexpected(folder.error());
    auto checkpoint = chooseCheckpoint(*folder, options.checkpoint);
    if (!checkpoint)
        return tl::unexpected(checkpoint.error());
    auto experiment = withChanges(folder->experiment(), registry, options.dataPath, options.assignments);
    if (!experiment)
        return tl::unexpected(experiment.error());
    TrainedRun run{std::move(*folder), std::move(*experiment), nullptr, nullptr, {}, *checkpoint};
    if (auto opened = openNeeded(run, options, registry, builders); !opened)
        return tl::unexpected(opened.error());
    for (const Diagnostic& diagnostic : run.checked.diagnostics)
        if (diagnostic.severity == Severity::Error)
            return fail(diagnostic.sentence, nodePath(diagnostic));
    return run;
}

Result<std::unique_ptr<Model>> buildTrained(const TrainedRun& run, const BlockRegistry& registry,
                                            const Builders& builders, at::ScalarType dtype)
{
    auto model = Model::build(run.experiment.graph, run.checked, registry, builders, run.experiment.seed, dtype);
    if (!model)
        return model;
    auto loaded = loadWeights((run.checkpoint.folder / "weights.safetensors").string(), **model);
    if (!loaded)
        return tl::unexpected(loaded.error());
    return model;
}

} // namespace unroll
