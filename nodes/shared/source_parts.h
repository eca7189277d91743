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

/// What a task asks for at a step.
enum class Asks {
    OfThePast, ///< what was read tells it
    Ahead      ///< it is read later: a network that sees later steps would only copy it
};

/// The outputs of a task of classes.
inline void classOutputs(InferScope& scope, std::int64_t classes, Asks asks = Asks::OfThePast)
{
    scope.output("tokens", {.type = PortType::Tokens, .classes = classes});
    scope.output("targets", {.type = PortType::Targets, .classes = classes, .ahead = asks == Asks::Ahead});
    scope.output("mask", {.type = PortType::Mask});
    reportData(scope);
}

/// The outputs of a task of numbers.
inline void numberOutputs(InferScope& scope, const NumberFacts& facts)
{
    scope.output("features", sequenceOf(facts.inputs));
    scope.output("targets", {.type = PortType::TargetValues, .width = facts.targets, .shares = facts.shares});
    scope.output("mask", {.type = PortType::Mask});
    reportData(scope);
}

inline ParamSpec evaluationSequencesParam()
{
    return integerParam("evaluation_sequences", 1000, 1, 1'000'000, "sequences", "Size of the fixed validation set.");
}

} // namespace unroll::nodes
