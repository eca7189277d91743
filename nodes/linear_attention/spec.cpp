// SPDX-License-Identifier: GPL-3.0-or-later
#include "nodes/shared/outer_parts.h"

namespace unroll::nodes::linear_attention {

template <class Scope>
static bool normalizes(const Scope& scope)
{
    return scope.text("feature_map") == "elu" && scope.boolean("normalize");
}

/// Numbers of a head's state for each key: its values, and with a normaliser their sum of weights.
template <class Scope>
static std::int64_t columns(const Scope& scope)
{
    return scope.integer("units") / scope.integer("num_heads") + (normalizes(scope) ? 1 : 0);
}

/// Four products, the recurrence; elements: φ 2 of q and k, the scale 1, the division 2. Floats kept besides the
/// products: φ and its parts of q and k, the scaled q, and with a normaliser v beside 1 and what is divided.
static Cost cost(const CostScope& scope)
{
    const std::int64_t units = scope.integer("units"), in = scope.dimension("x");
    const bool elu = scope.text("feature_map") == "elu", normalized = normalizes(scope);
    Cost total = sum(denseCost(in, 3 * units, false), denseCost(units, units, false));
    total += outerCost(units, columns(scope));
    total += elementCost(units, elu ? 5 : 1, elu ? 5 : 1, elu ? 5 : 2, 3);
    if (normalized)
        total += elementCost(units, 2, 3, 2, 1);
    return total;
}

static void infer(InferScope& scope)
{
    const std::int64_t units = scope.integer("units");
    inferRecurrent(scope, units, stateOf(units * columns(scope), 1), "S of every head");
    inferHeadsOf(scope, units, "units");
}

/// σ of them is between 0.05 and 0.95: heads that see the step before apart, and heads that see twenty steps.
static InitialValues decayValues()
{
    return uniformValues(3, "3");
}

static std::vector<WeightSpec> weights(const WeightScope& scope)
{
    const WeightSize in = portSize(scope, "x", "in"), units{scope.integer("units"), "units"};
    const std::string& rule = scope.text("weights_initializer");
    const std::string source = initializerSource(rule, "torch.nn.Linear");
    const InitialValues values = matrixValues(rule, in.size, units.size, inverseRootValues(in));
    std::vector<WeightSpec> list;
    for (const char* name : {"q_proj.weight", "k_proj.weight", "v_proj.weight"})
        list.push_back(plainWeight(name, {units, in}, values, source));
    list.push_back(plainWeight("o_proj.weight", {units, units},
                               matrixValues(rule, units.size, units.size, inverseRootValues(units)), source));
    if (scope.text("decay") == "learned")
        list.push_back(plainWeight("logits", {{scope.integer("num_heads"), "heads"}}, decayValues()));
    return list;
}

static std::vector<ParamSpec> params()
{
    return {integerParam("units", 128, 1, kWidest, "units", "Width of the output, and of all keys and values."),
            integerParam("num_heads", 4, 1, kWidest, "heads",
                         "Number of heads; each has a state of (units / num_heads)² numbers."),
            choiceParam("feature_map",
                        {{"elu", "φ(a) = elu(a) + 1: positive, so that weights can be normalised."},
                         {"identity", "φ(a) = a: signed weights, without a normaliser."}},
                        "Feature map φ of queries and keys."),
            countsWith("feature_map", {"elu"},
                       flagParam("normalize", true,
                                 "Divides by the sum of the weights, so that y is a weighted mean of the values.")),
            choiceParam("decay",
                        {{"learned", "Each head keeps σ of a learned number."},
                         {"none", "No decay: all earlier steps count equally."},
                         {"retnet", "Head h keeps 1 - 2^(-5-h) of its state at each step, as RetNet's retention."}},
                        "Factor on the state at each step."),
            initializerParam("weights_initializer", torchInitializers("Uniform within ±1/√in, as torch.nn.Linear."),
                             "Initialisation of the weights.")};
}

BlockSpec spec()
{
    return trainable(
        {.id = "linear_attention",
         .title = "Linear attention",
         .summary = "Attention without softmax, as a recurrence: S_t = a S_{t-1} + φ(k_t) v_tᵀ, y_t = S_tᵀ φ(q_t).",
         .synonyms = {"linear transformer", "fast weights", "retention", "RetNet", "kernel attention", "matrix state"},
         .category = Category::Recurrent,
         .inputs = recurrentInputs("S before the first step; zeros when unwired."),
         .outputs = recurrentOutputs("What is read at every step, projected.", "S after the last step.", {"S"}),
         .params = params(),
         .signalSpecs = {outerStateSignal(),
                         {"q", SignalKind::Signed, "Queries after φ, divided by √n, head by head."},
                         {"k", SignalKind::Signed, "Keys after φ, head by head."},
                         {"v", SignalKind::Signed, "Values, head by head."}},
         .dimensions = {{"input_size", "x"}},
         .pythonClass = "LinearAttention",
         .recurrent = true,
         .trainingPath = outerPath,
         .infer = infer,
         .weights = weights,
         .cost = cost,
         .provenance = "Katharopoulos et al. 2020, arXiv:2006.16236; decay of Sun et al. 2023, arXiv:2307.08621 "
                       "(RetNet), eq. 5. Weights named as in flash-linear-attention's layers."});
}

} // namespace unroll::nodes::linear_attention
