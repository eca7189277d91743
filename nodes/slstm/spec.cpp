// SPDX-License-Identifier: GPL-3.0-or-later
#include "nodes/shared/weight_parts.h"

#include <algorithm>
#include <cmath>

namespace unroll::nodes::slstm {

constexpr const char* kSource = "Beck et al. 2024, xlstm";

/// The input's product, 2 4 units in, and that of each head's state, 2 4 units n; then an element forward: sums 4, ln f
/// and m 3, i and f 4, activations 2, c 3, n 3, h 2; backward: h 3, c and n 6, i and f 6, m 3, activations 6, ln f 3,
/// the sums' gradient and the carries 8. Floats kept: h, and what the kernel walked, h, c, n, m and the sums;
/// workspace: the gradients of the sums.
static Cost cost(const CostScope& scope)
{
    const std::int64_t units = scope.integer("units"), in = scope.dimension("x");
    Cost total = denseCost(in, 4 * units, true);
    const double products = 8.0 * static_cast<double>(units) * static_cast<double>(units / scope.integer("num_heads"));
    total.forwardFlops += products;
    total.backwardFlops += 2 * products;
    return sum(total, elementCost(units, 21, 35, 5, 4));
}

static void infer(InferScope& scope)
{
    const std::int64_t units = scope.integer("units"), heads = scope.integer("num_heads");
    inferRecurrent(scope, units, stateOf(units, 4), "h, c, n and m");
    if (units % heads == 0)
        return;
    scope.error("num_heads", "heads-do-not-divide",
                "num_heads must divide units, " + std::to_string(units) + "; it is " + std::to_string(heads));
    std::int64_t better = std::min(heads, units);
    while (units % better != 0)
        --better;
    scope.offerParam("Set num_heads to " + std::to_string(better), "num_heads", better);
}

static InitialValues forgetBias(const WeightScope& scope)
{
    if (scope.text("bias_initializer") == "powerlaw")
        return computedValues(-7, 5, "5 - 12 (k / (n - 1))^(0.3 + 1.3 block_ratio) in each head, k = 0 .. n - 1");
    return computedValues(3, 6, "3 + 3 k / (n - 1) in each head, k = 0 .. n - 1");
}

static std::vector<WeightSpec> weights(const WeightScope& scope)
{
    const WeightSize in = portSize(scope, "x", "in"), units{scope.integer("units"), "units"},
                     rows{4 * units.size, "4 units"}, heads{scope.integer("num_heads"), "num_heads"};
    const std::int64_t n = units.size / heads.size;
    const InitialValues recurrent =
        scope.text("recurrent_initializer") == "zeros" ? zeroValues() : inverseRootValues(units);
    WeightSpec bias{.name = "bias", .shape = {rows}, .parts = {}, .source = kSource};
    for (const char* gate : {"i", "f", "z", "o"})
        bias.parts.push_back({gate, units.size, *gate == 'f' ? forgetBias(scope) : zeroValues()});
    WeightSpec ofState = plainWeight(
        "recurrent_kernel", {heads, {4 * n, "4 units / num_heads"}, {n, "units / num_heads"}}, recurrent, kSource);
    ofState.recurrent = true;
    return {plainWeight("weight", {rows, in},
                        normalValues(std::sqrt(2 / (5 * static_cast<double>(in.size))), "√(2 / (5 in))"), kSource),
            std::move(ofState), std::move(bias)};
}

static std::vector<ParamSpec> params()
{
    return {integerParam("units", 128, 1, kWidest, "units", "Width of h, c, n and m."),
            integerParam("num_heads", 4, 1, kWidest, "heads",
                         "Diagonal blocks of the recurrent matrices: states mix within a head."),
            choiceParam("forget_gate",
                        {{"sigmoid", "f = sigmoid(a), as in the authors' code."},
                         {"exp", "f = exp(a), the paper's other form: memories may grow."}},
                        "Activation of the forget gate."),
            initializerParam("recurrent_initializer",
                             {{"zeros", "0: no step reads the state at first, as in the authors' models."},
                              {"standard", "Uniform within ±1/√units."}},
                             "Initialisation of the recurrent matrices."),
            initializerParam("bias_initializer",
                             {{"powerlaw", "That of f falls from 5 to -7 in each head: long memories and short ones."},
                              {"linspace", "That of f rises from 3 to 6 in each head: long memories."}},
                             "Initialisation of the biases; those of i, z and o begin at 0."),
            countsWith("bias_initializer", {"powerlaw"},
                       trainingParam("Initial values", realParam("block_ratio", 0, 0, 1,
                                                                 "Place of the block in a stack, 0 the first and 1 the "
                                                                 "last: later blocks start with longer memories.")))};
}

BlockSpec spec()
{
    return trainable(
        {.id = "slstm",
         .title = "sLSTM",
         .summary = "LSTM of xLSTM with exponential gates, a normaliser and heads: c_t = f ∘ c_{t-1} + i ∘ "
                    "z, n_t = f ∘ n_{t-1} + i, h_t = o ∘ c_t / n_t.",
         .synonyms = {"xLSTM", "scalar LSTM", "exponential gating", "extended long short-term memory"},
         .category = Category::Recurrent,
         .inputs = recurrentInputs("h, c, n and m before the first step; zeros when unwired."),
         .outputs = recurrentOutputs("h at every step.", "h, c, n and m after the last step.", {"h", "c", "n", "m"}),
         .params = params(),
         .signalSpecs = {{"h", SignalKind::Signed, "The output after each step."},
                         {"c", SignalKind::Signed, "Cell state, scaled by exp(-m)."},
                         {"n", SignalKind::Signed, "Normaliser, scaled likewise: the sum of what was written."},
                         {"m", SignalKind::Signed, "Stabiliser: logarithm of the scale."},
                         {.name = "i", .look = SignalKind::Gate, .help = "Input gate exp(ĩ - m).", .scale = "m"},
                         keepingGate("f", "Forget gate, scaled by exp(m_{t-1} - m_t).", "m"),
                         {"z", SignalKind::Bounded, "Candidate: the new value."},
                         {"o", SignalKind::Gate, "Output gate: share of c / n output."}},
         .dimensions = {{"input_size", "x"}},
         .pythonClass = "SLSTM",
         .recurrent = true,
         .trainingPath = [](const Params&, const auto&) { return std::string(kCellStepsPath); },
         .infer = infer,
         .weights = weights,
         .cost = cost,
         .provenance = "Beck et al. 2024, arXiv:2405.04517, eq. 8-17. Recurrent weights, biases, their "
                       "order i f z o and initial values of xlstm 2.0.6 (sLSTMCell, backend vanilla)."});
}

} // namespace unroll::nodes::slstm
