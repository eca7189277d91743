// SPDX-License-Identifier: GPL-3.0-or-later
#include "nodes/shared/activation_parts.h"
#include "nodes/shared/dense_rules.h"
#include "nodes/shared/ternary_parts.h"

namespace unroll::nodes::glu {

/// Both layers, the activation 1 and the product 1 an inner element; backward both factors 2 and the derivative 2.
/// Floats kept besides the layers' outputs: the gate and the product.
static Cost cost(const CostScope& scope)
{
    const std::int64_t inner = scope.integer("inner");
    const bool bias = scope.boolean("use_bias"), ternary = scope.boolean("ternary");
    Cost total = layerCost(scope.dimension("x"), unroll::product({2, inner}), bias, ternary);
    total += layerCost(inner, scope.integer("units"), bias, ternary);
    return sum(total, elementCost(inner, 2, 4, 2, 2));
}

static void infer(InferScope& scope)
{
    scope.output("y", sequenceOf(scope.integer("units")));
    if (!scope.boolean("ternary"))
        return;
    warnOfOneFeature(scope, "the layer");
    if (scope.integer("inner") == 1)
        scope.warning("inner", "one-feature",
                      "RMS norm of one number keeps only its sign, which is all the output layer will see");
}

static void addLayer(const WeightScope& scope, const std::string& name, const WeightSize& in, const WeightSize& out,
                     std::vector<WeightSpec>& list)
{
    if (scope.boolean("ternary"))
        list.push_back(gainWeight("gain_" + name, in));
    list.push_back(
        plainWeight("weight_" + name, {out, in}, kerasMatrixValues(scope, in.size, out.size), kerasSource(scope)));
    if (scope.boolean("use_bias"))
        list.push_back(plainWeight("bias_" + name, {out}, kerasBiasValues(scope)));
}

static std::vector<WeightSpec> weights(const WeightScope& scope)
{
    const WeightSize in = portSize(scope, "x", "in"), inner{scope.integer("inner"), "inner"};
    std::vector<WeightSpec> list;
    addLayer(scope, "up", in, {unroll::product({2, inner.size}), "2 inner"}, list);
    addLayer(scope, "down", inner, {scope.integer("units"), "units", "y"}, list);
    return list;
}

static std::vector<ParamSpec> params()
{
    std::vector<ParamSpec> list = {
        integerParam("units", 128, 1, kWidest, "units", "Features of the output."),
        integerParam("inner", 256, 1, kWidest, "units", "Width between the two layers."),
        functionParam("activation",
                      elementFunctions({{"silu", "SwiGLU: a sigmoid(a)."},
                                        {"gelu", "GEGLU: a Phi(a), exact."},
                                        {"sigmoid", "GLU, as first published: range 0 to 1."},
                                        {"relu", "ReGLU: max(a, 0)."},
                                        {"selu", "SeGLU: a scaled elu."},
                                        {"identity", "Bilinear: the product alone makes it non-linear."}}),
                      "Activation of the gate, given its sum a"),
        flagParam("ternary", true, "Whether both layers are ternary (see Ternary dense); otherwise full precision."),
        flagParam("use_bias", true, "Whether each layer has a learned bias."),
        countsWhere("ternary", true, ternaryGradientParam()),
        initializerParam("weights_initializer", withKerasInitializers(matrixInitializers()),
                         "Initialisation of both matrices, before rounding.")};
    list = followedBy(std::move(list), kerasInitialNumbers());
    return followedBy(std::move(list), kerasBiasInitializers("0, as Keras has it.", "1."));
}

BlockSpec spec()
{
    return trainableDense(formedBy(
        {"ternary"},
        {.id = "glu",
         .title = "Gated linear unit",
         .summary = "Feed-forward layer with a gate: y = W_d (f(W_g x) ∘ W_u x); ternary weights or full precision.",
         .synonyms = {"GLU", "SwiGLU", "GEGLU", "ReGLU", "SeGLU", "bilinear", "GLUMML", "feed-forward", "MLP", "FFN",
                      "ternary", "MatMul-free", "Keras-MML"},
         .category = Category::Layer,
         .inputs = {sequenceOrVector("The sequence to transform.", "x")},
         .outputs = {sequenceOrVector("The gated product, projected.", "y")},
         .params = params(),
         .signalSpecs = {{"g", SignalKind::Signed, "The gate: the activation of its sum."},
                         {"p", SignalKind::Signed, "The gate times the values: what the output layer reads."},
                         {"y", SignalKind::Signed, "The output."}},
         .dimensions = {{"input_size", "x"}},
         .pythonClass = "GLU",
         .straightThrough = true,
         .infer = infer,
         .weights = weights,
         .cost = cost,
         .provenance = "Dauphin et al. 2017, arXiv:1612.08083; its variants: Shazeer 2020, arXiv:2002.05202; with "
                       "ternary layers as Keras-MML's GLUMML (6c1ae06), after HGRNBitMLP of Zhu et al. 2024, "
                       "arXiv:2406.02528: gate and values are one ternary layer with one norm and one scale."}));
}

} // namespace unroll::nodes::glu
