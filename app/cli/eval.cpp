// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/option_values.h"
#include "app/cli/run_options.h"
#include "app/cli/terminal.h"
#include "app/cli/verbs.h"
#include "core/base/signed_number.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <memory>

namespace unroll::cli {
namespace {

struct EvalOptions {
    RunOptions run;
    std::string split; // empty: val, or all of other data
};

/// A row for each true label, a column for each predicted one.
void sayConfusion(const SplitFigures& figures)
{
    constexpr std::size_t kMostShown = 30;
    const std::size_t labels = figures.labels.size();
    if (labels > kMostShown)
        return say(fmt::format(
            "\nThe confusion table of {} labels is in --json and in confusion.csv in the run's folder.", labels));
    std::vector<std::vector<std::string>> rows{{"true \\ predicted"}};
    rows.front().insert(rows.front().end(), figures.labels.begin(), figures.labels.end());
    for (std::size_t actual = 0; actual < labels; ++actual) {
        rows.push_back({figures.labels[actual]});
        for (std::size_t predicted = 0; predicted < labels; ++predicted)
            rows.back().push_back(std::to_string(figures.confusion[actual * labels + predicted]));
    }
    say("");
    sayTable(rows);
}

Json confusionJson(const SplitFigures& figures)
{
    const std::size_t labels = figures.labels.size();
    Json rows{JsonArray{}};
    for (std::size_t actual = 0; actual < labels; ++actual) {
        Json row{JsonArray{}};
        for (std::size_t predicted = 0; predicted < labels; ++predicted)
            row.push(figures.confusion[actual * labels + predicted]);
        rows.push(row);
    }
    return rows;
}

void sayFigures(const SplitFigures& figures, std::int64_t step)
{
    std::vector<std::vector<std::string>> rows{{"scored", figures.scored},
                                               {"step", std::to_string(step)},
                                               {"loss", fixedNumber(figures.loss, 6) + " " + figures.lossUnit}};
    if (figures.bitsPerTarget)
        rows.push_back({"bits per target", fmt::format("{:.6f}", *figures.bitsPerTarget)});
    if (figures.perplexity)
        rows.push_back({"perplexity", fmt::format("{:.4f}", *figures.perplexity)});
    if (figures.accuracy)
        rows.push_back({"accuracy", fmt::format("{:.4f}", *figures.accuracy)});
    rows.push_back({"targets", std::to_string(figures.targets)});
    if (figures.baseline)
        rows.push_back({figures.baseline->guess, fmt::format("{:.6f} {}", figures.baseline->loss, figures.lossUnit)});
    if (!figures.noBaseline.empty())
        rows.push_back({"baseline", fmt::format("n/a: {}", figures.noBaseline)});
    if (figures.baseline && figures.baseline->accuracy)
        rows.push_back({figures.baseline->accuracyGuess, fmt::format("accuracy {:.4f}", *figures.baseline->accuracy)});
    if (figures.floor)
        rows.push_back({"entropy of these data", fmt::format("{:.6f} nats", *figures.floor)});
    if (figures.expected)
        rows.push_back({"entropy of their source", fmt::format("{:.6f} nats", *figures.expected)});
    sayTable(rows);
    if (!figures.confusion.empty())
        sayConfusion(figures);
}

void sayFiguresJson(const SplitFigures& figures, std::int64_t step)
{
    Json json{JsonObject{}};
    json.add("split", splitWord(figures.split));
    json.add("scored", figures.scored);
    json.add("step", step);
    json.add("loss", figures.loss);
    for (const auto& [name, figure] :
         {std::pair("bits", figures.bitsPerTarget), std::pair("bpc", figures.bitsPerCharacter),
          std::pair("ppl", figures.perplexity), std::pair("acc", figures.accuracy)})
        if (figure)
            json.add(name, *figure);
    json.add("targets", figures.targets);
    if (figures.baseline) {
        json.add("baseline", figures.baseline->loss);
        json.add("baseline_guess", figures.baseline->guess);
    }
    if (!figures.noBaseline.empty())
        json.add("no_baseline", figures.noBaseline);
    if (figures.baseline && figures.baseline->accuracy)
        json.add("baseline_acc", *figures.baseline->accuracy);
    if (!figures.confusion.empty()) {
        Json names{JsonArray{}};
        for (const std::string& label : figures.labels)
            names.push(label);
        json.add("labels", names);
        json.add("confusion", confusionJson(figures));
    }
    if (figures.floor)
        json.add("entropy_floor", *figures.floor);
    if (figures.expected)
        json.add("entropy_expected", *figures.expected);
    if (!figures.leak.empty())
        json.add("leak", figures.leak);
    sayJson(json);
}

Split chosenSplit(const EvalOptions& options)
{
    for (const Split split : {Split::Train, Split::Validation, Split::Test, Split::All})
        if (options.split == splitWord(split))
            return split;
    return options.run.inspection.dataPath.empty() ? Split::Validation : Split::All;
}

int eval(const EvalOptions& options)
{
    const BlockRegistry registry = allSpecs();
    auto inspection = openRun(options.run, registry);
    if (!inspection)
        return tellError(inspection.error());
    tellDataNotes(options.run, **inspection);
    const auto figures = (*inspection)->evaluate(chosenSplit(options));
    if (!figures)
        return tellError(figures.error());
    if (!figures->leak.empty())
        tell("warning: " + figures->leak);
    if (options.run.json)
        sayFiguresJson(*figures, (*inspection)->step());
    else if (!figures->fault)
        sayFigures(*figures, (*inspection)->step());
    if (figures->fault)
        tellError(*figures->fault);
    return figures->fault ? kDiverged : kOk;
}

} // namespace

void addEval(CLI::App& app, Action& chosen)
{
    auto options = std::make_shared<EvalOptions>();
    CLI::App* verb = app.add_subcommand("eval", "Loss, perplexity and accuracy of a run on a whole split");
    addRunOptions(*verb, options->run);
    verb->add_option("--set", options->run.inspection.assignments,
                     "NODE.PARAM=VALUE: override for this evaluation, e.g. longer sequences; repeatable")
        ->allow_extra_args(false);
    verb->add_option("--split", options->split, "train, val, test or all; default val, with --data all of that data")
        ->check(oneOf({"train", "val", "test", "all"}));
    verb->callback([options, &chosen] { chosen = [options] { return eval(*options); }; });
}

} // namespace unroll::cli
