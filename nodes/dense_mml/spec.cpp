// SPDX-License-Identifier: GPL-3.0-or-later
#include "nodes/shared/dense_rules.h"
#include "nodes/shared/ternary_parts.h"

namespace unroll::nodes::dense_mml {

static std::vector<WeightSpec> weights(const WeightScope& scope)
{
    const WeightSize in = portSize(scope, "x", "in"), units{scope.integer("units"), "units", "y"};
    std::vector<WeightSpec> list = {
        gainWeight("gain", in),
        plainWeight("weight", {units, in}, kerasMatrixValues(scope, in.size, units.size), kerasSource(scope))};
    if (scope.boolean("use_bias"))
        list.push_back(plainWeight("bias", {units}, kerasBiasValues(scope)));
    return list;
}

static void infer(InferScope& scope)
{
    scope.output("y", sequenceOf(scope.integer("units")));
    warnOfOneFeature(scope, "the layer");
}

/// See ternaryCost.
static Cost cost(const CostScope& scope)
{
    return ternaryCost(scope.dimension("x"), scope.integer("units"), scope.boolean("use_bias"));
}

static std::vector<ParamSpec> params()
{
    return followedBy(followedBy({integerParam("units", 128, 1, kWidest, "units", "Features of the output."),
                                  flagParam("use_bias", true, "Whether a learned full-precision bias is added."),
                                  ternaryGradientParam(),
                                  initializerParam("weights_initializer", withKerasInitializers(matrixInitializers()),
                                                   "Initialisation of the weight, before rounding.")},
                                 kerasInitialNumbers()),
                      kerasBiasInitializers("0, as Keras has it.", "1."));
}

BlockSpec spec()
{
    return trainableDense(
        {.id = "dense_mml",
         .title = "Ternary dense",
         .summary =
             "Linear layer with ternary weights {-1, 0, 1} and int8 activations (BitLinear); multiplication-free.",
         .synonyms = {"DenseMML", "BitLinear", "BitNet", "MatMul-free", "quantised", "1.58 bit", "Keras-MML", "linear"},
         .category = Category::Layer,
         .inputs = {sequenceOrVector("The sequence to transform.", "x")},
         .outputs = {sequenceOrVector("The rounded x times the ternary weight, plus the bias.", "y")},
         .params = params(),
         .signalSpecs = {{"y", SignalKind::Signed, "The output."},
                         {"q", SignalKind::Signed, "The quantised input: int8 codes, -127 to 127."}},
         .dimensions = {{"input_size", "x"}},
         .pythonClass = "DenseMML",
         .straightThrough = true,
         .infer = infer,
         .weights = weights,
         .cost = cost,
         .provenance =
             "BitNet b1.58's BitLinear: Ma et al. 2024, arXiv:2402.17764, for recurrent networks in Zhu et al. 2024, "
             "arXiv:2406.02528; in Keras-MML DenseMML. Epsilon 1e-8 in the norm, rounding half to even, the bias in "
             "full precision."});
}

} // namespace unroll::nodes::dense_mml
