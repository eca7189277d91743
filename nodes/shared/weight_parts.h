// SPDX-License-Identifier: GPL-3.0-or-later
// Weights that many specs have, and the ways in which they may begin. Standard library only.
#pragma once

#include "nodes/shared/spec_parts.h"

#include <cmath>
#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace unroll::nodes {

inline constexpr double kCutAt = 2;                       ///< of Keras's truncated normals, in deviations
inline constexpr double kCutSpread = 0.87962566103423978; ///< deviation of what is left

/// Normal, of this deviation before what lies beyond two of them is drawn again.
inline InitialValues cutNormalValues(double deviation, std::string formula = {})
{
    InitialValues values = normalValues(deviation, std::move(formula));
    values.low = -kCutAt;
    values.high = kCutAt;
    return values;
}

/// The same of this deviation afterwards, called `formula` in words.
inline InitialValues cutNormalOf(double deviation, const std::string& formula)
{
    return cutNormalValues(deviation / kCutSpread, formula + " / 0.88");
}

/// How a matrix [out, in] may begin; see initializerSource for whose ideas these are.
inline std::vector<ChoiceSpec> matrixInitializers()
{
    return {{"glorot_uniform", "Uniform within ±√(6 / (in + out)): preserves the variance of values and gradients."},
            {"he_uniform", "Uniform within ±√(6 / in): preserves the variance through relu."},
            {"lecun_uniform", "Uniform within ±√(3 / in): preserves the variance of values."},
            {"glorot_normal", "Normal cut at 2 std, of the variance of glorot_uniform, as Keras."},
            {"he_normal", "Normal cut at 2 std, of the variance of he_uniform, as Keras."},
            {"lecun_normal", "Normal cut at 2 std, of the variance of lecun_uniform, as Keras."},
            {"orthogonal", "Orthonormal rows or columns: preserves norms."},
            {"normal", "Normal with standard deviation 0.02, as in GPT-2."}};
}

/// The same with torch.nn's own first, which is the default there.
inline std::vector<ChoiceSpec> torchInitializers(std::string explanation)
{
    std::vector<ChoiceSpec> choices = matrixInitializers();
    choices.insert(choices.begin(), {"torch", std::move(explanation)});
    return choices;
}

inline ParamSpec initializerParam(std::string name, std::vector<ChoiceSpec> choices, std::string help)
{
    ParamSpec param = inGroup("Initial values", choiceParam(std::move(name), std::move(choices), std::move(help)));
    param.computes = false;
    return param;
}

/// A choice of matrixInitializers; anything else is `torch`.
inline InitialValues matrixValues(const std::string& rule, std::int64_t in, std::int64_t out, InitialValues torch = {})
{
    const double fanIn = static_cast<double>(in), fanOut = static_cast<double>(out);
    if (rule == "glorot_uniform")
        return uniformValues(std::sqrt(6 / (fanIn + fanOut)), "√(6 / (in + out))");
    if (rule == "he_uniform")
        return uniformValues(std::sqrt(6 / fanIn), "√(6 / in)");
    if (rule == "lecun_uniform")
        return uniformValues(std::sqrt(3 / fanIn), "√(3 / in)");
    if (rule == "glorot_normal")
        return cutNormalOf(std::sqrt(2 / (fanIn + fanOut)), "√(2 / (in + out))");
    if (rule == "he_normal")
        return cutNormalOf(std::sqrt(2 / fanIn), "√(2 / in)");
    if (rule == "lecun_normal")
        return cutNormalOf(std::sqrt(1 / fanIn), "√(1 / in)");
    if (rule == "orthogonal")
        return orthogonalValues();
    return rule == "normal" ? normalValues(0.02) : torch;
}

inline std::string initializerSource(const std::string& rule, const std::string& torch = {})
{
    if (rule == "glorot_uniform" || rule == "glorot_normal")
        return "Glorot, Bengio 2010";
    if (rule == "he_uniform" || rule == "he_normal")
        return "He et al. 2015, arXiv:1502.01852";
    if (rule == "lecun_uniform" || rule == "lecun_normal")
        return "LeCun et al. 1998";
    if (rule == "orthogonal")
        return "Saxe et al. 2014, arXiv:1312.6120";
    return rule == "normal" ? "Radford et al. 2019" : torch;
}

/// What arrives at a port, as a dimension that its features or classes count, `times` over.
inline WeightSize portSize(const WeightScope& scope, const std::string& port, std::string symbol,
                           std::int64_t times = 1)
{
    return {unroll::product({times, scope.dimension(port)}), std::move(symbol), port, times};
}

/// The same where units also take features of x as they come, each its own: `tied`. Then no column alone says what a
/// feature is for, and the block is not matched by symbol.
inline WeightSize inputSize(const WeightScope& scope, bool tied)
{
    return tied ? WeightSize{scope.dimension("x"), "in"} : portSize(scope, "x", "in");
}

