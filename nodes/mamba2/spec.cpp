// SPDX-License-Identifier: GPL-3.0-or-later
#include "nodes/shared/outer_parts.h"
#include "nodes/shared/state_space_parts.h"

namespace unroll::nodes::mamba2 {

constexpr const char* kSource = "Dao, Gu 2024";
constexpr double kSmallestStep = 1e-4; // that an initial one is raised to

/// What the width of x comes to.
struct Sizes {
    std::int64_t in, inner, states, values, heads, kernel;
    std::int64_t read() const { return unroll::sum({inner, 2 * states}); } ///< that the convolution reads: x, B and C
};

template <class Scope>
static Sizes sizesOf(const Scope& scope, std::int64_t in)
{
    const std::int64_t inner = product({scope.integer("expand"), in}), values = scope.integer("head_size");
    return {in,
            inner,
            scope.integer("state_size"),
            values,
            std::max<std::int64_t>(1, inner / values),
            scope.integer("kernel_size")};
}

static std::int64_t projected(const Sizes& s)
{
    return unroll::sum({s.inner, s.read(), s.heads});
}

/// The two dense layers and the recurrence. What the convolution reads forward: 2 k and silu 1, backward twice that; an
/// inner feature: Δ x 1, D x 2, silu(z) and gate 2, norm 4, and backward 16; a head: softplus, Δ A and its exponential
/// 4, and backward 8. Floats kept: the convolution's taps and it; of inner features Δ x, y, silu(z), y z, the norm;
/// workspace: the gradients of inner features, and of B and C of every head.
static Cost cost(const CostScope& scope)
{
    const Sizes s = sizesOf(scope, scope.dimension("x"));
    const bool bias = scope.boolean("use_bias");
    const auto taps = static_cast<double>(s.kernel);
    const std::int64_t keys = product({s.heads, s.states});
    Cost total = sum(denseCost(s.in, projected(s), bias), denseCost(s.inner, s.in, bias));
    total += outerCost(keys, s.values);
    total += elementCost(s.read(), 2 * taps + 1, 4 * taps + 2, 5);
    Cost elements = elementCost(s.inner, 9, 16, 6, 4);
    elements += elementCost(keys, 0, 2, 0, 2);
    elements += elementCost(s.heads, 4, 8, 4);
    return sum(total, elements);
}

static void inferHeadSize(InferScope& scope, std::int64_t inner)
{
    const std::int64_t size = scope.integer("head_size");
    if (inner % size == 0)
        return;
    std::int64_t fitting = std::min(inner, size);
    while (inner % fitting != 0)
        --fitting;
    scope.error("head_size", "heads-do-not-divide",
                "head_size must divide expand times the width of x, " + std::to_string(inner) + "; it is " +
                    std::to_string(size));
    scope.offerParam("Set head_size to " + std::to_string(fitting), "head_size", fitting);
}

/// Of the gated RMS norm of all inner features.
static void inferNormed(InferScope& scope, std::int64_t inner)
{
    const std::int64_t least = fewestNormed(NormKind::Rms);
    if (inner >= least)
        return;
    scope.error("expand", "too-few-to-norm",
                "expand times the width of x must be " + std::to_string(least) + " or more, for " +
                    whyTooFew(NormKind::Rms) + "; it is " + std::to_string(inner));
    scope.offerParam("Set expand to " + std::to_string(least), "expand", least);
}

static void infer(InferScope& scope)
{
    inferSteps(scope);
    const Shape* x = scope.input("x");
    if (x == nullptr)
        return;
    const Sizes s = sizesOf(scope, x->width);
    const std::int64_t state = product({s.heads, s.states, s.values}), past = product({s.kernel - 1, s.read()});
    inferRecurrent(scope, x->width, stateOf(unroll::sum({state, past}), 1),
                   "S of every head and the last inputs of the convolution");
    inferHeadSize(scope, s.inner);
    inferNormed(scope, s.inner);
}

static InitialValues stepBias(const WeightScope& scope)
{
    const auto before = [](double step) {
        const double raised = std::max(step, kSmallestStep);
        return raised + std::log(-std::expm1(-raised));
    };
    return computedValues(before(scope.real("dt_min")), before(scope.real("dt_max")),
                          "softplus⁻¹(Δ), ln Δ uniform from ln dt_min to ln dt_max");
}

static WeightSpec withoutDecay(WeightSpec weight)
{
    weight.rule.decay = false;
    return weight;
}

static void addLayer(std::vector<WeightSpec>& list, const std::string& name, const WeightSize& out,
                     const WeightSize& in, bool bias, double scale = 1)
{
    list.push_back(plainWeight(name + ".weight", {out, in}, scaled(inverseRootValues(in), scale), "torch.nn.Linear"));
    if (bias)
        list.push_back(plainWeight(name + ".bias", {out}, inverseRootValues(in), "torch.nn.Linear"));
}

static std::vector<WeightSpec> weights(const WeightScope& scope)
{
    const Sizes s = sizesOf(scope, scope.dimension("x"));
    const bool bias = scope.boolean("use_bias");
    const WeightSize in = portSize(scope, "x", "in"), inner{s.inner, "expand in"}, heads{s.heads, "heads"},
                     read{s.read(), "expand in + 2 state_size"}, kernel{s.kernel, "kernel_size"};
    std::vector<WeightSpec> list;
    addLayer(list, "in_proj", {projected(s), "2 expand in + 2 state_size + heads"}, in, bias);
    list.push_back(
        plainWeight("conv1d.weight", {read, {1, "1"}, kernel}, inverseRootValues(kernel), "torch.nn.Conv1d"));
    if (scope.boolean("conv_bias"))
        list.push_back(plainWeight("conv1d.bias", {read}, inverseRootValues(kernel), "torch.nn.Conv1d"));
    list.push_back(withoutDecay(plainWeight("dt_bias", {heads}, stepBias(scope), kSource)));
    list.push_back(withoutDecay(plainWeight("A_log", {heads}, logUniformValues(1, 16, 1), kSource)));
    list.push_back(withoutDecay(plainWeight("D", {heads}, constantValues(1), kSource)));
    list.push_back(plainWeight("norm.weight", {inner}, constantValues(1), kSource));
    addLayer(list, "out_proj", {in.size, "in", "y"}, inner, bias,
             1 / std::sqrt(static_cast<double>(scope.integer("depth"))));
    return list;
}

static std::vector<ParamSpec> params()
{
    ParamSpec depth = trainingParam(
        "Initial values",
        integerParam("depth", 1, 1, 10000, "layers",
                     "Mamba-2 layers in the model: out_proj is initialised smaller by √depth, as in the authors' "
                     "models."));
    return followedBy({integerParam("state_size", 64, 1, 4096, "numbers", "Rows of each head's state, N (d_state)."),
                       integerParam("expand", 2, 1, 64, "", "Inner features for each feature of x."),
                       integerParam("head_size", 32, 1, kWidest, "numbers",
                                    "Inner features of each head, P (headdim), which are the columns of its state."),
                       integerParam("kernel_size", 4, 2, 64, "steps", "Steps that the convolution reads (d_conv)."),
                       flagParam("use_bias", false, "Whether in_proj and out_proj have learned biases."),
                       flagParam("conv_bias", true, "Whether the convolution has a learned bias."), std::move(depth)},
                      stepParams("at most about 1 / step"));
}

BlockSpec spec()
{
    return trainable(
        {.id = "mamba2",
         .title = "Mamba-2",
         .summary = "Selective state space model with a scalar decay for each head (SSD): S_t = a_t S_{t-1} + "
                    "Δ_t B_t x_tᵀ, with its short convolution, gate and norm.",
         .synonyms = {"ssd", "state space duality", "selective state space", "state space model", "ssm", "mamba"},
         .category = Category::Recurrent,
         .inputs = recurrentInputs("S before the first step, then the convolution's inputs before it, oldest first; "
                                   "zeros when unwired."),
         .outputs = recurrentOutputs("The gated output at every step, as wide as x.",
                                     "S after the last step, then the last inputs of the convolution.", {"S"}),
         .params = params(),
         .signalSpecs = {keysByValues(
                             "The state after each step, head by head: state_size rows (keys), head_size columns."),
                         keepingGate("a", "Decay exp(Δ A): share of each head's state kept."),
                         {"delta", SignalKind::Signed, "Step Δ of each head; near 0 the input is ignored."},
                         {"B", SignalKind::Signed, "The key that the input is stored under, the same for all heads."},
                         {"C", SignalKind::Signed, "The query by which the states are read, the same for all heads."},
                         {"z", SignalKind::Signed, "Output gate silu(z): factor of each inner feature."}},
         .dimensions = {{"input_size", "x"}},
         .pythonClass = "Mamba2",
         .recurrent = true,
         .trainingPath = outerPath,
         .infer = infer,
         .weights = weights,
         .cost = cost,
         .provenance = "Dao, Gu 2024, arXiv:2405.21060. Weights, their names, initial values and the order within "
                       "in_proj of mamba_ssm 2 (mamba2.py) with ngroups = 1."});
}

} // namespace unroll::nodes::mamba2
