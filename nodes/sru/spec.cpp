// SPDX-License-Identifier: GPL-3.0-or-later
#include "nodes/shared/sru_parts.h"
#include "nodes/sru/form.h"

#include <cmath>

namespace unroll::nodes::sru {

template <class Scope>
static std::int64_t matrices(const Scope& scope)
{
    return partsOf(scope, scope.dimension("x"), widthOfDirections(scope));
}

/// 0: not factorised.
template <class Scope>
static std::int64_t rankOf(const Scope& scope)
{
    return scope.boolean("projections") ? scope.integer("projection_size") : 0;
}

/// Products: in -> k d, or in -> p -> k d with a projection; none where x is U.
static Cost cost(const CostScope& scope)
{
    const std::int64_t in = scope.dimension("x"), out = widthOfDirections(scope), k = matrices(scope),
                       p = rankOf(scope);
    Cost total;
    if (scope.boolean("projections"))
        total = p > 0 ? sum(denseCost(in, p, false), denseCost(p, k * out, false)) : denseCost(in, k * out, false);
    total += sruScanCost(out, k);
    if (scope.boolean("layer_norm"))
        total += elementCost(scope.boolean("normalize_after") ? out : in, 8, 13, 1); // as in the layer norm block
    return total;
}

/// Factors of the bound sqrt(3 / fan in) of each part of the weight: less where a part is scaled up later or meets
/// normalised input.
struct PartScales {
    explicit PartScales(const WeightScope& scope)
    {
        const double common = std::sqrt(1 - scope.real("rnn_dropout")) * (scope.boolean("layer_norm") ? 0.1 : 1.0);
        candidate = common * std::sqrt(1 - scope.real("dropout"));
        gates = common * (scope.boolean("v1") ? 1.0 : std::sqrt(0.5));
        skip = common * (scope.boolean("rescale") ? std::sqrt(1 + 2 * std::exp(scope.real("highway_bias"))) : 1.0);
    }
    double candidate, gates, skip;
};

/// In each direction u0, the gates' parts, and u3 where the input passes through a matrix too.
static WeightSpec productWeight(const WeightScope& scope, const WeightSize& columns)
{
    const std::int64_t units = scope.integer("units"), k = matrices(scope), rows = k * widthOfDirections(scope);
    const InitialValues whole =
        uniformValues(std::sqrt(3 / static_cast<double>(columns.size)), "√(3 / " + columns.symbol + ")");
    const PartScales scales(scope);
    WeightSpec weight{.name = "weight",
                      .shape = {{rows, std::to_string(rows / units) + " units"}, columns},
                      .parts = {},
                      .source = "sru 2.6"};
    for (std::int64_t direction = 0; direction < directionsOf(scope); ++direction) {
        weight.parts.push_back({"u0", units, scaled(whole, scales.candidate)});
        for (const char* gate : {"forget gate", "reset gate"})
            weight.parts.push_back({gate, units, scaled(whole, scales.gates)});
        if (k == 4)
            weight.parts.push_back({"skip", units, scaled(whole, scales.skip)});
    }
    return weight;
}

static InitialValues cellWeightValues(const WeightScope& scope)
{
    if (scope.boolean("v1"))
        return zeroValues();
    const double bound = scope.real("weight_c_init");
    return bound > 0 ? uniformValues(bound, "weight_c_init") : uniformValues(std::sqrt(1.5), "√(3/2)");
}

static ParamSpec cellWeightBound()
{
    ParamSpec param = inGroup(
        "Initial values",
        countsWhere("v1", false, realParam("weight_c_init", 0, 0, 20, "Initial bound of weight_c; 0: √(3/2).")));
    param.computes = false;
    return param;
}

static std::vector<WeightSpec> weights(const WeightScope& scope)
{
    const std::int64_t out = widthOfDirections(scope), p = rankOf(scope);
    const std::string source = "sru 2.6", outSymbol = scope.boolean("bidirectional") ? "2 units" : "units";
    const WeightSize in = inputSize(scope, scope.boolean("has_skip_term") && matrices(scope) == 3),
                     factor{p, "projection_size"};
    const WeightSize gates{2 * out, scope.boolean("bidirectional") ? "4 units" : "2 units"};
    std::vector<WeightSpec> list;
    if (scope.boolean("projections"))
        list.push_back(productWeight(scope, p > 0 ? factor : in));
    if (p > 0)
        list.push_back(plainWeight("weight_proj", {factor, in},
                                   uniformValues(std::sqrt(3 / static_cast<double>(in.size)), "√(3 / in)"), source));
    list.push_back(plainWeight("weight_c", {gates}, cellWeightValues(scope), source));
    list.back().trained = !scope.boolean("v1");
    list.push_back(sruBias(scope, out, gates, source));
    if (!scope.boolean("layer_norm"))
        return list;
    const WeightSize normed = scope.boolean("normalize_after") ? WeightSize{out, outSymbol} : in;
    return followedBy(std::move(list), layerNormWeights("layer_norm", normed));
}

static void inferProjection(InferScope& scope, std::int64_t in, std::int64_t out)
{
    const std::int64_t p = rankOf(scope);
    if (p == 0 || (p < in && p < out))
        return;
    scope.error("projection_size", "projection-too-wide",
                "projection_size = " + std::to_string(p) + " must be smaller than the input (" + std::to_string(in) +
                    ") and the output (" + std::to_string(out) + "), or 0 for none");
    scope.offerParam("No projection", "projection_size", std::int64_t{0});
}

/// Whether x, of `width`, can be U.
static void inferParts(InferScope& scope, std::int64_t width, std::int64_t out)
{
    const std::int64_t k = partsOf(scope, width, out), directions = directionsOf(scope);
    if (width == k * out)
        return;
    const std::string parts = std::to_string(k) + (k == 4 ? " parts, the last of them the skip term," : " parts");
    scope.error("projections", "not-parts-of-u",
                "without projections x holds U: " + parts + " of units features" +
                    (directions == 2 ? " for each of two directions" : "") + ", " + std::to_string(k * out) +
                    "; its width is " + std::to_string(width));
    if (width % (k * directions) == 0)
        scope.offerParam("Set units to " + std::to_string(width / (k * directions)), "units", width / (k * directions));
    else
        scope.offerParam("Turn projections on", "projections", true);
}

/// Where x is U the norm of what is multiplied stands before the block that makes U.
static void inferNorm(InferScope& scope, std::int64_t out)
{
    if (scope.boolean("projections") || !scope.boolean("layer_norm") || scope.boolean("normalize_after"))
        return inferSruNorm(scope, out);
    scope.error("layer_norm", "norm-of-no-product",
                "without projections there is no product whose input layer_norm could normalise; put a Layer norm "
                "before the block that makes U, or set normalize_after");
    scope.offerParam("Normalise the output", "normalize_after", true);
}

static void infer(InferScope& scope)
{
    const std::int64_t out = widthOfDirections(scope);
    inferRecurrent(scope, out, stateOf(out, 1), "c");
    inferNorm(scope, out);
    const Shape* x = scope.input("x");
    if (x == nullptr)
        return;
    if (scope.boolean("projections"))
        inferProjection(scope, x->width, out);
    else
        inferParts(scope, x->width, out);
}

/// With a matrix of its own for the skip term `rescale` is in that matrix' first values alone.
static bool changesMeaning(const WeightScope& scope, const std::string& param)
{
    return param != "rescale" || matrices(scope) == 3;
}

static std::vector<ParamSpec> params()
{
    std::vector<ParamSpec> params = {
        integerParam("units", 128, 1, kWidest, "units", "Width of the state, per direction."),
        bidirectionalParam(),
        flagParam("has_skip_term", true, "Whether the highway passes the input where the reset gate is closed."),
        highwayBiasParam(0),
        countsWhere("has_skip_term", true, rescaleParam()),
        choiceParam("activation",
                    {{"identity", "c, as in the published form."}, {"tanh", "tanh(c): the output is bounded."}},
                    "Activation of the cell at the output."),
        flagParam("v1", false, "First version: the gates do not read the cell (weight_c = 0, not trained)."),
        flagParam("projections", true,
                  "Whether U is made of x by a matrix product; otherwise x is U, part by part, as another block makes "
                  "it."),
        countsWhere("projections", true,
                    integerParam("projection_size", 0, 0, kWidest, "numbers",
                                 "Rank of a factorised weight; 0: not factorised."))};
    return followedBy(
        followedBy(std::move(params), sruNormParams()),
        {highwayDropoutParam(),
         inGroup("Dropout",
                 countsWhere("projections", true,
                             realParam("rnn_dropout", 0, 0, 0.99,
                                       "Dropout of the input of the matrix product; one mask for all steps."))),
         cellWeightBound()});
}

BlockSpec spec()
{
    return trainable(formedBy(
        {"v1", "rescale"},
        {.id = "sru",
         .title = "SRU",
         .summary = "Simple recurrent unit: c_t = f ∘ c_{t-1} + (1 - f) ∘ u_t; all matrix products precede the "
                    "elementwise recurrence.",
         .synonyms = {"simple recurrent unit", "fast recurrent network", "highway", "bidirectional"},
         .category = Category::Recurrent,
         .inputs = recurrentInputs("c before the first step; zeros when unwired."),
         .outputs = recurrentOutputs("h at every step.", "c after the last step of each direction.", {"c"}),
         .params = params(),
         .signalSpecs = sruSignals(),
         .dimensions = {{"input_size", "x"}},
         .pythonClass = "SRU",
         .recurrent = true,
         .trainingPath = [](const Params&,
                            const auto&) { return std::string("The kernel sru_scan, all steps in one pass."); },
         .causal = [](const Params& params) { return !std::get<bool>(params.at("bidirectional")); },
         .infer = infer,
         .weights = weights,
         .cost = cost,
         .provenance =
             "Lei et al. 2018, arXiv:1709.02755, in the form of the sru package 2.6: both gates read the cell before "
             "the step. Initial values of 2.6. Its weight has the same values in another order, see the help."},
        changesMeaning));
}

} // namespace unroll::nodes::sru
