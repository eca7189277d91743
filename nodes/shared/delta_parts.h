// SPDX-License-Identifier: GPL-3.0-or-later
// What the specs of DeltaNet, Gated DeltaNet and DeltaProduct share (nodes/shared/delta_block.h), and the costs of
// everything over delta_scan. Standard library only.
#pragma once

#include "nodes/shared/delta_constants.h"
#include "nodes/shared/outer_parts.h"

#include <cmath>
#include <string>
#include <utility>
#include <vector>

namespace unroll::nodes {

/// Of the recurrence, for `keys` in all heads and `values` of each, and `queries` in all heads: an element of the state
/// is found, stored and read, 2 each, and decays, 1; backward two products each and the gradient carried. With a b of
/// its own what is found is stored by itself. The kernel keeps what it found besides what it is given; the caller
/// counts that.
inline Cost deltaCost(std::int64_t keys, std::int64_t queries, std::int64_t values, bool ownB)
{
    const double products = ownB ? 3 : 2;
    Cost cost = elementCost(keys * values, 2 * products + 1, 4 * products + 1, 0);
    cost.forwardElements /= 2 * products + 1; // the others are products
    cost.backwardElements /= 4 * products + 1;
    Cost read = elementCost(queries * values, 2, 4, 0);
    read.forwardElements = read.backwardElements = 0;
    return sum(cost, read);
}

inline std::string deltaPath(const Params&, const std::map<std::string, Shape>&)
{
    return "The kernel delta_scan, step by step in one pass.";
}

/// The sizes that follow from the parameters. `products` and `gated` as in DeltaKind.
struct DeltaSizes {
    std::int64_t units, heads, substeps, kernel;
    bool gated, forgets, convolves;

