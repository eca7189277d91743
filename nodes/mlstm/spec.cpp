// SPDX-License-Identifier: GPL-3.0-or-later
#include "nodes/shared/outer_parts.h"

#include <cmath>

namespace unroll::nodes::mlstm {

constexpr const char* kSource = "Beck et al. 2024, xlstm";

/// A head's state: S with n beside it, and m.
template <class Scope>
static std::int64_t stateWidth(const Scope& scope)
{
    const std::int64_t units = scope.integer("units"), heads = scope.integer("num_heads");
    return units * (units / heads + 1) + heads;
}

/// Products: q, k, v and o, both gates of each head, the projection; the recurrence, whose values have a 1 beside them.
/// Elements: q scaled, k weighed and v joined 3, division 1, the norm 6, the output gate 2; backward 24. Of each head
/// both gates, m and the divisor, 20 and 40. Floats kept besides the products: q, k, v, what is read and divided, the
/// norm's, o and what is projected.
static Cost cost(const CostScope& scope)
{
    const std::int64_t units = scope.integer("units"), in = scope.dimension("x"), heads = scope.integer("num_heads");
    Cost total = sum(denseCost(in, 4 * units, false), denseCost(units, units, false));
    total += denseCost(in, 2 * heads, true);
    total += outerCost(units, units / heads + 1);
    total += elementCost(units, 12, 24, 9, 4);
    return sum(total, elementCost(heads, 20, 40, 14, 4));
}

static void infer(InferScope& scope)
{
    const std::int64_t units = scope.integer("units");
    inferRecurrent(scope, units, stateOf(stateWidth(scope), 1), "S, n and m of every head");
    inferHeadsOf(scope, units, "units");
    inferNormedHeads(scope, NormKind::Layer);
}

/// xlstm's: normal with the variance 2 / (5 in).
static InitialValues matrixOf(const std::string& rule, const WeightSize& in, const WeightSize& out)
{
    return matrixValues(
        rule, in.size, out.size,
        normalValues(std::sqrt(2 / (5 * static_cast<double>(in.size))), "√(2 / (5 " + in.symbol + "))"));
}

static std::vector<WeightSpec> weights(const WeightScope& scope)
{
    const WeightSize in = portSize(scope, "x", "in"), units{scope.integer("units"), "units"};
    const WeightSize heads{scope.integer("num_heads"), "num_heads"};
    const std::string& rule = scope.text("weights_initializer");
    const std::string source = initializerSource(rule, kSource);
    std::vector<WeightSpec> list;
    for (const char* name : {"q.weight", "k.weight", "v.weight", "ogate_preact.weight"})
        list.push_back(plainWeight(name, {units, in}, matrixOf(rule, in, units), source));
    list.push_back(plainWeight("igate_preact.weight", {heads, in}, zeroValues(), kSource));
    list.push_back(plainWeight("igate_preact.bias", {heads}, normalValues(0.1), kSource));
    list.push_back(plainWeight("fgate_preact.weight", {heads, in}, zeroValues(), kSource));
    list.push_back(plainWeight("fgate_preact.bias", {heads},
                               computedValues(3, 6, "3 + 3 h / (num_heads - 1) in head h"), kSource));
    list.push_back(plainWeight("multihead_norm.weight", {units}, constantValues(1)));
    list.push_back(plainWeight("out_proj.weight", {units, units}, matrixOf(rule, units, units), source));
    return list;
}

static std::vector<ParamSpec> params()
{
    std::vector<ChoiceSpec> rules = matrixInitializers();
    rules.insert(rules.begin(), {"xlstm", "Normal with standard deviation √(2 / (5 in)), as the authors do."});
    return {
        integerParam("units", 128, 1, kWidest, "units",
                     "Width of the output, and of all keys and values: at least 3 a head."),
        integerParam("num_heads", 4, 1, kWidest, "heads",
                     "Number of heads; each has a state of (units / num_heads)² numbers and one gate of each kind."),
        realParam("gate_soft_cap", 15, 0, 1000,
                  "Input and forget gate's pre-activations a become c tanh(a / c), as in xLSTM-7B; 0: as they are, "
                  "as in the paper."),
        initializerParam("weights_initializer", std::move(rules), "Initialisation of the matrices.")};
}

BlockSpec spec()
{
    return trainable(
        {.id = "mlstm",
         .title = "mLSTM",
         .summary = "LSTM of xLSTM with a matrix memory and exponential gates: S_t = f S_{t-1} + i k_t v_tᵀ, read by a "
                    "query and divided by a normaliser.",
         .synonyms = {"xLSTM", "matrix LSTM", "exponential gating", "extended long short-term memory", "matrix state",
                      "fast weights"},
         .category = Category::Recurrent,
         .inputs = recurrentInputs("S, n and m before the first step; zeros when unwired."),
         .outputs = recurrentOutputs("What is read at every step, normed, gated, projected.",
                                     "S with n beside it, then m, after the last step.", {"S"}),
         .params = params(),
         .signalSpecs =
             {keysByValues(
                  "The memory after each step, scaled by exp(-m), head by head: rows are keys, columns values."),
              {"n", SignalKind::Signed, "Normaliser, scaled likewise: the sum of keys, as they were weighed."},
              {"m", SignalKind::Signed, "Stabiliser of each head: logarithm of the scale."},
              {.name = "i", .look = SignalKind::Gate, .help = "Input gate of each head, exp(ĩ - m).", .scale = "m"},
              keepingGate("f", "Forget gate of each head, scaled by exp(m_{t-1} - m_t).", "m"),
              {"o", SignalKind::Gate, "Output gate: share of what is read and normed that is output."},
              {"q", SignalKind::Signed, "Queries divided by √d, head by head."},
              {"k", SignalKind::Signed, "Keys, head by head."},
              {"v", SignalKind::Signed, "Values, head by head."}},
         .dimensions = {{"input_size", "x"}},
         .pythonClass = "MLSTM",
         .recurrent = true,
         .trainingPath = outerPath,
         .infer = infer,
         .weights = weights,
         .cost = cost,
         .provenance = "Beck et al. 2024, arXiv:2405.04517, eq. 19-27, in the form of xLSTM-7B, Beck et al. 2025, "
                       "arXiv:2503.13427: weights named as in xlstm 2.0.6 (xlstm_large, mLSTMLayer), initialised as in "
                       "its mLSTMCell."});
}

} // namespace unroll::nodes::mlstm
