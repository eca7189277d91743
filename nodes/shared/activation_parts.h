// SPDX-License-Identifier: GPL-3.0-or-later
// The activations of Keras 3 under its names (linear is identity), as choices of a parameter. Not among them is glu,
// which halves the width. Standard library only.
#pragma once

#include "nodes/shared/spec_parts.h"

#include <algorithm>
#include <cassert>
#include <string>
#include <utility>
#include <vector>

namespace unroll::nodes {

enum class FunctionKind {
    Elementwise,
    WithNumbers,  ///< elementwise, by numbers that are parameters of the Activation block alone
    OverFeatures, ///< every number of a step depends on all features of that step
};

struct FunctionSpec {
    ChoiceSpec choice;
    FunctionKind kind = FunctionKind::Elementwise;
};

/// In a menu the usual ones come first.
inline std::vector<FunctionSpec> activationFunctions()
{
    return {
        {{"tanh", "Range -1 to 1, slope 1 at 0."}},
        {{"sigmoid", "Range 0 to 1: 1 / (1 + exp(-a))."}},
        {{"relu", "max(a, 0): negative values become 0."}},
        {{"silu", "a sigmoid(a), also called swish: a smooth relu that dips below 0."}},
        {{"gelu", "a Phi(a), exact: Phi is the CDF of the standard normal distribution."}},
        {{"softplus", "ln(1 + exp(a)): a smooth relu that is always positive."}},
        {{"softsign", "a / (1 + |a|): range -1 to 1, saturates more slowly than tanh."}},
        {{"identity", "a; linear in Keras."}},
        {{"elu", "a, and exp(a) - 1 where a is negative: range above -1."}},
        {{"celu", "The same as elu, for its alpha is 1."}},
        {{"exponential", "exp(a): always positive; overflows fp32 where a is above 88."}},
        {{"selu", "1.0507 elu(a) with 1.6733 in the place of 1: keeps mean 0 and variance 1."}},
        {{"leaky_relu", "a, and 0.2 a where a is negative."}},
        {{"relu6", "a clipped to 0..6."}},
        {{"mish", "a tanh(softplus(a)): a smooth relu that dips below 0."}},
        {{"log_sigmoid", "ln sigmoid(a): always negative."}},
        {{"hard_sigmoid", "a / 6 + 1/2 clipped to 0..1: reaches both ends."}},
        {{"hard_silu", "a hard_sigmoid(a), also called hard swish."}},
        {{"hard_tanh", "a clipped to -1..1."}},
        {{"hard_shrink", "a where |a| > 0.5, else 0."}},
        {{"soft_shrink", "a moved by 0.5 towards 0, and 0 where |a| is less."}},
        {{"tanh_shrink", "a - tanh(a): flat around 0."}},
        {{"squareplus", "(a + sqrt(a^2 + 4)) / 2: a smooth relu without exponentials."}},
        {{"sparse_plus", "0 below -1, (a + 1)^2 / 4 up to 1, then a."}},
        {{"sparse_sigmoid", "a / 2 + 1/2 clipped to 0..1: reaches both ends."}},
        {{"softmax", "exp(a) over the sum of exp of all features: shares that sum to 1."}, FunctionKind::OverFeatures},
        {{"log_softmax", "ln softmax(a): a minus the ln of that sum."}, FunctionKind::OverFeatures},
        {{"sparsemax", "max(a - c, 0), c such that the features sum to 1: shares, some exactly 0."},
         FunctionKind::OverFeatures},
        {{"threshold", "a where it is above the threshold, else default_value."}, FunctionKind::WithNumbers}};
}

/// Of one of them.
inline FunctionKind functionKind(const std::string& name)
{
    const std::vector<FunctionSpec> all = activationFunctions();
    const auto found =
        std::find_if(all.begin(), all.end(), [&](const FunctionSpec& each) { return each.choice.value == name; });
    assert(found != all.end());
    return found->kind;
}

/// All, for a layer of its own.
inline std::vector<ChoiceSpec> activationChoices()
{
    std::vector<ChoiceSpec> choices;
    for (FunctionSpec& each : activationFunctions())
        choices.push_back(std::move(each.choice));
    return choices;
}

/// Those that act on every number by itself and need nothing else: what a unit of a cell or a gate may have.
inline std::vector<ChoiceSpec> elementFunctions()
{
    std::vector<ChoiceSpec> choices;
    for (FunctionSpec& each : activationFunctions())
        if (each.kind == FunctionKind::Elementwise)
            choices.push_back(std::move(each.choice));
    return choices;
}

/// The same, those of `first` in front with their own words.
inline std::vector<ChoiceSpec> elementFunctions(std::vector<ChoiceSpec> first)
{
    for (ChoiceSpec& choice : elementFunctions())
        if (std::none_of(first.begin(), first.end(), [&](const ChoiceSpec& own) { return own.value == choice.value; }))
            first.push_back(std::move(choice));
    return first;
}

/// The same but for hard_shrink and soft_shrink, whose dead zone shuts what a cell shows, and exponential, which
/// overflows where a cell reads what it has shown.
inline std::vector<ChoiceSpec> recurrentFunctions(std::vector<ChoiceSpec> first)
{
    std::vector<ChoiceSpec> all = elementFunctions(std::move(first));
    std::erase_if(all, [](const ChoiceSpec& choice) {
        return choice.value == "hard_shrink" || choice.value == "soft_shrink" || choice.value == "exponential";
    });
    return all;
}

/// A parameter that takes one of these functions. `of` says whose it is: "Activation of the candidate". The help names
/// those of the Activation block that are not among them.
inline ParamSpec functionParam(std::string name, std::vector<ChoiceSpec> functions, const std::string& of)
{
    std::vector<std::string> others;
    for (const ChoiceSpec& each : activationChoices())
        if (std::none_of(functions.begin(), functions.end(),
                         [&](const ChoiceSpec& own) { return own.value == each.value; }))
            others.push_back(each.value);
    std::string named;
    for (std::size_t i = 0; i < others.size(); ++i)
        named += (i == 0 ? "" : i + 1 < others.size() ? ", " : " and ") + others[i];
    return choiceParam(std::move(name), std::move(functions),
                       of + ": all of the Activation block's but " + named + ".");
}

/// Those within 0..1, for gates.
inline std::vector<ChoiceSpec> gateFunctions(std::string sigmoid, std::string hardSigmoid)
{
    return {{"sigmoid", std::move(sigmoid)},
            {"hard_sigmoid", std::move(hardSigmoid)},
            {"sparse_sigmoid", "a / 2 + 1/2 clipped to 0..1: as hard_sigmoid, but steeper."}};
}

/// The same and those within -1..1, for gates that may change a sign. Beyond, a gate that the state makes multiplies
/// that state by more than itself: a GRU with identity there exceeds 1e50 after nine steps of fresh weights.
inline std::vector<ChoiceSpec> boundedFunctions(std::string sigmoid, std::string hardSigmoid)
{
    std::vector<ChoiceSpec> choices = gateFunctions(std::move(sigmoid), std::move(hardSigmoid));
    choices.push_back({"tanh", "Range -1 to 1: a negative gate changes the sign of what it lets through."});
    choices.push_back({"softsign", "a / (1 + |a|): range -1 to 1, saturates more slowly than tanh."});
    choices.push_back({"hard_tanh", "a clipped to -1..1."});
    return choices;
}

} // namespace unroll::nodes
