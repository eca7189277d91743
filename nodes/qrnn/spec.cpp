// SPDX-License-Identifier: GPL-3.0-or-later
#include "nodes/shared/dense_rules.h"

namespace unroll::nodes::qrnn {

template <class Scope>
static std::int64_t gates(const Scope& scope)
{
    return scope.text("pooling") == "fo" ? 3 : 2;
}

/// The product over the window, then an element of the scan: z 1, f 1, c 4, and with o 2 forward; activations again 2,
/// c 5, their derivatives 6, and with o 7 backward. Floats kept besides the product: c, y, and of an input that is laid
/// side by side with earlier ones the window; workspace: the gradient of each gate, then that of the window.
static Cost cost(const CostScope& scope)
{
    const std::int64_t in = scope.dimension("x"), units = scope.integer("units"), window = scope.integer("window");
    const bool output = gates(scope) == 3;
    Cost total = denseCost(window * in, gates(scope) * units, true);
    total += elementCost(units, output ? 8 : 6, output ? 20 : 13, 2, output ? 3 : 2);
    if (window > 1)
        total += elementCost(window * in, 0, 1, 1, 1);
    return total;
}

/// The state's width follows the input's where a window reaches back.
static void infer(InferScope& scope)
{
    const std::int64_t units = scope.integer("units"), earlier = scope.integer("window") - 1;
    const Shape* x = scope.input("x");
    if (earlier == 0)
        inferRecurrent(scope, units, stateOf(units, 1), "c");
    else if (x != nullptr)
        inferRecurrent(scope, units, stateOf(unroll::sum({units, unroll::product({earlier, x->width})}), 1),
                       "c and the last inputs");
    else
        scope.output("y", sequenceOf(units));
}

static std::vector<WeightSpec> weights(const WeightScope& scope)
{
    const std::int64_t window = scope.integer("window"), count = gates(scope);
    const WeightSize in = portSize(scope, "x", window > 1 ? std::to_string(window) + " in" : "in", window);
    const WeightSize rows{count * scope.integer("units"), std::to_string(count) + " units"};
    return within("linear", denseWeights(scope, in, rows, true));
}

static std::vector<ParamSpec> params()
{
    return followedBy(
        {integerParam("units", 128, 1, kWidest, "units", "Width of the state."),
         integerParam("window", 1, 1, 16, "steps",
                      "Kernel size of the causal convolution: x_t and the steps before it."),
         choiceParam("pooling", {{"fo", "Forget and output gate: y = o c."}, {"f", "Forget gate only: y = c."}},
                     "Pooling: which gates act on the state."),
         choiceParam("convention",
                     {{"paper", "f keeps: c = f c + (1 - f) z, as published."},
                      {"pytorch_qrnn", "f writes: c = (1 - f) c + f z, as in pytorch-qrnn, whose weights fit."}},
                     "Meaning of an open forget gate f; weights of one form are not valid for the other."),
         inGroup("Dropout", realParam("zoneout", 0, 0, 0.99,
                                      "Zoneout: probability that a unit keeps its state at a training step; in "
                                      "evaluation, its mean effect."))},
        denseInitializers());
}

BlockSpec spec()
{
    return trainableDense(formedBy(
        {"convention"},
        {.id = "qrnn",
         .title = "QRNN",
         .summary =
             "Quasi-recurrent network: gates from a causal convolution, c_t = f ∘ c_{t-1} + (1 - f) ∘ z, y = o ∘ c.",
         .synonyms = {"quasi-recurrent", "fo-pooling", "convolution", "zoneout", "forget mult"},
         .category = Category::Recurrent,
         .inputs =
             recurrentInputs("c before the first step, then the preceding inputs in the window; zeros when unwired."),
         .outputs = recurrentOutputs("o c (or c) at every step.",
                                     "c after the last step, then the last inputs, oldest first.", {"c"}),
         .params = params(),
         .signalSpecs = {{"c", SignalKind::Bounded, "The state after each step."},
                         {"z", SignalKind::Bounded, "Candidate: the new value."},
                         keepingGate("f", "Forget gate, in the chosen convention: share kept, or written."),
                         {"o", SignalKind::Gate, "Output gate: share of the state output; 1 with f-pooling."}},
         .dimensions = {{"input_size", "x"}},
         .pythonClass = "QRNN",
         .recurrent = true,
         .trainingPath = [](const Params&,
                            const auto&) { return std::string("The kernel gated_scan, all steps in one pass."); },
         .infer = infer,
         .weights = weights,
         .cost = cost,
         .provenance = "Bradbury et al. 2017, arXiv:1611.01576: f- and fo-pooling. Weights, their names, the order z f "
                       "o and the initial values of a layer of pytorch-qrnn."}));
}

} // namespace unroll::nodes::qrnn
