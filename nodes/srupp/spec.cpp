// SPDX-License-Identifier: GPL-3.0-or-later
#include "nodes/shared/attention_parts.h"
#include "nodes/shared/sru_parts.h"
#include "nodes/srupp/layers.h"

#include <algorithm>
#include <cmath>

namespace unroll::nodes::srupp {

/// Parts of U for each unit: 4 only where the skip term must be projected to another width.
template <class Scope>
static std::int64_t matrices(const Scope& scope)
{
    return scope.dimension("x") != widthOfDirections(scope) ? 4 : 3;
}

template <class Scope>
static bool attends(const Scope& scope)
{
    return scope.text("attention") != "none";
}

/// Products in -> p, p -> 2p where it attends, p -> k d; what attention takes, 2 a feature to weigh and add it and 3
/// backward; the recurrence; a norm as in the layer norm block. Floats kept besides: z with its keys and values side by
/// side.
static Cost layerCost(const CostScope& scope)
{
    const std::int64_t in = scope.dimension("x"), out = widthOfDirections(scope), k = matrices(scope),
                       p = scope.integer("projection_size");
    Cost total = sum(denseCost(in, p, false), denseCost(p, k * out, false));
    total += sruScanCost(out, k);
    if (attends(scope)) {
        total += denseCost(p, 2 * p, false);
        total += attentionCost(scope, {.keys = p,
                                       .values = p,
                                       .dropsWeights = scope.real("attn_dropout") > 0,
                                       .causal = scope.text("attention") == "causal"});
        total += elementCost(p, 2, 3, 2);
    }
    if (scope.boolean("attn_layer_norm"))
        total += elementCost(p, 8, 13, 1);
    if (scope.boolean("layer_norm"))
        total += elementCost(scope.boolean("normalize_after") ? out : in, 8, 13, 1);
    if (scope.real("transform_dropout") > 0)
        total += elementCost(p, 1, 1, 2);
    return total;
}

static Cost cost(const CostScope& scope)
{
    Cost total;
    for (std::int64_t layer = 0; layer < scope.integer("num_layers"); ++layer) {
        const Params own = layerParams(scope.params, layer);
        const auto inputs = layerInputs(scope.inputs, widthOfDirections(scope), layer);
        total += layerCost({own, inputs, scope.outputs, scope.steps});
    }
    return total;
}

static void inferHeads(InferScope& scope)
{
    const std::int64_t p = scope.integer("projection_size"), heads = scope.integer("num_heads");
    if (!attends(scope) || p % heads == 0)
        return;
    std::int64_t fitting = std::min(p, heads);
    while (p % fitting != 0)
        --fitting;
    scope.error("num_heads", "heads-do-not-divide",
                "num_heads must divide projection_size, " + std::to_string(p) + "; it is " + std::to_string(heads));
    scope.offerParam("Set num_heads to " + std::to_string(fitting), "num_heads", fitting);
}

static void inferAttentionNorm(InferScope& scope)
{
    if (scope.boolean("attn_layer_norm"))
        refuseNarrowNorm(scope, "projection_size", scope.integer("projection_size"), "attn_layer_norm",
                         "projection_size must be at least 3");
}

static std::int64_t attendingLayers(const InferScope& scope)
{
    if (!attends(scope))
        return 0;
    const std::int64_t layers = scope.integer("num_layers");
    std::int64_t count = 0;
    for (std::int64_t layer = 0; layer < layers; ++layer)
        count += isAttending(layer, layers, scope.integer("attention_every_n_layers"),
                             scope.integer("attention_last_n_layers"));
    return count;
}

/// Layers that remember what they attend to.
static std::int64_t remembering(const InferScope& scope)
{
    return scope.text("attention") == "causal" ? attendingLayers(scope) : 0;
}

/// Attention is asked for, of each n-th of fewer layers than n.
static void warnOfNoAttention(InferScope& scope)
{
    if (!attends(scope) || attendingLayers(scope) > 0)
        return;
    const std::int64_t every = scope.integer("attention_every_n_layers"), layers = scope.integer("num_layers");
    scope.warning("attention_every_n_layers", "nothing-attends",
                  "no layer attends: attention_every_n_layers, " + std::to_string(every) + ", is above num_layers, " +
                      std::to_string(layers));
    scope.offerParam("Set attention_every_n_layers to " + std::to_string(layers), "attention_every_n_layers", layers);
}

static void infer(InferScope& scope)
{
    const std::int64_t out = widthOfDirections(scope), p = scope.integer("projection_size");
    const std::int64_t memories = unroll::product({remembering(scope), memoryWidth(scope.integer("window"), p, p)});
    const std::int64_t width = unroll::sum({unroll::product({scope.integer("num_layers"), out}), memories});
    inferRecurrent(scope, out, memories > 0 ? countingState(width) : stateOf(width, 1),
                   memories > 0 ? "c, and keys and values of the preceding steps," : "c");
    inferSruNorm(scope, out);
    if (scope.integer("num_layers") > 1 && scope.boolean("layer_norm") && !scope.boolean("normalize_after"))
        refuseNarrowNorm(scope, "units", out, "layer_norm", "units must be at least 3");
    inferHeads(scope);
    inferAttentionNorm(scope);
    warnOfNoAttention(scope);
}

static WeightSpec glorot(const std::string& name, const WeightSize& out, const WeightSize& in, double scale = 1)
{
    const std::string formula = "√(6 / (" + in.symbol + " + " + out.symbol + "))";
    const double bound = std::sqrt(6 / static_cast<double>(unroll::sum({in.size, out.size})));
    return plainWeight(name, {out, in}, scaled(uniformValues(bound, formula), scale), "Glorot, Bengio 2010");
}

/// In each direction rows u0, forget gate, reset gate, and the skip term where it has its own.
static WeightSpec partsOfU(const WeightScope& scope, const WeightSize& p)
{
    const std::int64_t units = scope.integer("units"), k = matrices(scope);
    const std::int64_t directions = directionsOf(scope);
    const WeightSize rows{unroll::product({directions, k, units}), std::to_string(directions * k) + " units"};
    WeightSpec weight = glorot("linear3.weight", rows, p, std::sqrt(1 - scope.real("transform_dropout")));
    const InitialValues values = weight.parts.front().initial;
    weight.parts.clear();
    for (std::int64_t direction = 0; direction < directions; ++direction) {
        for (const char* part : {"u0", "forget gate", "reset gate"})
            weight.parts.push_back({part, units, values});
        if (k == 4)
            weight.parts.push_back({"skip", units, values});
    }
    return weight;
}

static std::vector<WeightSpec> layerWeights(const WeightScope& scope)
{
    const bool both = scope.boolean("bidirectional");
    const std::int64_t out = widthOfDirections(scope);
    const WeightSize in = inputSize(scope, matrices(scope) == 3), p{scope.integer("projection_size"), "p"},
                     gates{unroll::product({2, out}), both ? "4 units" : "2 units"};
    std::vector<WeightSpec> list = {glorot("linear1.weight", p, in)};
    if (attends(scope)) {
        list.push_back(glorot("linear2.weight", {unroll::product({2, p.size}), "2 p"}, p));
        list.push_back(plainWeight("alpha", {{1, "1"}}, zeroValues(), "sru 3.0"));
    }
    list.push_back(partsOfU(scope, p));
    list.push_back(
        plainWeight("weight_c", {gates}, uniformValues(scope.real("weight_c_init"), "weight_c_init"), "sru 3.0"));
    list.push_back(sruBias(scope, out, gates, "sru 3.0"));
    if (scope.boolean("attn_layer_norm"))
        list = followedBy(std::move(list), layerNormWeights("attn_layer_norm", p));
    if (scope.boolean("layer_norm"))
        list =
            followedBy(std::move(list), layerNormWeights("layer_norm", scope.boolean("normalize_after")
                                                                           ? WeightSize{out, both ? "2 units" : "units"}
                                                                           : in));
    return list;
}

/// Of several layers one after the other, "layers.0.linear1.weight"; only the first one's columns are features of x.
static std::vector<WeightSpec> weights(const WeightScope& scope)
{
    const std::int64_t layers = scope.integer("num_layers");
    std::vector<WeightSpec> list;
    for (std::int64_t layer = 0; layer < layers; ++layer) {
        const Params own = layerParams(scope.params, layer);
        const auto inputs = layerInputs(scope.inputs, widthOfDirections(scope), layer);
        for (WeightSpec& weight : layerWeights({own, inputs})) {
            if (layers > 1)
                weight.name = layerPrefix(layer) + weight.name;
            for (WeightSize& size : weight.shape)
                if (layer > 0)
                    size.port.clear();
            list.push_back(std::move(weight));
        }
    }
    return list;
}

static ParamSpec onlyAttending(ParamSpec param)
{
    return countsWith("attention", {"causal", "full"}, std::move(param));
}

static std::vector<ParamSpec> params()
{
    ParamSpec cellBound = inGroup("Initial values", realParam("weight_c_init", 1, 0, 20, "Initial bound of weight_c."));
    cellBound.computes = false;
    std::vector<ParamSpec> list = {
        integerParam("units", 128, 1, kWidest, "units", "Width of the state."),
        integerParam("projection_size", 32, 1, kWidest, "features",
                     "Attention width p; a quarter of units in the published models."),
        choiceParam("attention",
                    {{"causal", "Causal attention: each step attends to itself and the steps before it."},
                     {"full", "Each step attends to all steps of its sequence, later ones too; nothing is remembered."},
                     {"none", "No attention: only the two products, as in the layers between."}},
                    "Operation between the two products."),
        integerParam("num_layers", 1, 1, 64, "layers", "Number of stacked layers."),
        onlyAttending(
            integerParam("attention_every_n_layers", 1, 1, 64, "layers",
                         "Of several layers every n-th has attention; the others are as with attention none.")),
        onlyAttending(
            integerParam("attention_last_n_layers", 0, 0, 64, "layers",
                         "Of several layers only the last n have attention; 0: attention_every_n_layers decides.")),
        onlyAttending(integerParam("num_heads", 1, 1, kWidest, "heads",
                                   "Number of attention heads; each gets an equal part of p.")),
        countsWith("attention", {"causal"}, windowParam()),
        bidirectionalParam(),
        highwayBiasParam(-2),
        rescaleParam(),
        inGroup("Normalisation", flagParam("attn_layer_norm", true, "Layer norm of the input of the last product.")),
        inGroup("Normalisation",
                onlyAttending(flagParam("attn_normalize_after", true,
                                        "That norm after the attention, as published; else before it, of q only.")))};
    list = followedBy(std::move(list), sruNormParams());
    return followedBy(
        std::move(list),
        {highwayDropoutParam(),
         inGroup("Dropout", realParam("transform_dropout", 0, 0, 0.99, "Dropout of the input of the last product.")),
         inGroup("Dropout", onlyAttending(realParam("attn_dropout", 0, 0, 0.99, "Dropout of the attention weights."))),
         maskedOutputParam(false), std::move(cellBound)});
}

static std::string trainingPath(const Params& params, const std::map<std::string, Shape>&)
{
    const std::string scan = "The kernel sru_scan, all steps in one pass";
    if (std::get<std::string>(params.at("attention")) == "none")
        return scan + ".";
    return scan + (std::get<double>(params.at("attn_dropout")) > 0
                       ? "; explicit attention weights, so that dropout can act on them."
                       : "; before it, attention over all steps at once.");
}

static std::vector<SignalSpec> signalSpecs()
{
    std::vector<SignalSpec> list = sruSignals();
    list.push_back(attentionSignal("Attention weights, head by head; without attention, 1 on the step itself."));
    return list;
}

BlockSpec spec()
{
    return trainable(formedBy(
        {"rescale"},
        {.id = "srupp",
         .title = "SRU++",
         .summary = "SRU++: an SRU whose input projection contains low-rank causal attention.",
         .synonyms = {"simple recurrent unit", "attention", "sru plus plus", "srupp", "fast language model",
                      "bidirectional"},
         .category = Category::Recurrent,
         .inputs = recurrentInputs("c, then keys and values of the preceding steps; zeros when free."),
         .outputs = recurrentOutputs("h at every step.",
                                     "c after the last step, then keys and values for the next steps.", {"c"}),
         .params = params(),
         .signalSpecs = signalSpecs(),
         .dimensions = {{"input_size", "x"}},
         .pythonClass = "SRUpp",
         .recurrent = true,
         .trainingPath = trainingPath,
         .causal =
             [](const Params& params) { return !std::get<bool>(params.at("bidirectional")) && !looksAhead(params); },
         .infer = infer,
         .weights = weights,
         .cost = cost,
         .provenance = "Lei 2021, arXiv:2102.12459, in the form of the authors' branch 3.0.0-dev (c2d44e6); "
                       "memory: "
                       "Dai et al. 2019, arXiv:1901.02860."},
        [](const WeightScope& scope, const std::string&) {
            return matrices(scope) == 3 || scope.integer("num_layers") > 1;
        }));
}

} // namespace unroll::nodes::srupp
