// SPDX-License-Identifier: GPL-3.0-or-later
// The regularisers and constraints that every dense-like block has, as Keras gives them to its dense layers; with
// weights_initializer and bias_initializer (weight_parts.h) they are one group of parameters, which a contract test
// asks for. Standard library only.
#pragma once

#include "nodes/shared/weight_parts.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

namespace unroll::nodes {

inline std::vector<ChoiceSpec> constraintChoices(const std::string& norm)
{
    return {{"none", "No constraint."},
            {"max_norm", "After each update, " + norm + " above max_norm is scaled down to it."},
            {"non_negative", "After each update, negative values become 0."},
            {"unit_norm", "After each update, " + norm + " is scaled to 1."}};
}

inline WeightConstraint constraintOf(const WeightScope& scope, const std::string& param)
{
    using Kind = WeightConstraint::Kind;
    const std::string& choice = scope.text(param);
    if (choice == "max_norm") {
        const double own = param == "bias_constraint" ? scope.real("bias_max_norm") : 0;
        return {Kind::MaxNorm, own > 0 ? own : scope.real("max_norm")};
    }
    return {choice == "non_negative" ? Kind::NonNegative : choice == "unit_norm" ? Kind::UnitNorm : Kind::None};
}

inline std::vector<ParamSpec> regularisationParams()
{
    const auto penalty = [](const char* name, const std::string& sum) {
        return realParam(name, 0, 0, 1000, "Factor of " + sum + ", added to the training loss; 0: off.");
    };
    std::vector<ParamSpec> params = {
        penalty("weights_l1", "Σ|w| over the matrices"),
        penalty("weights_l2", "Σw² over the matrices"),
        penalty("bias_l1", "Σ|b| over the biases"),
        penalty("bias_l2", "Σb² over the biases"),
        choiceParam("weights_constraint", constraintChoices("the norm of a row"), "Constraint on every weight matrix."),
        choiceParam("bias_constraint", constraintChoices("the norm of a bias"), "Constraint on every bias."),
        countsWith("weights_constraint", {"max_norm"},
                   countsWith("bias_constraint", {"max_norm"},
                              realParam("max_norm", 2, 1e-6, 1e6, "Largest norm allowed by max_norm."))),
        countsWith("bias_constraint", {"max_norm"},
                   realParam("bias_max_norm", 0, 0, 1e6, "Largest norm of a bias, if another; 0: max_norm."))};
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
    return withRules(std::move(spec), [others](const WeightScope& scope, WeightSpec& weight) {
        const bool matrix = weight.shape.size() >= 2;
        const bool bias = weight.name.substr(weight.name.rfind('.') + 1).starts_with("bias");
        if ((!matrix && !bias) || std::find(others.begin(), others.end(), weight.name) != others.end())
            return;
        const std::string kind = matrix ? "weights_" : "bias_";
        weight.rule.l1 = scope.real(kind + "l1");
        weight.rule.l2 = scope.real(kind + "l2");
        weight.rule.constraint = constraintOf(scope, kind + "constraint");
    });
}

/// A dense-like block with all that says how it is trained.
inline BlockSpec trainableDense(BlockSpec spec, const std::vector<std::string>& others = {})
{
    return trainable(regularised(std::move(spec), others));
}

} // namespace unroll::nodes
