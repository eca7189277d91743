// SPDX-License-Identifier: GPL-3.0-or-later
#include "nodes/shared/dense_rules.h"

namespace unroll::nodes::grumml {

/// A ternary dense layer: denseCost, and for an element of the input the norm 4 and the quantisation 6 forward, the
/// norm's 9 backward, the quantised and the normalised input kept. Quantising the weights is once a
/// pass, not once a token, and not counted.
static Cost ternaryCost(std::int64_t in, std::int64_t out, bool bias)
{
    return sum(denseCost(in, out, bias), elementCost(in, 10, 9, 2));
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

/// A layer's gain (where it is ternary), matrix and bias.
static void addLayer(const WeightScope& scope, const std::string& name, const WeightSize& in, const WeightSize& out,
                     bool ternary, std::vector<WeightSpec>& list)
{
    if (ternary)
        list.push_back(plainWeight("gain_" + name, {in}, constantValues(1)));
    const std::string& rule = scope.text("weights_initializer");
    list.push_back(
        plainWeight("weight_" + name, {out, in}, matrixValues(rule, in.size, out.size), initializerSource(rule)));
    if (scope.boolean("use_bias"))
        list.push_back(plainWeight("bias_" + name, {out}, constantValues(scope.text("bias_initializer") == "ones")));
}

/// Layers that are one product count as one matrix for the spread of its elements, as in Keras-MML.
static std::vector<WeightSpec> weights(const WeightScope& scope)
{
    const WeightSize in{scope.dimension("x"), "in"}, units{scope.integer("units"), "units"};
    const auto rows = [&](std::int64_t count) {
        return WeightSize{count * units.size, std::to_string(count) + " units"};
    };
    const bool fully = scope.boolean("fully_mml");
    std::vector<WeightSpec> list;
    addLayer(scope, fully ? "fcg" : "fc", in, rows(fully ? 3 : 2), true, list);
    if (!fully)
        addLayer(scope, "g", in, units, false, list);
    addLayer(scope, "o", units, units, fully, list);
    return list;
}

static ParamSpec biasInitializer()
{
    return initializerParam("bias_initializer",
                            {{"zeros", "0: gates begin half open."}, {"ones", "1: gates begin three quarters open."}},
                            "How every bias begins.");
}

static std::vector<ParamSpec> params()
{
    return {
        integerParam("units", 128, 1, kWidest, "units", "Width of the state and of the output."),
        flagParam("fully_mml", false, "Makes the gate g and the output ternary too; else they are full precision."),
        integerParam("num_heads", 1, 1, kWidest, "heads",
                     "Heads of the state. The recurrence is elementwise, so the numbers stay the same."),
        choiceParam("activation",
                    {{"silu", "a sigmoid(a), as published: about a where it is large, 0 where it is negative."},
                     {"tanh", "Between -1 and 1, so that the state is too."},
                     {"sigmoid", "Between 0 and 1: the state is never negative."},
                     {"relu", "max(a, 0)."},
                     {"identity", "a itself: the recurrence is linear in the candidate."}},
                    "What makes the candidate c of its sum a."),
        choiceParam("recurrent_activation",
                    {{"sigmoid", "1 / (1 + exp(-a)): never quite shut or open; the kernel has it."},
                     {"hard_sigmoid", "a / 6 + 1/2 between 0 and 1: shut and open exactly; step by step, so slower."}},
                    "What makes the gates f and g."),
        flagParam("use_bias", true, "Whether each layer adds a learned bias."),
        choiceParam("scales",
                    {{"shared", "One scale for all ternary gates, as in Keras-MML."},
                     {"per_gate", "A scale for each ternary gate, as in the paper."}},
                    "Scales of the ternary gates' weights."),
        choiceParam("gradient",
                    {{"straight_through", "As if the weight had not been rounded."},
                     {"keras", "As Keras-MML forms it, through the weight's scale as well."}},
                    "Gradient of the ternary weights."),
        initializerParam("weights_initializer", matrixInitializers(), "How every matrix begins."),
        biasInitializer()};
}

BlockSpec spec()
{
    return trainableDense(
        {.id = "grumml",
         .title = "GRUMML",
         .summary = "A gated recurrent unit with ternary weights: its gates need no multiplications, its recurrence no "
                    "matrix.",
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
         .weights = weights,
         .cost = cost,
         .provenance = "Zhu et al. 2024, arXiv:2406.02528 (MLGRU), in the form of Keras-MML's GRUMML: one norm shared "
                       "by the fused gates, and one weight scale unless scales = per_gate; g and the output in full "
                       "precision unless fully_mml."});
}

} // namespace unroll::nodes::grumml