/// torch.nn's: U(-1/sqrt(size), 1/sqrt(size)).
inline InitialValues inverseRootValues(const WeightSize& size)
{
    return uniformValues(1 / std::sqrt(static_cast<double>(size.size)), "1/√" + size.symbol);
}

/// weight [out, in] and, where there is one, bias [out] of a linear layer, as denseInitializers have them begin.
/// torch.nn.Linear draws both from U(-1/sqrt(in), 1/sqrt(in)).
inline std::vector<WeightSpec> denseWeights(const WeightScope& scope, const WeightSize& in, const WeightSize& out,
                                            bool bias)
{
    const std::string &rule = scope.text("weights_initializer"), &biasRule = scope.text("bias_initializer");
    const bool drawn = rule == "torch" && biasRule == "as_weight";
    const std::string source = initializerSource(rule, "torch.nn.Linear");
    std::vector<WeightSpec> weights = {
        plainWeight("weight", {out, in}, matrixValues(rule, in.size, out.size, inverseRootValues(in)), source)};
    if (bias)
        weights.push_back(plainWeight("bias", {out}, drawn ? inverseRootValues(in) : constantValues(biasRule == "ones"),
                                      drawn ? source : ""));
    return weights;
}

/// The weights of a layer that the block holds under a name: "linear.weight".
inline std::vector<WeightSpec> within(const std::string& layer, std::vector<WeightSpec> weights)
{
    for (WeightSpec& weight : weights)
        weight.name = layer + "." + weight.name;
    return weights;
}

/// How a linear layer begins.
inline std::vector<ParamSpec> denseInitializers()
{
    return {initializerParam("weights_initializer", torchInitializers("Uniform within ±1/√in, as torch.nn.Linear."),
                             "Initialisation of the weight."),
            initializerParam("bias_initializer",
                             {{"as_weight", "As in torch.nn.Linear if the weight is initialised so; else 0."},
                              {"zeros", "0."},
                              {"ones", "1."}},
                             "Initialisation of the bias.")};
}

/// Some weights, and those behind them.
inline std::vector<WeightSpec> followedBy(std::vector<WeightSpec> weights, std::vector<WeightSpec> more)
{
    for (WeightSpec& weight : more)
        weights.push_back(std::move(weight));
    return weights;
}

/// A block's own parameters, and those behind them.
inline std::vector<ParamSpec> followedBy(std::vector<ParamSpec> params, std::vector<ParamSpec> more)
{
    for (ParamSpec& param : more)
        params.push_back(std::move(param));
    return params;
}

/// The block with each weight's rule changed by `change(const WeightScope&, WeightSpec&)`.
template <class Change>
BlockSpec withRules(BlockSpec spec, Change change)
{
    spec.weights = [weights = std::move(spec.weights), change](const WeightScope& scope) {
        std::vector<WeightSpec> list = weights(scope);
        for (WeightSpec& weight : list)
            change(scope, weight);
        return list;
    };
    return spec;
}

/// Whether a choice changes what these weights mean, where its own conditions do not say it all.
using FormRule = std::function<bool(const WeightScope&, const std::string& param)>;

/// "convention reset_after", "variant keras, scales shared": the choices that count, flags as on and off.
inline std::string formOf(const std::vector<ParamSpec>& choices, const WeightScope& scope, const FormRule& counts)
{
    std::string form;
    for (const ParamSpec& param : choices)
        if (param.counts(scope.params) && (!counts || counts(scope, param.name)))
            form +=
                (form.empty() ? "" : ", ") + param.name + " " +
                (param.type == ParamType::Bool ? (scope.boolean(param.name) ? "on" : "off") : scope.text(param.name));
    return form;
}

/// The block with weights whose numbers mean something else with every choice of these parameters, though names and
/// shapes stay.
inline BlockSpec formedBy(const std::vector<std::string>& names, BlockSpec spec, const FormRule& counts = {})
{
    std::vector<ParamSpec> choices; // in the order of the names: files hold the words
    for (const std::string& name : names)
        if (const ParamSpec* param = spec.param(name))
            choices.push_back(*param);
    return withRules(std::move(spec), [choices, counts](const WeightScope& scope, WeightSpec& weight) {
        weight.form = formOf(choices, scope, counts);
    });
}

/// A parameter that says how weights are trained.
inline ParamSpec trainingParam(std::string group, ParamSpec param)
{
    param.computes = false;
    return inGroup(std::move(group), std::move(param));
}

/// Gives a block with weights a factor of the learning rate for all of them, and a recurrent cell what it gives at
/// masked steps.
inline BlockSpec trainable(BlockSpec spec)
{
    spec = withMaskedOutput(std::move(spec));
    spec.params.push_back(
        trainingParam("Training", realParam("learning_rate_scale", 1, 0, 1000,
                                            "Factor on the learning rate of this block; 0 freezes it.")));
    return withRules(std::move(spec), [](const WeightScope& scope, WeightSpec& weight) {
        weight.rule.learningRateScale *= scope.real("learning_rate_scale");
    });
}

} // namespace unroll::nodes
