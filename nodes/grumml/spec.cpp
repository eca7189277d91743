// SPDX-License-Identifier: GPL-3.0-or-later
#include "nodes/grumml/layers.h"
#include "nodes/shared/activation_parts.h"
#include "nodes/shared/dense_rules.h"
#include "nodes/shared/ternary_parts.h"

#include <cmath>

namespace unroll::nodes::grumml {

/// The layers, then an element of the scan: f 1, c 2, g 1, h 4, u 1 forward; activations again 4, u 3, h 5, their
/// derivatives 11 backward. Floats kept besides the layers' outputs: h and u; workspace: the gradients of f, c and g.
/// In mmfreelm's form the norm of g 4, silu(h) 2 and the bound 2 come on top, 9, 5 and 3 backward; g normed and silu(h)
/// are kept too, and where there is a bound f with it and its parts; the gradient of u is workspace beside the others.
static Cost cost(const CostScope& scope)
{
    const std::int64_t in = scope.dimension("x"), units = scope.integer("units");
    const std::string& variant = scope.text("variant");
    const bool bias = scope.boolean("use_bias"), fully = scope.boolean("fully_mml");
    Cost total = layerCost(units, units, bias, ternaryOutput(variant, fully));
    for (const GateLayer& layer : gateLayers(variant, fully))
        total += layerCost(in, layer.gates * units, bias, layer.ternary);
    if (variant == "mmfreelm")
        total += elementCost(units, 8, 17, scope.integer("layer") > 0 ? 5 : 2, 4);
    return sum(total, elementCost(units, 9, 23, 2, 3));
}

/// Whether mmfreelm's table of lower bounds is this layer's own weight.
static bool ownsTable(const WeightScope& scope)
{
    const bool needed = scope.integer("layer") > 0 || scope.boolean("share_table");
    return scope.text("variant") == "mmfreelm" && needed && !scope.inputs.contains("table");
}

/// mmfreelm's place among the layers, and the table that a wire brings.
static void inferPlace(InferScope& scope)
{
    const std::int64_t layer = scope.integer("layer"), layers = scope.integer("layers");
    if (scope.text("variant") != "mmfreelm")
        return;
    const Shape table = tableOf(layers, scope.integer("units"));
    if (isOtherTable(scope, "table", table))
        scope.offerRemoval("table");
    if (scope.boolean("share_table"))
        scope.output("table", table);
    if (layer < layers)
        return;
    scope.error("layer", "layer-beyond-layers",
                "layer = " + std::to_string(layer) +
                    " counts from 0, so it must be below layers = " + std::to_string(layers));
    scope.offerParam("Set layers to " + std::to_string(layer + 1), "layers", layer + 1);
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
    inferPlace(scope);
    warnOfOneFeature(scope, "the ternary gates");
    if (ternaryOutput(scope.text("variant"), scope.boolean("fully_mml")))
        warnOfOneNumber(scope, "units", "the ternary output layer");
}

/// The fused kernel has sigmoid gates without a lower bound.
static std::string trainingPath(const Params& params, const std::map<std::string, Shape>&)
{
    const bool bounded =
        std::get<std::string>(params.at("variant")) == "mmfreelm" && std::get<std::int64_t>(params.at("layer")) > 0;
    return std::get<std::string>(params.at("recurrent_activation")) == "sigmoid" && !bounded
               ? "The kernel gated_scan, all steps in one pass."
               : "The kernel diag_scan over precomputed gates, all steps in one pass.";
}

static InitialValues layerValues(const WeightScope& scope, const WeightSize& in, const WeightSize& out)
{
    if (scope.text("weights_initializer") == "mmfreelm")
        return scaled(matrixValues("glorot_uniform", in.size, out.size), std::exp2(-2.5));
    return kerasMatrixValues(scope, in.size, out.size);
}

/// A layer's gain (where it is ternary), matrix and bias.
static void addLayer(const WeightScope& scope, const std::string& name, const WeightSize& in, const WeightSize& out,
                     bool ternary, std::vector<WeightSpec>& list)
{
    if (ternary)
        list.push_back(gainWeight("gain_" + name, in));
    list.push_back(plainWeight("weight_" + name, {out, in}, layerValues(scope, in, out),
                               kerasSource(scope, "mmfreelm, after Glorot, Bengio 2010")));
    if (scope.boolean("use_bias"))
        list.push_back(plainWeight("bias_" + name, {out}, kerasBiasValues(scope)));
}

/// Layers that are one product count as one matrix for the spread of its elements, as in Keras-MML.
static std::vector<WeightSpec> weights(const WeightScope& scope)
{
    const WeightSize in = portSize(scope, "x", "in"), units{scope.integer("units"), "units"};
    const auto rows = [&](std::int64_t count) {
        return count == 1 ? units : WeightSize{count * units.size, std::to_string(count) + " units"};
    };
    const std::string& variant = scope.text("variant");
    const bool fully = scope.boolean("fully_mml");
    std::vector<WeightSpec> list;
    for (const GateLayer& layer : gateLayers(variant, fully))
        addLayer(scope, layer.name, in, rows(layer.gates), layer.ternary, list);
    addLayer(scope, "o", units, units, ternaryOutput(variant, fully), list);
    if (variant == "mmfreelm")
        list.push_back(gainWeight("gate_norm", units));
    if (ownsTable(scope))
        list.push_back(plainWeight("lower_bound", {{scope.integer("layers"), "layers"}, units}, zeroValues()));
    return list;
}

static std::vector<ChoiceSpec> layerInitializers()
{
    std::vector<ChoiceSpec> choices = matrixInitializers();
    choices.push_back({"mmfreelm", "2^-2.5 times glorot_uniform, as in mmfreelm."});
    return withKerasInitializers(std::move(choices));
}

static ParamSpec variantParam()
{
    return choiceParam("variant",
                       {{"keras", "Form of Keras-MML: the ternary gates share one norm; see fully_mml and scales."},
                        {"paper", "MLGRU as published: each gate and the output is a separate ternary layer."},
                        {"mmfreelm", "The authors' code: f has a lower bound, g a norm, h a swish; all ternary."}},
                       "Variant of the cell; weights of one are not valid for another.");
}

static BlockSpec withTable(BlockSpec spec)
{
    const auto shared = [](PortSpec port) { return withChoice("share_table", {"true"}, std::move(port)); };
    spec.inputs.push_back(shared({"table", PortType::Table,
                                  "The lower-bound table of another layer; unwired in the layer that owns it.", true}));
    spec.outputs.push_back(shared({"table", PortType::Table, "Table of lower bounds, for other layers."}));
    spec.dimensions.push_back({"table_width", "table"});
    return spec;
}

/// Those that speak of mmfreelm's lower bound.
static std::vector<ParamSpec> placeParams()
{
    const auto placed = [](ParamSpec param) { return countsWith("variant", {"mmfreelm"}, std::move(param)); };
    return {
        placed(integerParam("layer", 0, 0, 4095, "", "mmfreelm: index of the layer, from 0; sets f's lower bound.")),
        placed(integerParam("layers", 24, 1, 4096, "layers", "mmfreelm: number of such layers in the model.")),
        placed(
            flagParam("share_table", false, "mmfreelm: one table of lower bounds for all layers, passed on by wire."))};
}

static std::vector<ParamSpec> params()
{
    std::vector<ParamSpec> list = {
        integerParam("units", 128, 1, kWidest, "units", "Width of the state and of the output."),
        variantParam(),
        countsWith("variant", {"keras"},
                   flagParam("fully_mml", false, "keras: g and the output are ternary too; otherwise full precision.")),
        integerParam("num_heads", 1, 1, kWidest, "heads",
                     "Heads of the state; the recurrence is elementwise, so the result does not depend on it."),
        functionParam(
            "activation",
            elementFunctions({{"silu", "a sigmoid(a), as published: about a where large, about 0 where very negative."},
                              {"tanh", "Range -1 to 1, so the state is bounded too."},
                              {"sigmoid", "Range 0 to 1: the state is never negative."},
                              {"relu", "max(a, 0)."},
                              {"identity", "a: the recurrence is linear in the candidate."}}),
            "Activation of the candidate c, given its pre-activation a"),
        choiceParam("recurrent_activation",
                    gateFunctions("1 / (1 + exp(-a)): never fully closed or open; has a fused kernel.",
                                  "a / 6 + 1/2 clipped to 0..1: can close and open fully; slightly slower."),
                    "Activation of the gates f and g (mmfreelm: of f only)."),
        flagParam("use_bias", true, "Whether each layer has a learned bias; mmfreelm has none."),
        countsWith("variant", {"keras"},
                   choiceParam("scales",
                               {{"shared", "One scale for all ternary gates, as in Keras-MML."},
                                {"per_gate", "One scale per ternary gate, as in the other variants."}},
                               "keras: scales of the ternary gates' weights.")),
        ternaryGradientParam()};
    for (ParamSpec& param : placeParams())
        list.push_back(std::move(param));
    list.push_back(initializerParam("weights_initializer", layerInitializers(), "Initialisation of every matrix."));
    list = followedBy(std::move(list), kerasInitialNumbers());
    return followedBy(std::move(list),
                      kerasBiasInitializers("0: gates start half open.", "1: gates start three quarters open."));
}

BlockSpec spec()
{
    return trainableDense(
        formedBy(
            {"variant", "scales"},
            withTable(
                {.id = "grumml",
                 .title = "GRUMML",
                 .summary = "MatMul-free GRU (MLGRU): ternary gate weights and an elementwise recurrence h_t = f ∘ "
                            "h_{t-1} + (1 - f) ∘ c.",
                 .synonyms = {"MatMul-free", "MLGRU", "ternary", "BitLinear", "quantised", "1.58 bit", "Keras-MML",
                              "AttentionMML"},
                 .category = Category::Recurrent,
                 .inputs = recurrentInputs("h before the first step; zeros when unwired."),
                 .outputs = recurrentOutputs("(g h) W + b at every step.", "h after the last step.", {"h"}),
                 .params = params(),
                 .signalSpecs = {{"h", SignalKind::Signed, "The state after each step."},
                                 keepingGate("f", "Forget gate: share of the state kept."),
                                 {"c", SignalKind::Signed, "Candidate: the new value."},
                                 {"g", SignalKind::Gate, "Output gate g; in mmfreelm σ(h)."},
                                 {"q", SignalKind::Signed,
                                  "Quantised input of the forget gate: int8 codes, -127 to 127."}},
                 .dimensions = {{"input_size", "x"}},
                 .pythonClass = "GRUMML",
                 .recurrent = true,
                 .straightThrough = true,
                 .trainingPath = trainingPath,
                 .infer = infer,
                 .weights = weights,
                 .cost = cost,
                 .provenance =
                     "Zhu et al. 2024, arXiv:2406.02528 (MLGRU): as Keras-MML's GRUMML has it (6c1ae06), as published, "
                     "or "
                     "as mmfreelm's HGRNBitAttention computes it (a016f72); ternary layer after Ma et al. 2024, "
                     "arXiv:2402.17764."})),
        {"lower_bound"});
}

} // namespace unroll::nodes::grumml
