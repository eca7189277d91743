// SPDX-License-Identifier: GPL-3.0-or-later
#include "nodes/shared/dense_rules.h"
#include "nodes/shared/recurrence_parts.h"
#include "nodes/shared/ternary_parts.h"

#include <cmath>

namespace unroll::nodes::lrumml {

/// B and C are two real layers each, whose complex output or input has a part from either; γ takes 2 more. Floats kept
/// besides h and y: what B gives, and in codes what the layers read; C's parts are summed to y. Workspace: the complex
/// gradient of h and a part of that of B x.
static Cost cost(const CostScope& scope)
{
    const std::int64_t in = scope.dimension("x"), states = scope.integer("state_size"), units = scope.integer("units");
    const bool bias = scope.boolean("use_bias"), fully = scope.boolean("fully_mml");
    const std::string& skip = scope.text("skip");
    Cost total = recurrenceCost(states, units, skip, 3);
    for (int part = 0; part < 2; ++part) {
        Cost read = layerCost(states, units, bias, fully);
        read.activationBytes -= kFloatBytes * static_cast<double>(units);
        total += sum(ternaryCost(in, states, bias), read);
    }
    if (skip == "full")
        total += layerCost(in, units, bias, fully);
    return sum(total, elementCost(states, 2, 4, 0));
}

static void infer(InferScope& scope)
{
    inferRecurrence(scope);
    warnOfOneFeature(scope, "B");
    if (scope.boolean("fully_mml"))
        warnOfOneNumber(scope, "state_size", "C");
}

/// A layer's gain (where it is ternary), matrix and bias; all of B's learn as the recurrence does.
static void addLayer(const WeightScope& scope, WeightSpec matrix, bool ternary, const WeightRule& rule,
                     std::vector<WeightSpec>& list)
{
    const std::size_t first = list.size();
    const std::string name = matrix.name;
    const WeightSize out = matrix.shape.front();
    if (ternary)
        list.push_back(gainWeight("gain_" + name, matrix.shape.back()));
    list.push_back(std::move(matrix));
    if (scope.boolean("use_bias"))
        list.push_back(plainWeight("bias_" + name, {out}, kerasBiasValues(scope)));
    for (std::size_t i = first; i < list.size(); ++i)
        list[i].rule = rule;
}

/// A matrix [out, in] that begins as `lru` unless weights_initializer names another way.
static WeightSpec matrixOf(const WeightScope& scope, const char* name, const WeightSize& out, const WeightSize& in,
                           InitialValues lru, const std::string& source = kRecurrenceSource)
{
    return plainWeight(name, {out, in}, kerasMatrixValues(scope, in.size, out.size, std::move(lru)),
                       kerasSource(scope, source));
}

static std::vector<WeightSpec> weights(const WeightScope& scope)
{
    const WeightSize in = inputSize(scope, scope.text("skip") == "vector"),
                     states{scope.integer("state_size"), "state_size"};
    const WeightSize units{scope.integer("units"), "units"};
    const bool fully = scope.boolean("fully_mml");
    std::vector<WeightSpec> list = recurrenceWeights(scope);
    for (const char* name : {"B_re", "B_im"})
        addLayer(scope, matrixOf(scope, name, states, in, intoState(in)), true, recurrenceRule(), list);
    for (const char* name : {"C_re", "C_im"})
        addLayer(scope, matrixOf(scope, name, units, states, outOfState(states)), fully, {}, list);
    if (scope.text("skip") == "vector")
        list.push_back(plainWeight("D", {units}, normalValues(1), kRecurrenceSource));
    if (scope.text("skip") == "full") {
        const double deviation = std::sqrt(2 / static_cast<double>(in.size + units.size));
        addLayer(scope,
                 matrixOf(scope, "D", units, in, normalValues(deviation, "√(2 / (in + units))"), "Glorot, Bengio 2010"),
                 fully, {}, list);
    }
    return list;
}

static std::vector<ChoiceSpec> layerInitializers()
{
    std::vector<ChoiceSpec> choices = matrixInitializers();
    choices.insert(choices.begin(),
                   {"lru", "Normal, as minimal-LRU: B with 1/√(2 in), C with 1/√state_size, D as glorot."});
    return withKerasInitializers(std::move(choices));
}

static std::vector<ParamSpec> params()
{
    return followedBy(
        followedBy(
            {integerParam("units", 128, 1, kWidest, "units", "Width of the output."),
             integerParam("state_size", 128, 1, kWidest, "modes", "Number of complex modes in the state."),
             flagParam("fully_mml", false, "C and D are ternary too; their norm then removes the scale of the state."),
             skipParam({fullSkip(), vectorSkip(), noSkip()}), gammaParam(),
             flagParam("use_bias", false, "Whether each layer has a learned bias."), ternaryGradientParam(),
             initializerParam("weights_initializer", layerInitializers(), "Initialisation of every matrix.")},
            kerasInitialNumbers()),
        kerasBiasInitializers("0.", "1."));
}

BlockSpec spec()
{
    return trainableDense(onLinearRecurrence(
        {.id = "lrumml",
         .title = "LRUMML",
         .summary = "LRU with ternary input weights: h_t = λ ∘ h_{t-1} + γ ∘ (B x_t), B in {-1, 0, 1}.",
         .synonyms = {"linear recurrent unit", "MatMul-free", "ternary", "BitLinear", "quantised", "1.58 bit",
                      "Keras-MML", "state space model", "complex"},
         .params = params(),
         .signalSpecs = {{"q", SignalKind::Signed, "Quantised input of B's real part: int8 codes, -127 to 127."}},
         .pythonClass = "LRUMML",
         .straightThrough = true,
         .infer = infer,
         .weights = weights,
         .cost = cost,
         .provenance =
             "Keras-MML's LRUMML (6c1ae06): the LRU of Orvieto et al. 2023, arXiv:2303.06349, with the ternary "
             "dense layer of Ma et al. 2024, arXiv:2402.17764, for B, and for C and D where fully_mml."}));
}

} // namespace unroll::nodes::lrumml
