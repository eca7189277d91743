// SPDX-License-Identifier: GPL-3.0-or-later
#include "nodes/shared/delta_parts.h"

namespace unroll::nodes::rwkv7 {

constexpr const char* kSource = "Peng et al. 2025";

struct Sizes {
    std::int64_t width, size, heads, decay, rate, gate, value;
};

template <class Scope>
static Sizes sizesOf(const Scope& scope, std::int64_t width)
{
    const std::int64_t size = scope.integer("head_size");
    return {width,
            size,
            std::max<std::int64_t>(1, width / size),
            scope.integer("decay_rank"),
            scope.integer("rate_rank"),
            scope.integer("gate_rank"),
            scope.integer("value_rank")};
}

/// Whether v of the first layer comes by wire.
template <class Scope>
static bool mixesValues(const Scope& scope)
{
    return scope.inputs.contains("v_first");
}

/// Dense layers: receptance, key, value and output; the two of w, a and g each; the recurrence with b of its own.
/// Elements: the shift and its six mixtures 13; w 5, a 2, g 1, kappa 5, k 3, b and z 2, the norm 8, the bonus 5, the
/// gate 1; backward about twice that. Floats kept besides the products: mixtures, and what each of these takes. Mixing
/// with the first layer's v: two dense layers more, and bias, sigmoid, difference, product and sum 5.
static Cost cost(const CostScope& scope)
{
    const Sizes s = sizesOf(scope, scope.dimension("x"));
    Cost total = sum(denseCost(s.width, 3 * s.width, false), denseCost(s.width, s.width, false));
    for (const std::int64_t rank : {s.decay, s.rate, s.gate})
        total += sum(denseCost(s.width, rank, false), denseCost(rank, s.width, false));
    total += deltaCost(s.width, s.width, s.size, true);
    total += elementCost(s.width, 45, 80, 21, 6);
    if (mixesValues(scope)) {
        total += sum(denseCost(s.width, s.value, false), denseCost(s.value, s.width, false));
        total += elementCost(s.width, 5, 10, 4, 1);
    }
    return sum(total, elementCost(unroll::sum({s.decay, s.gate}), 1, 2, 1));
}

/// Heads are normed one by one. The size that is offered is the nearest below, else the smallest.
static void inferSize(InferScope& scope, std::int64_t width)
{
    const std::int64_t size = scope.integer("head_size"), least = fewestNormed(NormKind::Layer);
    const auto serves = [&](std::int64_t n) { return n >= least && width % n == 0; };
    if (serves(size))
        return;
    if (width % size != 0)
        scope.error("head_size", "heads-do-not-divide",
                    "head_size must divide the width of x, " + std::to_string(width) + "; it is " +
                        std::to_string(size));
    else
        scope.error("head_size", "head-too-small",
                    "head_size must be " + std::to_string(least) + " or more, for " + whyTooFew(NormKind::Layer) +
                        "; it is " + std::to_string(size));
    std::int64_t fitting = std::min(width, size);
    while (fitting > 0 && !serves(fitting))
        --fitting;
    for (fitting = std::max(fitting, least); fitting < width && !serves(fitting);)
        ++fitting;
    if (serves(fitting))
        scope.offerParam("Set head_size to " + std::to_string(fitting), "head_size", fitting);
}

/// A later layer that is to mix v of the first into its own and does not get it.
static void warnOfValues(InferScope& scope)
{
    if (!scope.boolean("value_residual") || scope.integer("layer") == 0 || scope.input("v_first") != nullptr)
        return;
    scope.warning("v_first", "values-unmixed",
                  "v_first is unwired in layer " + std::to_string(scope.integer("layer")) +
                      ", so that value_residual mixes nothing into its values: wire v of layer 0 to v_first");
    scope.offerParam("Set value_residual to false", "value_residual", false);
}

/// v of the first layer, which is as wide as x.
static void inferValues(InferScope& scope, std::int64_t width)
{
    if (scope.boolean("value_residual"))
        scope.output("v", sequenceOf(width));
    const Shape* first = scope.input("v_first");
    if (first == nullptr || first->width == width)
        return;
    scope.error("v_first", "width-mismatch",
                "v_first has width " + std::to_string(first->width) + "; it must be as wide as x, " +
                    std::to_string(width));
    scope.offerWidth("v_first", width);
}

static void infer(InferScope& scope)
{
    const Shape* x = scope.input("x");
    if (x == nullptr)
        return;
    inferValues(scope, x->width);
    warnOfValues(scope);
    const Sizes s = sizesOf(scope, x->width);
    const std::int64_t numbers = unroll::product({x->width, std::min(s.size, x->width)}); // of all heads
    inferRecurrent(scope, x->width, stateOf(unroll::sum({numbers, x->width}), 1), "S of every head and the last input");
    inferSize(scope, x->width);
    if (scope.integer("layer") >= scope.integer("layers")) {
        scope.error("layer", "layer-out-of-range",
                    "layer counts from 0 and must be smaller than layers, " + std::to_string(scope.integer("layers")) +
                        "; it is " + std::to_string(scope.integer("layer")));
        scope.offerParam("Set layer to " + std::to_string(scope.integer("layers") - 1), "layer",
                         scope.integer("layers") - 1);
    }
}

/// Neither decayed nor, but for the decay's bias, learned faster.
static WeightSpec vector(const char* name, std::vector<WeightSize> shape, InitialValues values, double speed = 1)
{
    WeightSpec weight = undecayed(plainWeight(name, std::move(shape), std::move(values), kSource));
    weight.rule.learningRateScale = speed;
    return weight;
}

static void addMixtures(std::vector<WeightSpec>& list, const WeightSize& width)
{
    const std::pair<const char*, const char*> powers[] = {{"x_r", "0.2"}, {"x_w", "0.9"}, {"x_k", "0.7"},
                                                          {"x_v", "0.7"}, {"x_a", "0.9"}, {"x_g", "0.2"}};
    for (const auto& [name, power] : powers)
        list.push_back(vector(name, {{1, "1"}, {1, "1"}, width},
                              computedValues(0, 1, std::string("1 - (i / in)^(") + power + " (1 - layer / layers))")));
}

/// first [in, rank] begins at 0, second [rank, in] orthogonal.
static void addLowRank(std::vector<WeightSpec>& list, const std::string& name, const WeightSize& in,
                       const WeightSize& rank)
{
    const WeightSize width{in.size, "in"};
    const double ratio = static_cast<double>(rank.size) / static_cast<double>(std::max<std::int64_t>(1, width.size));
    list.push_back(vector((name + "1").c_str(), {in, rank}, zeroValues()));
    list.push_back(
        vector((name + "2").c_str(), {rank, width}, scaled(orthogonalValues(), 0.1 * std::sqrt(std::max(1.0, ratio)))));
}

static std::vector<WeightSpec> weights(const WeightScope& scope)
{
    const Sizes s = sizesOf(scope, scope.dimension("x"));
    const WeightSize in = portSize(scope, "x", "in"), width{s.width, "in"}, one{1, "1"};
    const double root = std::sqrt(static_cast<double>(std::max<std::int64_t>(1, s.width)));
    std::vector<WeightSpec> list;
    addMixtures(list, in);
    addLowRank(list, "w", in, {s.decay, "decay_rank"});
    list.push_back(vector("w0", {one, one, width},
                          computedValues(-8, 3,
                                         "-5.5 + 6 (i / (in - 1))^(1 + l^0.3) ± 2.5 in each head, l = layer / "
                                         "(layers - 1)"),
                          2));
    addLowRank(list, "a", in, {s.rate, "rate_rank"});
    list.push_back(vector("a0", {one, one, width}, computedValues(-0.69, 0.31, "-0.19 ± 0.3 in each head ± 0.2")));
    if (mixesValues(scope)) {
        addLowRank(list, "v", in, {s.value, "value_rank"});
        list.push_back(vector("v0", {one, one, width}, computedValues(0.52, 0.94, "0.93 down to 0.53")));
    }
    addLowRank(list, "g", in, {s.gate, "gate_rank"});
    list.push_back(vector("k_k", {one, one, width}, computedValues(0.65, 0.77, "0.76 down to 0.66")));
    list.push_back(vector("k_a", {one, one, width}, constantValues(1.02)));
    list.push_back(vector("r_k", {{s.heads, "heads"}, {s.size, "n"}}, constantValues(-0.04)));
    const auto matrix = [&](const char* name, InitialValues values, const WeightSize& from) {
        list.push_back(plainWeight(name, {width, from}, std::move(values), kSource));
    };
    matrix("receptance.weight", uniformValues(0.5 / root, "½ / √in"), in);
    matrix("key.weight", uniformValues(0.05 / root, "0.05 / √in"), in);
    matrix("value.weight", uniformValues(0.5 / root, "½ / √in"), in);
    matrix("output.weight", zeroValues(), width);
    const double share =
        (static_cast<double>(scope.integer("layer")) + 1) / static_cast<double>(scope.integer("layers"));
    list.push_back(vector("ln_x.weight", {width}, constantValues(std::pow(share, 0.7), "((layer + 1) / layers)^0.7")));
    list.push_back(vector("ln_x.bias", {width}, zeroValues()));
    return list;
}

static std::vector<ParamSpec> params()
{
    return {
        integerParam("head_size", 16, 1, kWidest, "numbers",
                     "Features of a head, n, which must divide the width of x; its state has n² numbers."),
        integerParam("decay_rank", 32, 1, kWidest, "numbers", "Width between the two matrices of the decay w."),
        integerParam("rate_rank", 32, 1, kWidest, "numbers",
                     "Width between the two matrices of the in-context learning rate a."),
        integerParam("gate_rank", 64, 1, kWidest, "numbers", "Width between the two matrices of the output gate g."),
        flagParam("value_residual", false,
                  "v of the first layer goes by wire (v to v_first) to later layers, which mix it into theirs."),
        countsWith("value_residual", {"true"},
                   integerParam("value_rank", 32, 1, kWidest, "numbers",
                                "Width between the two matrices that say how much of v_first is mixed into v.")),
        trainingParam(
            "Initial values",
            integerParam(
                "layer", 0, 0, 10000, "",
                "Number of this layer in the model, from 0: later layers start with other decays and mixtures.")),
        trainingParam("Initial values", integerParam("layers", 1, 1, 10000, "layers", "Layers of the model."))};
}

static BlockSpec withValues(BlockSpec spec)
{
    const auto handedOn = [](PortSpec port) { return withChoice("value_residual", {"true"}, std::move(port)); };
    PortSpec first = sequencePort("v of the first layer; unwired in that layer itself.", "v_first");
    first.optional = true;
    spec.inputs.push_back(handedOn(std::move(first)));
    spec.outputs.push_back(
        handedOn(sequencePort("Values at every step; those of the first layer are what later layers take.", "v")));
    spec.dimensions.push_back({"v_first_size", "v_first"});
    return spec;
}

BlockSpec spec()
{
    return trainable(withValues(
        {.id = "rwkv7",
         .title = "RWKV-7",
         .summary =
             "Time mixing of RWKV-7: a matrix state with a decay for each key, S_t = (diag(w_t) - (a_t ∘ κ_t) κ_tᵀ) "
             "S_{t-1} + k_t v_tᵀ, and token shift.",
         .synonyms = {"goose", "rwkv", "time mixing", "token shift", "generalized delta rule", "linear attention",
                      "matrix state"},
         .category = Category::Recurrent,
         .inputs = recurrentInputs("S before the first step, then the input before it; zeros when unwired."),
         .outputs = recurrentOutputs("What is read at every step, normed, gated, projected; as wide as x.",
                                     "S after the last step, then the last input.", {"S"}),
         .params = params(),
         .signalSpecs =
             {outerStateSignal(),
              keepingGate("w", "Decay: share of each key's row of S that is kept."),
              {"a", SignalKind::Gate, "In-context learning rate: share of what is found under κ that is removed."},
              {"kappa", SignalKind::Signed, "Key κ of length 1 whose value is removed."},
              {"r", SignalKind::Signed, "Receptance: the query."},
              {"k", SignalKind::Signed, "Key under which the value is stored."},
              {"v", SignalKind::Signed, "Values, mixed with those of the first layer where these are wired."},
              {"g", SignalKind::Signed, "Output gate."}},
         .dimensions = {{"input_size", "x"}},
         .pythonClass = "RWKV7",
         .recurrent = true,
         .trainingPath = deltaPath,
         .infer = infer,
         .weights = weights,
         .cost = cost,
         .provenance =
             "Peng et al. 2025, arXiv:2503.14456. Weights, their names and initial values of RWKV-LM (RWKV-v7, "
             "RWKV_Tmix_x070), of its first layer and of later ones."}));
}

} // namespace unroll::nodes::rwkv7
