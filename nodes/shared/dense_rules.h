// SPDX-License-Identifier: GPL-3.0-or-later
// The regularisers and constraints that every dense-like block has, as Keras gives them to its dense layers; with
// weights_initializer and bias_initializer (weight_parts.h) they are one group of parameters, which a contract test
// asks for. Standard library only.
#pragma once

#include "nodes/shared/weight_parts.h"

#include <algorithm>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace unroll::nodes {

inline std::vector<ChoiceSpec> constraintChoices(const std::string& norm)
{
    return {{"none", "No constraint."},
            {"max_norm", "After each update, " + norm + " above max_norm is scaled down to it."},
            {"non_negative", "After each update, negative values become 0."},
            {"unit_norm", "After each update, " + norm + " is scaled to 1."},
            {"min_max_norm",
             "After each update, " + norm + " is brought within min_norm to max_norm, or norm_rate of the way there."}};
}

/// The parameter that bounds the norms of a constraint from above.
template <class Scope>
std::string largestNormOf(const Scope& scope, const std::string& constraint)
{
    return constraint == "bias_constraint" && scope.real("bias_max_norm") > 0 ? "bias_max_norm" : "max_norm";
}

inline WeightConstraint constraintOf(const WeightScope& scope, const std::string& param)
{
    using Kind = WeightConstraint::Kind;
    static const std::map<std::string, Kind> kinds = {{"none", Kind::None},
                                                      {"max_norm", Kind::MaxNorm},
                                                      {"non_negative", Kind::NonNegative},
                                                      {"unit_norm", Kind::UnitNorm},
                                                      {"min_max_norm", Kind::MinMaxNorm}};
    WeightConstraint held{kinds.at(scope.text(param))};
    if (held.kind == Kind::MaxNorm || held.kind == Kind::MinMaxNorm)
        held.largest = scope.real(largestNormOf(scope, param));
    if (held.kind == Kind::MinMaxNorm) {
        held.smallest = scope.real("min_norm");
        held.rate = scope.real("norm_rate");
    }
    const bool ofNorms = held.kind != Kind::None && held.kind != Kind::NonNegative;
    held.columns = ofNorms && param == "weights_constraint" && scope.text("weights_norm") == "columns";
    return held;
}

inline void inferNorms(InferScope& scope)
{
    for (const char* constraint : {"weights_constraint", "bias_constraint"}) {
        const std::string largest = largestNormOf(scope, constraint);
        if (scope.text(constraint) != "min_max_norm" || scope.real("min_norm") <= scope.real(largest))
            continue;
        scope.error("min_norm", "norms-cross",
                    "min_norm must be at most " + largest + ", " + paramText(scope.real(largest)) + "; it is " +
                        paramText(scope.real("min_norm")));
        scope.offerParam("Set min_norm to " + paramText(scope.real(largest)), "min_norm", scope.real(largest));
        return;
    }
}

inline std::vector<ParamSpec> regularisationParams()
{
    const auto withEither = [](const std::vector<std::string>& constraints, ParamSpec param) {
        return countsWith("weights_constraint", constraints,
                          countsWith("bias_constraint", constraints, std::move(param)));
    };
    const auto penalty = [](const char* name, const std::string& sum) {
        return realParam(name, 0, 0, 1000, "Factor of " + sum + ", added to the training loss; 0: off.");
    };
    std::vector<ParamSpec> params = {
        penalty("weights_l1", "Σ|w| over the matrices"),
        penalty("weights_l2", "Σw² over the matrices"),
        penalty("weights_orthogonal", "the mean |cos| of the angle between two rows of each matrix"),
        choiceParam("weights_orthogonal_mode",
                    {{"rows", "Between the weights of two outputs; Keras, whose kernels are transposed, says columns."},
                     {"columns", "Between the weights of two inputs; Keras says rows."}},
                    "Which vectors weights_orthogonal compares."),
        penalty("bias_l1", "Σ|b| over the biases"),
        penalty("bias_l2", "Σb² over the biases"),
        choiceParam("weights_constraint", constraintChoices("each norm"), "Constraint on every weight matrix."),
        choiceParam("bias_constraint", constraintChoices("the norm of a bias"), "Constraint on every bias."),
        countsWith("weights_constraint", {"max_norm", "unit_norm", "min_max_norm"},
                   choiceParam("weights_norm",
                               {{"rows", "The weights of one output."}, {"columns", "The weights of one input."}},
                               "Which norms of a matrix are constrained.")),
        withEither({"max_norm", "min_max_norm"},
                   realParam("max_norm", 2, 1e-6, 1e6, "Largest norm allowed by max_norm and min_max_norm.")),
        countsWith("bias_constraint", {"max_norm", "min_max_norm"},
                   realParam("bias_max_norm", 0, 0, 1e6, "Largest norm of a bias, if another; 0: max_norm.")),
        withEither({"min_max_norm"}, realParam("min_norm", 0, 0, 1e6, "Smallest norm allowed by min_max_norm.")),
        withEither({"min_max_norm"},
                   realParam("norm_rate", 1, 0, 1, "Part of the way that min_max_norm goes at each update; 1: all."))};
    for (ParamSpec& param : params)
        param = trainingParam("Regularisation", std::move(param));
    return params;
}

/// Gives a dense-like block a penalty and a constraint for its matrices, and others for its biases (the weights called
/// bias..., also within a layer: linear.bias). Gains and whatever else has one dimension are left alone, and so are the
/// weights `others`: tables that nothing is multiplied with.
inline BlockSpec regularised(BlockSpec spec, const std::vector<std::string>& others)
{
    for (ParamSpec& param : regularisationParams())
        spec.params.push_back(std::move(param));
    spec.infer = [inner = std::move(spec.infer)](InferScope& scope) {
        inner(scope);
        inferNorms(scope);
    };
    return withRules(std::move(spec), [others](const WeightScope& scope, WeightSpec& weight) {
        const bool matrix = weight.shape.size() >= 2;
        const bool bias = weight.name.substr(weight.name.rfind('.') + 1).starts_with("bias");
        if ((!matrix && !bias) || std::find(others.begin(), others.end(), weight.name) != others.end())
            return;
        const std::string kind = matrix ? "weights_" : "bias_";
        weight.rule.l1 = scope.real(kind + "l1");
        weight.rule.l2 = scope.real(kind + "l2");
        if (matrix) {
            weight.rule.orthogonal = scope.real("weights_orthogonal");
            weight.rule.orthogonalColumns =
                weight.rule.orthogonal > 0 && scope.text("weights_orthogonal_mode") == "columns";
        }
        weight.rule.constraint = constraintOf(scope, kind + "constraint");
    });
}

/// A dense-like block with all that says how it is trained.
inline BlockSpec trainableDense(BlockSpec spec, const std::vector<std::string>& others = {})
{
    return trainable(regularised(std::move(spec), others));
}

} // namespace unroll::nodes
