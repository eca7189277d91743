// SPDX-License-Identifier: GPL-3.0-or-later
#include "nodes/shared/spec_parts.h"

namespace unroll::nodes::grumml {

/// A ternary dense layer: denseCost, and for an element of the input the norm 4 and the quantisation 6 forward, the
/// norm's 9 backward, the quantised and the normalised input kept; the norm's gain. Quantising the weights is once a
/// pass, not once a token, and not counted.
static Cost ternaryCost(std::int64_t in, std::int64_t out, bool bias)
{
    Cost total = sum(denseCost(in, out, bias), elementCost(in, 10, 9, 2));
    total.parameters += in;
    return total;
}

/// The layers, then an element of the scan: f 1, c 2, g 1, h 4, u 1 forward; activations again 4, u 3, h 5, their
/// derivatives 11 backward. Floats kept besides the layers' outputs: h, u, and the gradients of f, c, g, u.
static Cost cost(const CostScope& scope)
{
    const std::int64_t in = scope.dimension("x"), units = scope.integer("units");
    const bool bias = scope.boolean("use_bias");
    Cost total = scope.boolean("fully_mml") ? sum(ternaryCost(in, 3 * units, bias), ternaryCost(units, units, bias))
                                            : sum(ternaryCost(in, 2 * units, bias), denseCost(in, units, bias));
    if (!scope.boolean("fully_mml"))
        total += denseCost(units, units, bias);
    return sum(total, elementCost(units, 9, 23, 6));
}

static void infer(InferScope& scope)
{
    const std::int64_t units = scope.integer("units"), heads = scope.integer("num_heads");
    inferRecurrent(scope, units, stateOf(units, 1), "h");
    if (units % heads != 0) {
        scope.error("num_heads", "heads-do-not-divide",
                    "num_heads = " + std::to_string(heads) + " does not divide units = " + std::to_string(units));
        scope.offerParam("Use one head", "num_heads", std::int64_t{1});
    }
    const Shape* x = scope.input("x");
    if (x != nullptr && x->width == 1)
        scope.warning("x", "one-feature",
                      "RMS norm of one feature keeps its sign alone: that is all the ternary gates will see");
}

/// The kernel has sigmoid gates alone.
static std::string trainingPath(const Params& params, const std::map<std::string, Shape>&)
{
    return std::get<std::string>(params.at("recurrent_activation")) == "sigmoid"
               ? "The kernel gated_scan, all steps in one pass."
               : "Step by step: the kernel has no hard_sigmoid gates.";
}

static std::vector<ParamSpec> params()
{
    return {
        integerParam("units", 128, 1, kWidest, "units", "Width of the state and of the output."),
        flagParam("fully_mml", false, "Makes the gate g and the output ternary too; else they are full precision."),
        integerParam("num_heads", 1, 1, kWidest, "heads",
                     "Heads of the state. The recurrence is elementwise, so the numbers stay the same."),
        choiceParam("activation", {"silu", "tanh", "sigmoid", "relu", "identity"}, "What makes the candidate c."),
        choiceParam("recurrent_activation", {"sigmoid", "hard_sigmoid"}, "What makes the gates f and g."),
        flagParam("use_bias", true, "Whether each layer adds a learned bias."),
        choiceParam(
            "scales", {"shared", "per_gate"},
            "Scales of the ternary gates: one for all of them, as in Keras-MML, or one for each, as in the paper."),
        choiceParam(
            "gradient", {"straight_through", "keras"},
            "Gradient of the ternary weights: as if not rounded, or as Keras-MML forms it, through the scale as well."),
        inGroup("Initial values", choiceParam("weights_initializer", {"glorot_uniform", "he_uniform", "lecun_uniform"},
                                              "Uniform within sqrt(6/(in+out)), sqrt(6/in) or sqrt(3/in).")),
        inGroup("Initial values", choiceParam("bias_initializer", {"zeros", "ones"}, "Initial value of every bias."))};
}

BlockSpec spec()
{
    return {
        .id = "grumml",
        .title = "GRUMML",
        .summary =
            "A gated recurrent unit with ternary weights: its gates need no multiplications, its recurrence no matrix.",
        .synonyms = {"MatMul-free", "MLGRU", "ternary", "BitLinear", "quantised", "1.58 bit", "Keras-MML"},
        .category = Category::Recurrent,
        .inputs = recurrentInputs("h before the first step; zeros when free."),
        .outputs = recurrentOutputs("(g h) W + b at every step.", "h after the last step."),
        .params = params(),
        .signalSpecs = {{"h", SignalLook::Signed, "The state after each step."},
                        {"f", SignalLook::Gate, "Forget gate: how much of the state is kept."},
                        {"c", SignalLook::Signed, "Candidate: what would be written."},
                        {"g", SignalLook::Gate, "Data gate: how much of the state is shown."},
                        {"q", SignalLook::Signed,
                         "What the ternary gates read: the input in int8 steps, -127 to 127."}},
        .dimensions = {{"input_size", "x"}},
        .pythonClass = "GRUMML",
        .recurrent = true,
        .straightThrough = true,
        .trainingPath = trainingPath,
        .infer = infer,
        .cost = cost,
        .provenance = "Zhu et al. 2024, arXiv:2406.02528 (MLGRU), in the form of Keras-MML's GRUMML: one norm shared "
                      "by the fused gates, and one weight scale unless scales = per_gate; g and the output in full "
                      "precision unless fully_mml."};
}

} // namespace unroll::nodes::grumml
