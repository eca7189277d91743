// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/cost_figure.h"
#include "app/cli/experiment_options.h"
#include "app/cli/piped_data.h"
#include "app/cli/terminal.h"
#include "app/cli/verbs.h"
#include "core/data/text_dataset.h"
#include "core/experiment/data_cache.h"
#include "core/model/builders.h"

#include "core/base/number_text.h"
#include "core/check/kept_state.h"
#include "core/figure/figure_json.h"
#include "core/figure/write_figure.h"
#include "core/format/own_mark.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <memory>

namespace unroll::cli {
namespace {

struct CheckVerbOptions {
    std::string file;
    ExperimentOptions experiment;
    bool json = false;
    bool ngrams = false;
    std::string overSteps; ///< path of a node; empty: none
    std::string by;        ///< its parameter
    std::string out;
    std::string theme = "light";
};

/// 1234567 -> "1.23 M".
std::string scaled(double number)
{
    static const char* const units[] = {"", " k", " M", " G", " T", " P"};
    std::size_t unit = 0;
    for (; number >= 1000 && unit + 1 < std::size(units); ++unit)
        number /= 1000;
    return fmt::format("{:.{}f}{}", number, unit == 0 || number >= 100 ? 0 : number >= 10 ? 1 : 2, units[unit]);
}

std::string shapesText(const CheckedNode& node)
{
    std::vector<std::string> shapes;
    for (const auto& [port, shape] : node.outputs)
        shapes.push_back(shape.text().starts_with(port) ? shape.text() : fmt::format("{} {}", port, shape.text()));
    return fmt::format("{}", fmt::join(shapes, "  "));
}

void nodeRows(const Graph& graph, const CheckedGraph& checked, const std::string& indent,
              std::vector<std::vector<std::string>>& rows)
{
    for (NodeId id : checked.order) {
        const CheckedNode& node = checked.nodes.at(id);
        const Node& placed = *graph.find(id);
        const std::string copies =
            std::string(node.reversible ? ", reversible" : "") +
            (node.inner && placed.group->repeat > 1 ? fmt::format(" x {}", placed.group->repeat) : "");
        const std::int64_t state = stateNumbers(node, placed);
        rows.push_back({indent + placed.name, placed.block + copies, grouped(node.cost.parameters),
                        scaled(node.cost.forwardFlops), scaled(node.cost.backwardFlops),
                        state > 0 ? grouped(state) : std::string(), shapesText(node)});
        for (const CheckedNode::Copies& inside : node.unlikeCopies()) {
            if (!inside.numbers.empty())
                rows.push_back({indent + "  " + inside.text(), "", "", "", "", "", ""});
            nodeRows(*placed.group->graph, *inside.inner, indent + (inside.numbers.empty() ? "  " : "    "), rows);
        }
    }
}

void sayChecked(const Experiment& experiment, const CheckedGraph& checked)
{
    std::vector<std::vector<std::string>> rows{
        {"node", "block", "parameters", "FLOPs/token", "backward", "state", "outputs"}};
    nodeRows(experiment.graph, checked, "", rows);
    rows.push_back({"in total", "", grouped(checked.cost.parameters), scaled(checked.cost.forwardFlops),
                    scaled(checked.cost.backwardFlops), grouped(stateNumbers(checked, experiment.graph)), ""});
    sayTable(rows);
    const double tokens = static_cast<double>(checked.steps) * static_cast<double>(experiment.training.batch);
    say(fmt::format("\nA step of training: {} sequences of {}, {} FLOPs, about {} of memory.",
                    experiment.training.batch, checked.steps,
                    scaled((checked.cost.forwardFlops + checked.cost.backwardFlops) * tokens),
                    sizeText(static_cast<std::uint64_t>(checked.trainingBytes))));
}

Json costJson(const char* kind, const Cost& cost)
{
    Json json{JsonObject{}};
    json.add("kind", kind);
    json.add("parameters", cost.parameters);
    json.add("forward_flops", cost.forwardFlops);
    json.add("backward_flops", cost.backwardFlops);
    json.add("activation_bytes", cost.activationBytes);
    json.add("workspace_bytes", cost.workspaceBytes);
    json.add("forward_elements", cost.forwardElements);
    json.add("backward_elements", cost.backwardElements);
    return json;
}

/// `copies`: those of the group around, where they differ.
void sayNodesJson(const Graph& graph, const CheckedGraph& checked, const std::string& prefix,
                  const std::vector<std::int64_t>& copies)
{
    for (NodeId id : checked.order) {
        const CheckedNode& node = checked.nodes.at(id);
        const Node& placed = *graph.find(id);
        Json json = costJson("node", node.cost);
        json.add("node", prefix + placed.name);
        json.add("block", placed.block);
        json.add("state", stateNumbers(node, placed)); // numbers kept from step to step, a sequence
        Json shapes{JsonObject{}};
        for (const auto& [port, shape] : node.outputs)
            shapes.add(port, shape.text());
        json.add("outputs", shapes);
        if (!copies.empty())
            json.add("copies", JsonArray(copies.begin(), copies.end()));
        sayJson(json);
        for (const CheckedNode::Copies& inside : node.unlikeCopies())
            sayNodesJson(*placed.group->graph, *inside.inner, prefix + placed.name + ".", inside.numbers);
    }
}

void sayCheckedJson(const Experiment& experiment, const CheckedGraph& checked)
{
    sayNodesJson(experiment.graph, checked, "", {});
    for (const Diagnostic& diagnostic : checked.diagnostics)
        sayJson(diagnosticJson(diagnostic));
    Json total = costJson("total", checked.cost);
    total.add("state", stateNumbers(checked, experiment.graph)); // numbers kept from step to step, a sequence
    total.add("steps", checked.steps);
    total.add("batch", experiment.training.batch);
    total.add("training_bytes", checked.trainingBytes);
    total.add("runnable", checked.runnable());
    sayJson(total);
}

void sayNoNgrams(const std::string& node, const std::string& why, bool json)
{
    if (!json)
        return say(fmt::format("\nn-gram models of {}: n/a: {}", node, why));
    Json line{JsonObject{}};
    line.add("kind", "ngram");
    line.add("node", node);
    line.add("why_none", why);
    sayJson(line);
}

/// n-gram models of a text, order by order, with what they lose on its validation part.
void sayNgrams(const std::string& node, const NgramBaseline& ngrams, bool json)
{
    if (!ngrams.why.empty())
        return sayNoNgrams(node, ngrams.why, json);
    std::vector<std::vector<std::string>> rows{{"order", "n-grams up to this order", "nats/token"}};
    for (std::size_t i = 0; i < ngrams.orders.size(); ++i) {
        const auto order = static_cast<std::int64_t>(i) + 1;
        const NgramBaseline::Order& found = ngrams.orders[i];
        rows.push_back({fmt::format("{}{}", order, order == ngrams.order ? ", the best" : ""), grouped(found.grams),
                        fmt::format("{:.4f}", found.nats)});
        if (!json)
            continue;
        Json line{JsonObject{}};
        line.add("kind", "ngram");
        line.add("node", node);
        line.add("order", order);
        line.add("grams", found.grams);
        line.add("loss", found.nats);
        if (!ngrams.triedOn.empty())
            line.add("on", ngrams.triedOn);
        sayJson(line);
    }
    if (json)
        return;
    say(fmt::format("\nn-gram models of the training part of {} (Kneser-Ney), on {}:", node,
                    ngrams.triedOn.empty() ? "its validation part" : ngrams.triedOn));
    sayTable(rows);
}

/// Of every text in the graph; of other data why there are none.
void sayNgramsOf(const Experiment& experiment, const CheckedGraph& checked, DataCache& cache, bool json)
{
    for (const NodeId id : checked.order) {
        const CheckedNode& node = checked.nodes.at(id);
        if (node.spec == nullptr || node.spec->category != Category::Data || node.outputs.empty())
            continue;
        const std::string& name = experiment.graph.find(id)->name;
        const auto data = cache.open(node.spec->id, node.params, experiment.folder);
        if (const auto* text = data ? dynamic_cast<const TextDataset*>(data->get()) : nullptr)
            sayNgrams(name, text->ngrams(), json);
        else
            sayNoNgrams(
                name,
                data ? fmt::format("they predict the next unit of a text, which {} does not ask for", node.spec->id)
                     : data.error().text(),
                json);
    }
}

/// A row for each choice and length.
/// Of a table with a head: without the columns that have nothing below it.
std::vector<std::vector<std::string>> withoutEmptyColumns(std::vector<std::vector<std::string>> rows)
{
    for (std::size_t column = rows.front().size(); column-- > 0;)
        if (std::all_of(rows.begin() + 1, rows.end(), [column](const auto& row) { return row[column].empty(); }))
            for (auto& row : rows)
                row.erase(row.begin() + static_cast<std::ptrdiff_t>(column));
    return rows;
}

void sayCosts(const CostsOverSteps& costs)
{
    std::vector<std::vector<std::string>> rows{{"choice", "T", "FLOPs", "operations", "depth"}};
    for (const CostCurve& curve : costs.curves)
        for (std::size_t i = 0; i < costs.steps.size(); ++i) {
            const bool scans = i < curve.operations.size();
            rows.push_back({curve.choice, grouped(costs.steps[i]), scaled(curve.flops[i]),
                            scans ? grouped(static_cast<std::int64_t>(curve.operations[i])) : std::string(),
                            scans ? grouped(static_cast<std::int64_t>(curve.depth[i])) : std::string()});
        }
    sayTable(withoutEmptyColumns(std::move(rows)));
}

/// The costs of one node against T, in words, as JSON or in a file.
int showCosts(const CheckVerbOptions& options, const Experiment& experiment, const CheckedGraph& checked)
{
    const CheckedNode* node = checkedNodeAt(checked, experiment.graph, options.overSteps);
    if (node == nullptr)
        return tellError({"there is no node " + options.overSteps, {}});
    const auto costs = costsOverSteps(*node, options.by, usualLengths());
    if (!costs)
        return tellError(costs.error());
    const Figure figure = costFigure(*costs, options.overSteps, options.by);
    const FigureSource source{.lens = "costs", .title = "Costs over steps", .node = options.overSteps, .ofRun = false};
    if (options.out.empty()) {
        options.json ? sayJson(figureJson(figure, source)) : sayCosts(*costs);
        return kOk;
    }
    const auto written =
        writeFigure(options.out, figure, source, options.theme == "dark" ? FigureTheme::Dark : FigureTheme::Light,
                    isPicture(*figureFileOf(options.out)) ? own::kPicture : own::kSignals);
    return written ? kOk : tellError(written.error());
}

int runCheck(CheckVerbOptions options)
{
    if (!options.out.empty() && !figureFileOf(options.out)) {
        tellError({fmt::format("the name of --out must end in {}", figureEndings()), {}});
        return kUsage;
    }
    if (options.file == "-" && options.experiment.data == "-") {
        tellError({"FILE and --data cannot both be standard input", {}});
        return kUsage;
    }
    const BlockRegistry registry = allSpecs();
    const auto piped = takePiped(options.experiment.data, options.experiment.assignments, registry);
    if (!piped)
        return tellError(piped.error());
    auto experiment = readExperiment(options.file);
    if (!experiment)
        return tellError(experiment.error());
    experiment = adjusted(std::move(*experiment), registry, options.experiment);
    if (!experiment)
        return tellError(experiment.error());
    DataCache data(allBuilders());
    const CheckedGraph checked = checkExperiment(*experiment, registry, data);
    if (!options.overSteps.empty() && checked.runnable())
        return showCosts(options, *experiment, checked);
    if (options.json)
        sayCheckedJson(*experiment, checked);
    else
        sayChecked(*experiment, checked);
    if (options.ngrams)
        sayNgramsOf(*experiment, checked, data, options.json);
    tellDiagnostics(options.file, checked.diagnostics);
    if (checked.runnable() && !options.json)
        say("No errors: it can be trained.");
    return checked.runnable() ? kOk : kFailed;
}

} // namespace

void addCheck(CLI::App& app, Action& chosen)
{
    auto options = std::make_shared<CheckVerbOptions>();
    CLI::App* verb =
        app.add_subcommand("check", "Diagnostics, shapes and cost of an experiment; exit 1 if it cannot run");
    verb->add_option("FILE", options->file, "an experiment")->required();
    addExperimentOptions(*verb, options->experiment, false);
    verb->add_flag("--ngrams", options->ngrams,
                   "also count n-gram models of each text and say what they lose on its validation part");
    auto* over =
        verb->add_option("--over-steps", options->overSteps,
                         "instead the costs of this node against the length of the sequence, 16 to 4,096 steps")
            ->option_text("NODE");
    verb->add_option("--by", options->by, "with a curve for each choice of this parameter of the node")
        ->option_text("PARAM")
        ->needs(over);
    auto* out = verb->add_option("--out", options->out, "the curves as a file: .svg, .png, .csv, .json or .npz")
                    ->option_text("FILE")
                    ->needs(over);
    verb->add_option("--theme", options->theme, "colours of a picture")
        ->check(CLI::IsMember({"light", "dark"}))
        ->needs(out);
    verb->add_flag("--json", options->json, "JSON, one object per line");
    verb->callback([options, &chosen] { chosen = [options] { return runCheck(*options); }; });
}

} // namespace unroll::cli
