// SPDX-License-Identifier: GPL-3.0-or-later
#include "nodes/shared/outer_parts.h"

namespace unroll::nodes::gla {

static std::int64_t headSize(std::int64_t units, std::int64_t heads)
{
    return units / heads;
}

/// Products: q, k, v and g, the two of the gate a, the projection; the recurrence. Elements: q 1, a 3, the norm 4, silu
/// and gate 3; backward 2, 6, 8 and 6. Floats kept besides the products: a and its logarithm, q, the norm's, g's and
/// what is projected.
static Cost cost(const CostScope& scope)
{
    const std::int64_t units = scope.integer("units"), in = scope.dimension("x"), rank = scope.integer("gate_rank");
    Cost total = sum(denseCost(in, 4 * units, false), denseCost(units, units, false));
    total += denseCost(in, rank, false);
    total += denseCost(rank, units, true);
    total += outerCost(units, headSize(units, scope.integer("num_heads")));
    total += elementCost(units, 11, 22, 7, 4);
    return total;
}

static void infer(InferScope& scope)
{
    const std::int64_t units = scope.integer("units"), heads = scope.integer("num_heads");
    inferRecurrent(scope, units, stateOf(units * headSize(units, heads), 1), "S of every head");
    inferHeadsOf(scope, units, "units");
    inferNormedHeads(scope, NormKind::Rms);
}

static std::vector<WeightSpec> weights(const WeightScope& scope)
{
    const WeightSize in = portSize(scope, "x", "in"), units{scope.integer("units"), "units"};
    const WeightSize rank{scope.integer("gate_rank"), "gate_rank"};
    const WeightSize size{headSize(units.size, scope.integer("num_heads")), "n"};
    const std::string& rule = scope.text("weights_initializer");
    const std::string torch = "torch.nn.Linear", source = initializerSource(rule, torch);
    const auto matrix = [&](const char* name, const WeightSize& out, const WeightSize& from) {
        return plainWeight(name, {out, from}, matrixValues(rule, from.size, out.size, inverseRootValues(from)), source);
    };
    std::vector<WeightSpec> list;
    for (const char* name : {"q_proj.weight", "k_proj.weight", "v_proj.weight", "g_proj.weight"})
        list.push_back(matrix(name, units, in));
    list.push_back(matrix("gk_proj.0.weight", rank, in));
    list.push_back(matrix("gk_proj.1.weight", units, rank));
    list.push_back(plainWeight("gk_proj.1.bias", {units}, inverseRootValues(rank), torch));
    list.push_back(plainWeight("g_norm_swish_gate.weight", {size}, constantValues(1), "torch.nn.RMSNorm"));
    list.push_back(matrix("o_proj.weight", units, units));
    return list;
}

static std::vector<ParamSpec> params()
{
    return {integerParam("units", 128, 1, kWidest, "units", "Width of the output, and of all keys and values."),
            integerParam("num_heads", 4, 1, kWidest, "heads",
                         "Number of heads; each has a state of (units / num_heads)² numbers."),
            integerParam("gate_rank", 16, 1, kWidest, "numbers",
                         "Width between the two matrices that produce the forget gate."),
            realParam("gate_normalizer", 16, 1, 1000,
                      "The forget gate is a sigmoid to the power of 1 / gate_normalizer: above 1 more is kept."),
            initializerParam("weights_initializer", torchInitializers("Uniform within ±1/√in, as torch.nn.Linear."),
                             "Initialisation of the matrices.")};
}

BlockSpec spec()
{
    return trainable(
        {.id = "gla",
         .title = "GLA",
         .summary = "Gated linear attention: S_t = diag(a_t) S_{t-1} + k_t v_tᵀ, with a forget gate a_t for each key.",
         .synonyms = {"gated linear attention", "linear attention", "forget gate", "fast weights", "matrix state"},
         .category = Category::Recurrent,
         .inputs = recurrentInputs("S before the first step; zeros when unwired."),
         .outputs =
             recurrentOutputs("What is read at every step, normed, gated, projected.", "S after the last step.", {"S"}),
         .params = params(),
         .signalSpecs = {outerStateSignal(),
                         keepingGate("a", "Forget gate: share of each key's row of S that is kept."),
                         {"q", SignalKind::Signed, "Queries divided by √n, head by head."},
                         {"k", SignalKind::Signed, "Keys, head by head."},
                         {"v", SignalKind::Signed, "Values, head by head."},
                         {"g", SignalKind::Signed, "Output gate, silu of its pre-activation."}},
         .dimensions = {{"input_size", "x"}},
         .pythonClass = "GLA",
         .recurrent = true,
         .trainingPath = outerPath,
         .infer = infer,
         .weights = weights,
         .cost = cost,
         .provenance = "Yang et al. 2024, arXiv:2312.06635; weights named as in flash-linear-attention's "
                       "GatedLinearAttention with expand_k = 1."});
}

} // namespace unroll::nodes::gla
