// SPDX-License-Identifier: GPL-3.0-or-later
// The initialisers of Keras 3 that have numbers of their own, for the blocks that Keras-MML gives them to; the others
// are matrixInitializers (weight_parts.h). Standard library only.
#pragma once

#include "nodes/shared/weight_parts.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

namespace unroll::nodes {

/// Behind those that are given: choices of weights_initializer.
inline std::vector<ChoiceSpec> withKerasInitializers(std::vector<ChoiceSpec> choices)
{
    for (ChoiceSpec choice : std::vector<ChoiceSpec>{
             {"random_normal", "Normal with standard deviation init_std."},
             {"truncated_normal", "Normal with standard deviation init_std, cut at twice that."},
             {"random_uniform", "Uniform within ±init_range."},
             {"constant", "init_value, every element: units then stay alike."},
             {"identity", "1 along the diagonal, else 0."},
             {"variance_scaling", "Of variance init_scale / n, n by init_mode, as init_distribution says."}})
        choices.push_back(std::move(choice));
    return choices;
}

inline ParamSpec initialNumber(const std::string& of, const std::vector<std::string>& rules, ParamSpec param)
{
    return countsWith(of, rules, trainingParam("Initial values", std::move(param)));
}

/// The numbers of those choices.
inline std::vector<ParamSpec> kerasInitialNumbers()
{
    const std::string of = "weights_initializer";
    return {initialNumber(of, {"random_normal", "truncated_normal"},
                          realParam("init_std", 0.05, 0, 100, "Standard deviation; Keras's default is 0.05.")),
            initialNumber(of, {"random_uniform"},
                          realParam("init_range", 0.05, 0, 100, "Largest value; Keras's default is 0.05.")),
            initialNumber(of, {"constant"}, realParam("init_value", 0, -100, 100, "Every element.")),
            initialNumber(of, {"variance_scaling"}, realParam("init_scale", 1, 1e-6, 1000, "Variance times n.")),
            initialNumber(of, {"variance_scaling"},
                          choiceParam("init_mode",
                                      {{"fan_in", "n is the number of inputs."},
                                       {"fan_out", "n is the number of outputs."},
                                       {"fan_avg", "n is the mean of both."}},
                                      "What the variance is divided by.")),
            initialNumber(of, {"variance_scaling"},
                          choiceParam("init_distribution",
                                      {{"truncated_normal", "Normal, cut at two standard deviations."},
                                       {"untruncated_normal", "Normal."},
                                       {"uniform", "Uniform."}},
                                      "Which distribution has that variance."))};
}

/// variance_scaling of a matrix [out, in].
inline InitialValues scaledVariance(const WeightScope& scope, double in, double out)
{
    const std::string &mode = scope.text("init_mode"), &shape = scope.text("init_distribution");
    const double n = mode == "fan_in" ? in : mode == "fan_out" ? out : (in + out) / 2;
    const std::string words = mode == "fan_in" ? "in" : mode == "fan_out" ? "out" : "mean(in, out)";
    const double variance = scope.real("init_scale") / std::max(n, 1.0);
    if (shape == "uniform")
        return uniformValues(std::sqrt(3 * variance), "√(3 init_scale / " + words + ")");
    const std::string formula = "√(init_scale / " + words + ")";
    return shape == "truncated_normal" ? cutNormalOf(std::sqrt(variance), formula)
                                       : normalValues(std::sqrt(variance), formula);
}

/// Of a matrix [out, in] by a choice of withKerasInitializers; another word begins as `otherwise`.
inline InitialValues kerasMatrixValues(const WeightScope& scope, std::int64_t in, std::int64_t out,
                                       InitialValues otherwise = {})
{
    const std::string& rule = scope.text("weights_initializer");
    if (rule == "random_normal")
        return normalValues(scope.real("init_std"), "init_std");
    if (rule == "truncated_normal")
        return cutNormalValues(scope.real("init_std"), "init_std");
    if (rule == "random_uniform")
        return uniformValues(scope.real("init_range"), "init_range");
    if (rule == "constant")
        return constantValues(scope.real("init_value"), "init_value");
    if (rule == "variance_scaling")
        return scaledVariance(scope, static_cast<double>(in), static_cast<double>(out));
    if (rule != "identity")
        return matrixValues(rule, in, out, std::move(otherwise));
    InitialValues identity = orthogonalValues();
    identity.formula = rule; // which says that it is not drawn
    return identity;
}

/// Whose idea that is.
inline std::string kerasSource(const WeightScope& scope, const std::string& otherwise = {})
{
    const std::string& rule = scope.text("weights_initializer");
    const std::vector<ChoiceSpec> own = withKerasInitializers({});
    const bool isOwn = std::any_of(own.begin(), own.end(), [&](const ChoiceSpec& each) { return each.value == rule; });
    return isOwn ? "Keras 3" : initializerSource(rule, otherwise);
}

/// How every bias begins, with what 0 and 1 come to.
inline std::vector<ParamSpec> kerasBiasInitializers(std::string zeros, std::string ones)
{
    const std::string of = "bias_initializer";
    return {initializerParam(of,
                             {{"zeros", std::move(zeros)},
                              {"ones", std::move(ones)},
                              {"constant", "bias_init_value, every element."},
                              {"random_normal", "Normal with standard deviation bias_init_std."},
                              {"truncated_normal", "Normal with standard deviation bias_init_std, cut at twice that."},
                              {"random_uniform", "Uniform within ±bias_init_range."}},
                             "Initialisation of every bias."),
            initialNumber(of, {"constant"}, realParam("bias_init_value", 0, -100, 100, "Every element.")),
            initialNumber(of, {"random_normal", "truncated_normal"},
                          realParam("bias_init_std", 0.05, 0, 100, "Standard deviation; Keras's default is 0.05.")),
            initialNumber(of, {"random_uniform"},
                          realParam("bias_init_range", 0.05, 0, 100, "Largest value; Keras's default is 0.05."))};
}

inline InitialValues kerasBiasValues(const WeightScope& scope)
{
    const std::string& rule = scope.text("bias_initializer");
    if (rule == "constant")
        return constantValues(scope.real("bias_init_value"), "bias_init_value");
    if (rule == "random_normal")
        return normalValues(scope.real("bias_init_std"), "bias_init_std");
    if (rule == "truncated_normal")
        return cutNormalValues(scope.real("bias_init_std"), "bias_init_std");
    if (rule == "random_uniform")
        return uniformValues(scope.real("bias_init_range"), "bias_init_range");
    return constantValues(rule == "ones");
}

} // namespace unroll::nodes
