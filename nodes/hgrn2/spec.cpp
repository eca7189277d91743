// SPDX-License-Identifier: GPL-3.0-or-later
#include "nodes/shared/lower_bound_parts.h"
#include "nodes/shared/outer_parts.h"

namespace unroll::nodes::hgrn2 {

template <class Scope>
static bool isOfAuthors(const Scope& scope)
{
    return scope.text("convention") == "hgru";
}

/// Products of q, f and i, the recurrence, the projection. Elements: activations of q and i, the scale, f and 1 - f,
/// the norm 4; with the bound 3 more. Backward about twice. Floats kept besides the products: q, its scale, f, 1 - f,
/// the norm's, i.
static Cost cost(const CostScope& scope)
{
    const std::int64_t units = scope.integer("units"), in = scope.dimension("x");
    const bool biased = isOfAuthors(scope);
    Cost total = sum(denseCost(in, 3 * units, biased), denseCost(units, units, biased));
    total += outerCost(units, units / scope.integer("num_heads"));
    const double bound = lowerBoundWork(scope);
    return sum(total, elementCost(units, 8 + bound + (biased ? 3 : 0), 16 + bound + (biased ? 6 : 0), 6, 4));
}

static void infer(InferScope& scope)
{
    const std::int64_t units = scope.integer("units"), heads = scope.integer("num_heads");
    inferRecurrent(scope, units, stateOf(units * (units / heads), 1), "S of every head");
    inferHeadsOf(scope, units, "units");
    inferLowerBound(scope);
    refuseFewUnits(scope, isOfAuthors(scope) ? NormKind::Layer : NormKind::Rms); // all heads are normed together
}

static std::vector<WeightSpec> weights(const WeightScope& scope)
{
    const WeightSize in = portSize(scope, "x", "in"), units{scope.integer("units"), "units"};
    const std::string& rule = scope.text("weights_initializer");
    const std::string torch = "torch.nn.Linear", source = initializerSource(rule, torch);
    std::vector<WeightSpec> list;
    const auto layer = [&](const std::string& name, const WeightSize& from) {
        list.push_back(plainWeight(name + ".weight", {units, from},
                                   matrixValues(rule, from.size, units.size, inverseRootValues(from)), source));
        if (isOfAuthors(scope))
            list.push_back(plainWeight(name + ".bias", {units}, inverseRootValues(from), torch));
    };
    for (const char* name : {"q_proj", "f_proj", "i_proj"})
        layer(name, in);
    list.push_back(plainWeight("g_norm.weight", {units}, constantValues(1)));
    if (isOfAuthors(scope))
        list.push_back(plainWeight("g_norm.bias", {units}, zeroValues()));
    layer("o_proj", units);
    addLowerBound(list, scope, units);
    return list;
}

static std::vector<ParamSpec> params()
{
    std::vector<ParamSpec> list = {
        integerParam("units", 128, 1, kWidest, "units", "Width of the output, and of all keys and values."),
        integerParam("num_heads", 4, 1, kWidest, "heads",
                     "Number of heads; each has a state of (units / num_heads)² numbers."),
        choiceParam("convention",
                    {{"fla", "flash-linear-attention's: silu of queries, values as they are, an RMS norm, no biases."},
                     {"hgru", "The authors': sigmoid of queries, silu of values, a layer norm, biases."}},
                    "Which of the two forms in use.")};
    return followedBy(
        followedBy(std::move(list), lowerBoundParams()),
        {initializerParam("weights_initializer", torchInitializers("Uniform within ±1/√in, as torch.nn.Linear."),
                          "Initialisation of the matrices.")});
}

BlockSpec spec()
{
    return trainable(
        {.id = "hgrn2",
         .title = "HGRN2",
         .summary = "Gated linear attention with keys tied to the forget gates: S_t = diag(f_t) S_{t-1} + "
                    "(1 - f_t) i_tᵀ.",
         .synonyms = {"hierarchically gated recurrent network", "HGRN", "HGRU", "state expansion", "matrix state"},
         .category = Category::Recurrent,
         .inputs = recurrentInputs("S before the first step; zeros when unwired."),
         .outputs = recurrentOutputs("What is read at every step, normed, projected.", "S after the last step.", {"S"}),
         .params = params(),
         .signalSpecs = {outerStateSignal(),
                         keepingGate("f", "Forget gate: share of each key's row of S that is kept."),
                         {"q", SignalKind::Signed, "Queries after their activation, head by head."},
                         {"i", SignalKind::Signed, "Values that enter, head by head."}},
         .dimensions = {{"input_size", "x"}},
         .pythonClass = "HGRN2",
         .recurrent = true,
         .trainingPath = outerPath,
         .infer = infer,
         .weights = weights,
         .cost = cost,
         .provenance = "Qin et al. 2024, arXiv:2404.07904; lower bounds of Qin et al. 2023, arXiv:2311.04823. "
                       "Weights named as in flash-linear-attention's HGRN2Attention; convention hgru is that of "
                       "hgru-pytorch."});
}

} // namespace unroll::nodes::hgrn2
