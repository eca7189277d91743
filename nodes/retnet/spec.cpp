// SPDX-License-Identifier: GPL-3.0-or-later
#include "nodes/shared/outer_parts.h"

#include <cmath>

namespace unroll::nodes::retnet {

template <class Scope>
static std::int64_t valueWidth(const Scope& scope)
{
    return scope.integer("units") * scope.integer("value_factor");
}

/// Products: q, k, v and g, the projection; the recurrence. Elements: q and k turned 3 each and k's scale 1; of each
/// value the norm 4, 8 with a mean, silu and gate 3; backward 8 and 14, 24. Floats kept besides the products: q and k
/// turned and their halves, of each value the norm's, silu and what is projected.
static Cost cost(const CostScope& scope)
{
    const std::int64_t units = scope.integer("units"), in = scope.dimension("x"), values = valueWidth(scope);
    const bool centred = scope.text("norm") == "group";
    Cost total = sum(denseCost(in, 2 * (units + values), false), denseCost(values, units, false));
    total += outerCost(units, values / scope.integer("num_heads"));
    total += elementCost(units, 7, 8, 5, 2);
    return sum(total, elementCost(values, centred ? 9 : 7, centred ? 18 : 14, 4, 2));
}

/// Pairs of keys are turned, so that a head needs an even number of them.
static void inferPairs(InferScope& scope)
{
    const std::int64_t units = scope.integer("units"), heads = scope.integer("num_heads");
    if (units % heads != 0 || units / heads % 2 == 0)
        return;
    scope.error("units", "odd-head",
                "pairs of keys are rotated, so a head needs an even number of them; " + std::to_string(units) + " by " +
                    std::to_string(heads) + (heads == 1 ? " head is " : " heads is ") + std::to_string(units / heads));
    scope.offerParam("Set units to " + std::to_string(units + heads), "units", units + heads);
}

static void infer(InferScope& scope)
{
    const std::int64_t units = scope.integer("units"), heads = scope.integer("num_heads");
    inferRecurrent(scope, units, stateOf(units * (valueWidth(scope) / heads), 1), "S of every head");
    inferHeadsOf(scope, units, "units");
    inferPairs(scope);
    inferNormedHeads(scope, scope.text("norm") == "group" ? NormKind::Layer : NormKind::Rms,
                     scope.integer("value_factor"), 2);
}

/// Glorot's, those of q, k, v and g times 2^-2.5, or another rule.
static InitialValues matrixOf(const std::string& rule, const WeightSize& in, const WeightSize& out, double gain)
{
    return rule == "retnet" ? scaled(matrixValues("glorot_uniform", in.size, out.size), gain)
                            : matrixValues(rule, in.size, out.size);
}

static std::vector<WeightSpec> weights(const WeightScope& scope)
{
    const WeightSize in = portSize(scope, "x", "in"), units{scope.integer("units"), "units"};
    const WeightSize values{valueWidth(scope), "value_factor units"};
    const std::string& rule = scope.text("weights_initializer");
    const std::string source = initializerSource(rule, "Sun et al. 2023, torchscale");
    const double gain = std::exp2(-2.5);
    std::vector<WeightSpec> list;
    for (const char* name : {"q_proj.weight", "k_proj.weight"})
        list.push_back(plainWeight(name, {units, in}, matrixOf(rule, in, units, gain), source));
    for (const char* name : {"v_proj.weight", "g_proj.weight"})
        list.push_back(plainWeight(name, {values, in}, matrixOf(rule, in, values, gain), source));
    list.push_back(plainWeight("out_proj.weight", {units, values}, matrixOf(rule, values, units, 1), source));
    return list;
}

static std::vector<ParamSpec> params()
{
    std::vector<ChoiceSpec> rules = matrixInitializers();
    rules.insert(rules.begin(), {"retnet", "glorot_uniform; for q, k, v and g times 2^-2.5, as the authors do."});
    return {
        integerParam("units", 128, 1, kWidest, "units", "Width of the output, and of all keys together."),
        integerParam("num_heads", 4, 1, kWidest, "heads",
                     "Number of heads; head h keeps 1 - 2^(-5-h) of its state at each step."),
        integerParam("value_factor", 2, 1, 16, "", "Values for each key: 2 as published, 1 for a square state."),
        choiceParam("rotation",
                    {{"xpos", "Adjacent keys form pairs; speeds fall from 1 to 1/10000 radians a step, as published."},
                     {"rope", "Pairs lie half a head apart, with RoPE's speeds 10000^(-2i/n), as in "
                              "flash-linear-attention."},
                     {"none", "No rotation: only the decay distinguishes steps."}},
                    "Rotation of queries and keys with the step."),
        choiceParam("norm",
                    {{"rms", "Each head's values by their RMS, as in the authors' code."},
                     {"group", "Each head's values by mean and variance, as in the paper."}},
                    "Norm of what each head reads."),
        initializerParam("weights_initializer", std::move(rules), "Initialisation of the matrices.")};
}

BlockSpec spec()
{
    return trainable(
        {.id = "retnet",
         .title = "RetNet",
         .summary = "Multi-scale retention: linear attention whose states decay at a fixed rate for each head and "
                    "rotate at each step, with a norm and a gate.",
         .synonyms = {"retention", "retentive network", "multi-scale retention", "xPos", "linear attention",
                      "matrix state"},
         .category = Category::Recurrent,
         .inputs = recurrentInputs("S before the first step; zeros when unwired."),
         .outputs =
             recurrentOutputs("What is read at every step, normed, gated, projected.", "S after the last step.", {"S"}),
         .params = params(),
         .signalSpecs = {keysByValues("The state after each step, head by head: rows are keys, columns values."),
                         {"q", SignalKind::Signed, "Queries, head by head."},
                         {"k", SignalKind::Signed, "Keys divided by √n, head by head."},
                         {"v", SignalKind::Signed, "Values, head by head."},
                         {"g", SignalKind::Signed, "Output gate, silu of its pre-activation."}},
         .dimensions = {{"input_size", "x"}},
         .pythonClass = "RetNet",
         .recurrent = true,
         .trainingPath = outerPath,
         .infer = infer,
         .weights = weights,
         .cost = cost,
         .provenance =
             "Sun et al. 2023, arXiv:2307.08621, eq. 5-8; rotation and decay are xPos, Sun et al. 2022, "
             "arXiv:2212.10554. Weights named and initialised as in torchscale 0.3.0 (MultiScaleRetention)."});
}

} // namespace unroll::nodes::retnet