    std::int64_t headSize() const { return units / heads; }
    std::int64_t rules() const { return unroll::product({substeps, units}); } ///< keys of all steps of the rule
    std::int64_t read() const
    {
        return unroll::sum({units, unroll::product({2, rules()})});
    } ///< that the convolutions read
};

template <class Scope>
DeltaSizes deltaSizes(const Scope& scope, bool products, bool gated)
{
    const bool convolves = scope.boolean("use_short_conv");
    return {.units = scope.integer("units"),
            .heads = scope.integer("num_heads"),
            .substeps = products ? scope.integer("num_householder") : 1,
            .kernel = convolves ? scope.integer("kernel_size") : 1,
            .gated = gated,
            .forgets = gated && (!products || scope.boolean("use_forget_gate")),
            .convolves = convolves};
}

/// Dense layers: q, k, v, beta, the gates, the projection; the recurrence. What the convolutions read: taps, silu 1 and
/// backward twice that; lengths of q and k 4, the scale 1, the norm 4, beta k and beta v 1 each, the output gate 2.
/// Floats kept besides the products: silu and what it takes; of the rule k, beta k, beta v and what it found; q, what
/// is read, the norm. With several steps of the rule k, q and what is read stand in their order as well.
inline Cost deltaBlockCost(const CostScope& scope, const DeltaSizes& s)
{
    const std::int64_t in = scope.dimension("x"), rules = s.rules();
    const auto taps = static_cast<double>(s.kernel);
    Cost total = sum(denseCost(in, s.read(), false), denseCost(s.units, s.units, false));
    total += denseCost(in, unroll::product({s.substeps, s.heads}), false);
    total += deltaCost(rules, s.units, s.headSize(), false);
    const bool several = s.substeps > 1;
    if (s.convolves)
        total += gatheredCost(scope, s.read(), s.kernel);
    total += elementCost(s.read(), s.convolves ? 2 * taps : 1, s.convolves ? 4 * taps : 2, s.convolves ? 2 : 1, 2);
    total += elementCost(rules, 7, 16, several ? 7 : 4, 4);
    total += elementCost(s.units, 9, 18, several ? 1 : 3, 4);
    if (s.forgets)
        total += sum(denseCost(in, s.heads, false), elementCost(s.heads, 5, 10, 4));
    if (s.gated)
        total += sum(denseCost(in, s.units, false), elementCost(s.units, 2, 5, 2, 1));
    return total;
}

inline void inferDelta(InferScope& scope, const DeltaSizes& s)
{
    const std::int64_t state = unroll::product({s.units, s.headSize()}),
                       past = unroll::product({s.kernel - 1, s.read()});
    inferRecurrent(scope, s.units, stateOf(unroll::sum({state, past}), 1),
                   s.convolves ? "S of every head and the last inputs of the convolutions" : "S of every head");
    inferHeadsOf(scope, s.units, "units");
    if (s.units % s.heads != 0 || s.headSize() > 2)
        return;
    std::int64_t fitting = std::max<std::int64_t>(1, s.units / 3);
    while (s.units % fitting != 0)
        --fitting;
    scope.error("num_heads", "head-too-small",
                "num_heads must leave at least 3 units to a head: a key of one number normalised to length 1 is only a "
                "sign, and one of two rotates abruptly where it is short");
    scope.offerParam("Set num_heads to " + std::to_string(fitting), "num_heads", fitting);
}

inline WeightSpec undecayed(WeightSpec weight)
{
    weight.rule.decay = false;
    return weight;
}

/// What softplus takes to a step.
inline double beforeSoftplus(double step)
{
    return step + std::log(-std::expm1(-step));
}

inline std::vector<WeightSpec> deltaWeights(const WeightScope& scope, const DeltaSizes& s)
{
    const WeightSize in = portSize(scope, "x", "in"), units{s.units, "units"}, heads{s.heads, "heads"};
    const bool several = s.substeps > 1;
    const WeightSize rules{s.rules(), several ? "n_h units" : "units"};
    const WeightSize strengths{unroll::product({s.substeps, s.heads}), several ? "n_h heads" : "heads"};
    const std::string& rule = scope.text("weights_initializer");
    const std::string torch = "torch.nn.Linear", source = initializerSource(rule, torch);
    const auto matrix = [&](const char* name, const WeightSize& out, const WeightSize& from) {
        return plainWeight(name, {out, from}, matrixValues(rule, from.size, out.size, inverseRootValues(from)), source);
    };
    std::vector<WeightSpec> list{matrix("q_proj.weight", units, in), matrix("k_proj.weight", rules, in),
                                 matrix("v_proj.weight", rules, in), matrix("b_proj.weight", strengths, in)};
    if (s.forgets) {
        list.push_back(matrix("a_proj.weight", heads, in));
        list.push_back(undecayed(plainWeight("A_log", {heads}, logUniformValues(0, 16, 1), "Dao, Gu 2024")));
        list.push_back(
            undecayed(plainWeight("dt_bias", {heads},
                                  computedValues(beforeSoftplus(kSmallestDeltaStep), beforeSoftplus(kLargestDeltaStep),
                                                 "softplus⁻¹(Δ), ln Δ uniform from ln 0.001 to ln 0.1"),
                                  "Dao, Gu 2024")));
    }
    if (s.convolves) {
        const WeightSize kernel{s.kernel, "kernel_size"}, one{1, "1"};
        const std::pair<const char*, WeightSize> convolutions[] = {
            {"q_conv1d.weight", units}, {"k_conv1d.weight", rules}, {"v_conv1d.weight", rules}};
        for (const auto& [name, width] : convolutions)
            list.push_back(plainWeight(name, {width, one, kernel}, inverseRootValues(kernel), "torch.nn.Conv1d"));
    }
    if (s.gated)
        list.push_back(matrix("g_proj.weight", units, in));
    list.push_back(plainWeight("o_norm.weight", {{s.headSize(), "n"}}, constantValues(1), "torch.nn.RMSNorm"));
    list.push_back(matrix("o_proj.weight", units, units));
    return list;
}

inline std::vector<ParamSpec> deltaParams(bool negative)
{
    return {integerParam("units", 128, 3, kWidest, "units",
                         "Width of the output, and of all keys and values: at least 3 a head."),
            integerParam("num_heads", 4, 1, kWidest, "heads",
                         "Number of heads; each has a state of (units / num_heads)² numbers."),
            flagParam("negative_eigenvalues", negative,
                      "Writing strengths β up to 2 instead of 1: the state's eigenvalues reach -1, so that swaps can "
                      "be tracked."),
            flagParam("use_short_conv", true, "Whether q, k and v are convolved over the last steps."),
            countsWhere("use_short_conv", true,
                        integerParam("kernel_size", 4, 2, 64, "steps", "Steps that the convolutions read.")),
            initializerParam("weights_initializer", torchInitializers("Uniform within ±1/√in, as torch.nn.Linear."),
                             "Initialisation of the matrices.")};
}

inline SignalSpec writtenSignal()
{
    return {"r", SignalKind::Signed, "What is written under k: β times the difference of v and what S returns for k."};
}

inline std::vector<SignalSpec> deltaSignals(bool gated)
{
    std::vector<SignalSpec> signals{
        outerStateSignal(),
        writtenSignal(),
        {.name = "beta",
         .look = SignalKind::Gate,
         .help = "Writing strength β: share of the old value under k that the new one replaces; with "
                 "negative_eigenvalues 0 to 2.",
         .limit = {},
         .other = OtherLook{SignalKind::Signed, {"negative_eigenvalues", {"true"}}}},
        {"q", SignalKind::Signed, "Queries of length 1 / √n, head by head."},
        {"k", SignalKind::Signed, "Keys of length 1, head by head."},
        {"v", SignalKind::Signed, "Values, head by head."}};
    if (gated) {
        signals.push_back(keepingGate("a", "Forget gate: share of a head's state that is kept."));
        signals.push_back({"g", SignalKind::Signed, "Output gate, silu of its pre-activation."});
    }
    return signals;
}

/// What the three blocks have in common.
inline BlockSpec onDeltaRule(BlockSpec spec, bool gated)
{
    spec.category = Category::Recurrent;
    spec.inputs = recurrentInputs("S before the first step, then the convolutions' inputs before it, oldest first; "
                                  "zeros when unwired.");
    spec.outputs = recurrentOutputs("What is read at every step, normed, projected.",
                                    "S after the last step, then the last inputs of the convolutions.", {"S"});
    spec.signalSpecs = deltaSignals(gated);
    spec.dimensions = {{"input_size", "x"}};
    spec.recurrent = true;
    spec.trainingPath = deltaPath;
    return trainable(std::move(spec));
}

} // namespace unroll::nodes
