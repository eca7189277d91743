// SPDX-License-Identifier: GPL-3.0-or-later
// What the specs of sources are made of. Standard library only.
#pragma once

#include "core/data/dataset.h"
#include "nodes/shared/spec_parts.h"

namespace unroll::nodes {

/// What is wrong with the data is said at the node.
inline void reportData(InferScope& scope)
{
    if (const SourceFacts* facts = scope.facts(); facts != nullptr && !facts->error.empty())
        scope.error(facts->errorParam, "data", facts->error);
}

/// What is known of data that can be read; nullptr: nothing, or what is wrong was said at the node.
inline const SourceFacts* readableFacts(InferScope& scope)
{
    reportData(scope);
    const SourceFacts* facts = scope.facts();
    return facts != nullptr && facts->error.empty() ? facts : nullptr;
}

/// Steps: fits in memory beside anything else; the data's own bound is the same.
inline constexpr double kLongestWindow = 1'000'000;

/// What a task asks for at a step.
enum class Asks {
    OfThePast, ///< what was read tells it
    Once,      ///< likewise, and a sequence is asked for one thing at most
    Ahead      ///< it is read later: a network that sees later steps would only copy it
};

/// The outputs of a task of classes.
inline void classOutputs(InferScope& scope, std::int64_t classes, Asks asks = Asks::OfThePast)
{
    scope.output("tokens", {.type = PortType::Tokens, .classes = classes});
    scope.output("targets", {.type = PortType::Targets,
                             .classes = classes,
                             .ahead = asks == Asks::Ahead,
                             .onePerSequence = asks == Asks::Once});
    scope.output("mask", {.type = PortType::Mask});
    reportData(scope);
}

/// The outputs of a task of numbers, likewise.
inline void numberOutputs(InferScope& scope, const NumberFacts& facts, Asks asks = Asks::OfThePast)
{
    scope.output("features", sequenceOf(facts.inputs));
    scope.output("targets", {.type = PortType::TargetValues,
                             .width = facts.targets,
                             .ahead = asks == Asks::Ahead,
                             .shares = facts.shares,
                             .onePerSequence = asks == Asks::Once});
    scope.output("mask", {.type = PortType::Mask});
    reportData(scope);
}

/// Fits in memory beside anything else.
inline constexpr double kLongestSequence = 1'000'000;

/// The outputs of sequences with one label each: what is read, by the port's name, and what is asked for are in the
/// file.
inline void labelledOutputs(InferScope& scope, const std::string& read)
{
    scope.output("mask", {.type = PortType::Mask});
    reportData(scope);
    const SourceFacts* facts = scope.facts();
    if (facts == nullptr || !facts->error.empty())
        return;
    if (read == "features")
        scope.output(read, sequenceOf(facts->inputs));
    else
        scope.output(read, {.type = PortType::Tokens, .classes = facts->classes});
    scope.output("targets", {.type = PortType::Targets, .classes = facts->labels, .onePerSequence = true});
}

inline ParamSpec recordsParam(std::string help, std::string whenEmpty)
{
    ParamSpec param = pathParam("file", std::move(help), std::move(whenEmpty));
    param.suffixes = {"jsonl", "csv", "tsv"};
    return param;
}

inline ParamSpec unscaledColumnsParam()
{
    return countsWith("normalisation", {"standard", "min-max"},
                      textParam("unscaled_columns",
                                "Columns that stay as in the file, such as the times between steps: names separated by "
                                "commas.",
                                "none"));
}

/// The file, what is read of it, and how its sequences are divided.
inline std::vector<ParamSpec> labelledParams(ParamSpec file, std::vector<ParamSpec> own)
{
    std::vector<ParamSpec> params{std::move(file)};
    for (ParamSpec& param : own)
        params.push_back(std::move(param));
    params.push_back(inGroup("Validation", choiceParam("split",
                                                       {{"random", "Stratified random split by label."},
                                                        {"order", "The last sequences of the file."}},
                                                       "How validation sequences are chosen.")));
    params.push_back(inGroup(
        "Validation", realParam("validation_fraction", 0.2, 0.001, 0.9, "Fraction of the sequences for validation.")));
    params.push_back(
        inGroup("Test", realParam("test_fraction", 0, 0, 0.9,
                                  "Fraction of the sequences for the test; not used in training or validation.")));
    params.push_back(
        inGroup("Validation", countsWith("split", {"random"},
                                         integerParam("split_seed", 1, 0, 1'000'000'000, "",
                                                      "Seed of the split; independent of the run's seed."))));
    return params;
}

inline ParamSpec evaluationSequencesParam()
{
    return integerParam("evaluation_sequences", 1000, 1, 1'000'000, "sequences", "Size of the fixed validation set.");
}

} // namespace unroll::nodes
