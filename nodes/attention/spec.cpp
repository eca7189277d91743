// SPDX-License-Identifier: GPL-3.0-or-later
#include "nodes/attention/form.h"
#include "nodes/shared/attention_parts.h"
#include "nodes/shared/weight_parts.h"

#include <algorithm>
#include <cmath>

namespace unroll::nodes::attention {

/// Of relative positions: another product of 2 keys a step that is seen, two sums an element of q, one a weight.
/// Floats kept besides: both sums, and of each head the scores by distance and by key. The distances' own product is
/// once a pass.
static Cost distanceCost(const CostScope& scope, std::int64_t keys)
{
    const double steps = static_cast<double>(std::max<std::int64_t>(scope.steps, 1));
    const double window = static_cast<double>(scope.integer("window")), seen = meanSeen(steps, window);
    Cost products = elementCost(keys, 2 * seen, 4 * seen, 0);
    products.forwardElements = products.backwardElements = 0;
    products += elementCost(keys, 2, 2, 2);
    return sum(products, elementCost(scope.integer("num_heads"), seen, seen, std::min(steps, window) + steps));
}

/// The two projections (denseCost), and looking back. RoPE turns q and k: 3 an element each way; a learned position is
/// one sum. Floats kept of the projections: q, k and v, y, and turned q and k where the kernel does not turn them on
/// its way.
static Cost cost(const CostScope& scope)
{
    const std::int64_t width = scope.dimension("x");
    const bool bias = scope.boolean("bias");
    const auto [keys, values] = sizesOf(scope, width);
    const bool inOne = keys == values && inOneKernel(scope, scope.real("dropout") > 0);
    Cost total;
    if (scope.boolean("projections"))
        total = sum(denseCost(width, unroll::sum({keys, keys, values}), bias), denseCost(values, width, bias));
    total += attentionCost(scope, {keys, values, scope.real("dropout") > 0});
    if (turns(scope))
        total += elementCost(unroll::product({2, keys}), 3, 3, inOne ? 0 : 1);
    if (scope.text("positions") == "learned")
        total += elementCost(width, 1, 1, 1);
    return scope.text("positions") == "relative" ? sum(total, distanceCost(scope, keys)) : total;
}

/// RoPE turns pairs of features, so a head needs an even number of them.
static bool fits(const HeadSizes& sizes, std::int64_t heads, bool rope)
{
    return sizes.keys % heads == 0 && sizes.values % heads == 0 && (!rope || (sizes.keys / heads) % 2 == 0);
}

/// The most heads, at most `wanted`, that fit; 0: none do.
static std::int64_t fittingHeads(const HeadSizes& sizes, std::int64_t wanted, bool rope)
{
    for (std::int64_t heads = std::min({sizes.keys, sizes.values, wanted}); heads > 0; --heads)
        if (fits(sizes, heads, rope))
            return heads;
    return 0;
}

static void offerHeads(InferScope& scope, std::int64_t heads)
{
    scope.offerParam("Set num_heads to " + std::to_string(heads), "num_heads", heads);
}

/// What the heads do not divide: "the width of x, 12", or a size that was set or is a part of x.
static std::string undivided(const InferScope& scope, const HeadSizes& sizes, std::int64_t heads)
{
    const bool ofKeys = sizes.keys % heads != 0;
    const std::string param = ofKeys ? "key_size" : "value_size";
    const bool own = scope.integer(param) > 0 || !scope.boolean("projections");
    return (own ? param : "the width of x") + ", " + std::to_string(ofKeys ? sizes.keys : sizes.values);
}

static void inferHeads(InferScope& scope, const HeadSizes& sizes)
{
    const std::int64_t heads = scope.integer("num_heads");
    const bool rope = turns(scope);
    const std::int64_t better = fittingHeads(sizes, heads, rope);
    if (!fits(sizes, heads, false)) {
        scope.error("num_heads", "heads-do-not-divide",
                    "num_heads must divide " + undivided(scope, sizes, heads) + "; it is " + std::to_string(heads));
        offerHeads(scope, better > 0 ? better : fittingHeads(sizes, heads, false));
    } else if (!fits(sizes, heads, rope)) {
        scope.error("positions", "odd-head",
                    "RoPE rotates pairs of features, so a head needs an even number of them; " +
                        std::to_string(sizes.keys) + " by " + std::to_string(heads) + " heads is " +
                        std::to_string(sizes.keys / heads));
        if (better > 0)
            offerHeads(scope, better);
        else
            scope.offerParam("Use no positions", "positions", std::string("none"));
    }
}

/// By xPos queries and keys grow and shrink with their place in a pass: beyond these factors fp32 ends.
static void inferScale(InferScope& scope)
{
    if (scope.text("positions") != "xpos")
        return;
    const double most = static_cast<double>(std::max(scope.integer("window"), scope.sequence().steps));
    const double least = std::ceil(most / kMostXposScales);
    if (scope.real("xpos_scale") >= least)
        return;
    scope.error("xpos_scale", "xpos-overflows",
                "with xPos over " + std::to_string(static_cast<std::int64_t>(most)) +
                    " steps xpos_scale must be at least " + std::to_string(static_cast<std::int64_t>(least)) +
                    ": queries and keys would leave the range of fp32");
    scope.offerParam("Set xpos_scale to " + std::to_string(static_cast<std::int64_t>(least)), "xpos_scale", least);
}

/// Sines and cosines of a distance come in pairs.
static void inferPairs(InferScope& scope, std::int64_t width)
{
    if (scope.text("positions") != "relative" || width % 2 == 0)
        return;
    scope.error("positions", "odd-width",
                "relative positions are sines and cosines in pairs, so the width of x must be even; it is " +
                    std::to_string(width));
    scope.offerParam("Use no positions", "positions", std::string("none"));
}

/// Learned positions end where their table ends.
static void inferLength(InferScope& scope)
{
    if (scope.text("positions") != "learned")
        return;
    const std::int64_t rows = scope.integer("max_positions");
    const auto [steps, carried] = scope.sequence();
    if (carried) {
        scope.error("positions", "positions-run-out",
                    "learned positions are limited, but here each batch continues the previous one; use RoPE, or read "
                    "the data in windows");
        scope.offerParam("Use RoPE", "positions", std::string("rope"));
    } else if (steps > rows) {
        scope.error("max_positions", "positions-run-out",
                    "the data has sequences of " + std::to_string(steps) + " steps; max_positions is " +
                        std::to_string(rows));
        if (static_cast<double>(steps) <= kMostSteps)
            scope.offerParam("Set max_positions to " + std::to_string(steps), "max_positions", steps);
        else
            scope.offerParam("Use RoPE", "positions", std::string("rope"));
    }
}

/// Whether x can be what the heads read.
static bool inferParts(InferScope& scope, const HeadSizes& sizes, std::int64_t width)
{
    if (scope.boolean("projections") || (sizes.keys > 0 && sizes.values > 0 && sizes.together() == width))
        return true;
    const bool set = scope.integer("key_size") > 0 || scope.integer("value_size") > 0;
    scope.error("projections", "not-queries-keys-values",
                "without projections x holds queries, keys and values side by side, " +
                    std::string(set ? "2 key_size + value_size features" : "three equal parts") + "; its width is " +
                    std::to_string(width));
    scope.offerParam("Turn projections on", "projections", true);
    return false;
}

static void infer(InferScope& scope)
{
    inferLength(scope);
    inferScale(scope);
    const Shape* x = scope.input("x");
    if (x == nullptr)
        return;
    const HeadSizes sizes = sizesOf(scope, x->width);
    if (!inferParts(scope, sizes, x->width))
        return;
    inferRecurrent(scope, scope.boolean("projections") ? x->width : sizes.values,
                   countingState(memoryWidth(scope.integer("window"), sizes.keys, sizes.values)),
                   "keys and values of the preceding steps");
    inferHeads(scope, sizes);
    inferPairs(scope, x->width);
}

static std::vector<WeightSpec> weights(const WeightScope& scope)
{
    const WeightSize width{scope.dimension("x"), "width"};
    const WeightSize read = scope.boolean("projections") ? portSize(scope, "x", "width") : width; // else heads are cut
    const HeadSizes sizes = sizesOf(scope, width.size);
    const WeightSize keys{sizes.keys, scope.integer("key_size") > 0 ? "key_size" : "width"};
    const WeightSize ofValue{sizes.values, scope.integer("value_size") > 0 ? "value_size" : "width"};
    const bool alike = keys.symbol == ofValue.symbol;
    const WeightSize all{unroll::sum({keys.size, keys.size, ofValue.size}),
                         alike ? "3 width" : "2 " + keys.symbol + " + " + ofValue.symbol};
    const std::string& rule = scope.text("weights_initializer");
    const std::string source = initializerSource(rule);
    const double depth = static_cast<double>(scope.integer("depth"));
    const InitialValues projects = matrixValues(rule, width.size, keys.size);
    std::vector<WeightSpec> list;
    if (scope.text("positions") == "learned")
        list.push_back(plainWeight("position.weight", {{scope.integer("max_positions"), "max_positions"}, read},
                                   normalValues(0.02), "Radford et al. 2019"));
    if (scope.boolean("projections")) {
        WeightSpec in{.name = "in_proj_weight", .shape = {all, read}, .parts = {}, .source = source};
        in.parts = {{"query", keys.size, projects},
                    {"key", keys.size, projects},
                    {"value", ofValue.size, matrixValues(rule, width.size, ofValue.size)}};
        list.push_back(std::move(in));
        list.push_back(plainWeight("out_proj.weight", {width, ofValue},
                                   scaled(matrixValues(rule, ofValue.size, width.size), 1 / std::sqrt(2 * depth)),
                                   source));
    }
    if (scope.text("positions") == "relative") {
        list.push_back(plainWeight("relative.weight", {keys, width}, projects, source));
        for (const char* name : {"content_bias", "position_bias"})
            list.push_back(plainWeight(name, {keys}, normalValues(0.02), "Dai et al. 2019"));
    }
    if (scope.boolean("projections") && scope.boolean("bias")) {
        list.push_back(plainWeight("in_proj_bias", {all}, zeroValues()));
        list.push_back(plainWeight("out_proj.bias", {width}, zeroValues()));
    }
    return list;
}

static std::vector<ChoiceSpec> initializers()
{
    std::vector<ChoiceSpec> choices = matrixInitializers();
    std::rotate(choices.begin(), choices.end() - 1, choices.end()); // GPT-2's first
    return choices;
}

static std::vector<ParamSpec> params()
{
    ParamSpec depth =
        inGroup("Initial values",
                integerParam("depth", 1, 1, 10000, "layers",
                             "Attention layers in the model: out_proj is initialised smaller by √(2 depth)."));
    depth.computes = false;
    depth = countsWhere("projections", true, std::move(depth));
    return {
        integerParam("num_heads", 4, 1, kWidest, "heads",
                     "Number of attention heads; each gets an equal part of the features."),
        integerParam(
            "key_size", 0, 0, kWidest, "key features",
            "Features of queries and keys, all heads together; 0: the width of x, without projections a third."),
        integerParam(
            "value_size", 0, 0, kWidest, "value features",
            "Features of the values, all heads together; 0: the width of x, without projections what is left."),
        flagParam("projections", true,
                  "Whether x is projected to queries, keys and values, and the heads' output to y; otherwise x holds "
                  "them side by side, and y is what the heads give."),
        choiceParam(
            "positions",
            {{"rope", "Rotary position embedding (RoPE): queries and keys are rotated by angles proportional to "
                      "their position."},
             {"xpos", "XPos: RoPE, and products shrink with the distance of query and key, those of fast pairs most."},
             {"learned", "A learned vector per position is added to x; sequences are at most max_positions long."},
             {"relative",
              "Transformer-XL: scores also depend on sines and cosines of the distance, by learned weights."},
             {"none", "No positions (order-blind)."}},
            "Position encoding."),
        windowParam(),
        countsWith("positions", {"learned"},
                   integerParam("max_positions", 256, 2, kMostSteps, "steps",
                                "Rows of the table of learned positions; the other encodings have no limit.")),
        countsWith("positions", {"rope", "xpos"},
                   realParam("rope_base", 10000, 2, 1e9,
                             "RoPE: the slowest pair rotates by about one radian in this many steps.")),
        countsWith(
            "positions", {"xpos"},
            realParam("xpos_scale", 512, 1, 1e6,
                      "XPos: the product of the fastest pair shrinks to 2/7 over a distance of this many steps.")),
        countsWhere("projections", true, flagParam("bias", true, "Whether both projections have a learned bias.")),
        realParam("dropout", 0, 0, 0.99,
                  "Probability that an attention weight, or an element of the output, is zeroed in training."),
        countsWhere("projections", true,
                    countsWith("positions", {"relative"},
                               initializerParam("weights_initializer", initializers(),
                                                "Initialisation of the projections; biases start at 0."))),
        std::move(depth)};
}

BlockSpec spec()
{
    return trainable(
        {.id = "attention",
         .title = "Attention",
         .summary =
             "Causal multi-head self-attention: y_t = W_out Σ_j softmax_j(q_t·k_j / √n) v_j over the steps j ≤ t.",
         .synonyms = {"transformer", "self-attention", "multi-head", "gpt", "rope", "sliding window", "kv cache",
                      "transformer-xl", "relative positions", "xpos", "terraformer"},
         .category = Category::Attention,
         .inputs = recurrentInputs("Keys and values of the preceding steps; none when unwired."),
         .outputs = recurrentOutputs("Weighted sum of the values, projected.",
                                     "Keys and values of the last steps (the KV cache).", {"keys and values"}),
         .params = params(),
         .signalSpecs = {attentionSignal("Attention weights, head by head.")},
         .dimensions = {{"input_size", "x"}},
         .pythonClass = "Attention",
         .recurrent = true,
         .trainingPath =
             [](const Params& params, const auto&) {
                 return std::string(
                     std::get<std::string>(params.at("positions")) == "relative"
                         ? "All steps at once, the scores by distance gathered beside those by content."
                     : std::get<double>(params.at("dropout")) > 0
                         ? "Explicit attention weights, all steps at once, so that dropout can act on them."
                         : "All steps at once: on the CPU the kernel causal_attention, elsewhere and with a "
                           "mask torch's scaled_dot_product_attention.");
             },
         .longest = [](const Params& params) -> std::optional<std::int64_t> {
             if (std::get<std::string>(params.at("positions")) != "learned")
                 return std::nullopt;
             return std::get<std::int64_t>(params.at("max_positions"));
         },
         .infer = infer,
         .weights = weights,
         .cost = cost,
         .provenance =
             "Vaswani et al. 2017, arXiv:1706.03762, in GPT-2's form (nanoGPT 3adf61e); RoPE: Su et al. 2021, "
             "arXiv:2104.09864, pairs (i, i + n/2); xPos: Sun et al. 2022, arXiv:2212.10554; memory and relative "
             "positions: Dai et al. 2019, arXiv:1901.02860; "
             "weights named as in "
             "torch.nn.MultiheadAttention."});
}

} // namespace unroll::nodes::attention
