// SPDX-License-Identifier: GPL-3.0-or-later
#include "nodes/shared/state_space_parts.h"

namespace unroll::nodes::mamba {

constexpr const char* kSource = "Gu, Dao 2023";
constexpr double kSmallestStep = 1e-4; // that an initial one is raised to

/// What the width of x comes to.
struct Sizes {
    std::int64_t in, inner, states, kernel, rank;
};

template <class Scope>
static Sizes sizesOf(const Scope& scope, std::int64_t in)
{
    const std::int64_t rank = scope.integer("dt_rank");
    return {in, product({scope.integer("expand"), in}), scope.integer("state_size"), scope.integer("kernel_size"),
            rank > 0 ? rank : (in + 15) / 16};
}

/// Four dense layers, and C h, of 2 N an inner feature. A state forward: Δ A, a and its exponential 2, Δ u B 1, the
/// scan 2; backward the scan 3, and 2 each of Δ and A, 2 each of Δ u and B, 1 of the exponential. An inner feature
/// forward: the convolution 2 k, silu twice 2, softplus 1, Δ u 1, D u 2, y z 1; backward the convolution 4 k, the
/// others 14. Floats kept: a and h, and of inner features the convolution's inputs, it, u, Δ before and after softplus,
/// Δ u, y, silu(z), y z; workspace: what enters, or the gradients of h, of a and of what enters.
static Cost cost(const CostScope& scope)
{
    const Sizes s = sizesOf(scope, scope.dimension("x"));
    const bool bias = scope.boolean("use_bias");
    const auto taps = static_cast<double>(s.kernel);
    Cost total = denseCost(s.in, 2 * s.inner, bias);
    total += denseCost(s.inner, s.rank + 2 * s.states, false);
    total += denseCost(s.rank, s.inner, true);
    total += denseCost(s.inner, s.in, bias);
    const double reading = 2.0 * static_cast<double>(s.inner) * static_cast<double>(s.states);
    total.forwardFlops += reading;
    total.backwardFlops += 2 * reading;
    Cost elements = elementCost(product({s.inner, s.states}), 5, 12, 2, 3);
    elements += elementCost(s.inner, 2 * taps + 7, 4 * taps + 14, 8);
    elements += gatheredCost(scope, s.inner, s.kernel);
    elements.workspaceBytes += kFloatBytes * 4 * static_cast<double>(s.inner);
    return sum(total, elements);
}

static void infer(InferScope& scope)
{
    inferSteps(scope);
    const Shape* x = scope.input("x");
    if (x == nullptr)
        return;
    const Sizes s = sizesOf(scope, x->width);
    inferRecurrent(scope, x->width, stateOf(product({s.inner, unroll::sum({s.states, s.kernel - 1})}), 1),
                   "h and the last inputs of the convolution");
}

/// As torch.nn.Linear begins.
static void addLayer(std::vector<WeightSpec>& list, const std::string& name, const WeightSize& out,
                     const WeightSize& in, bool bias, double scale = 1)
{
    list.push_back(plainWeight(name + ".weight", {out, in}, scaled(inverseRootValues(in), scale), "torch.nn.Linear"));
    if (bias)
        list.push_back(plainWeight(name + ".bias", {out}, inverseRootValues(in), "torch.nn.Linear"));
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

static std::vector<WeightSpec> weights(const WeightScope& scope)
{
    const Sizes s = sizesOf(scope, scope.dimension("x"));
    const bool bias = scope.boolean("use_bias");
    const WeightSize in = portSize(scope, "x", "in"), inner{s.inner, "expand in"}, states{s.states, "state_size"},
                     rank{s.rank, "dt_rank"}, kernel{s.kernel, "kernel_size"};
    std::vector<WeightSpec> list;
    addLayer(list, "in_proj", {product({2, s.inner}), "2 expand in"}, in, bias);
    list.push_back(
        plainWeight("conv1d.weight", {inner, {1, "1"}, kernel}, inverseRootValues(kernel), "torch.nn.Conv1d"));
    if (scope.boolean("conv_bias"))
        list.push_back(plainWeight("conv1d.bias", {inner}, inverseRootValues(kernel), "torch.nn.Conv1d"));
    addLayer(list, "x_proj", {unroll::sum({s.rank, 2 * s.states}), "dt_rank + 2 state_size"}, inner, false);
    list.push_back(plainWeight("dt_proj.weight", {inner, rank}, inverseRootValues(rank), kSource));
    list.push_back(plainWeight("dt_proj.bias", {inner}, stepBias(scope), kSource));
    list.push_back(withoutDecay(plainWeight(
        "A_log", {inner, states},
        computedValues(0, std::log(static_cast<double>(s.states)), "ln 1, ln 2, ... along each row"), kSource)));
    list.push_back(plainWeight("D", {inner}, constantValues(1), kSource));
    addLayer(list, "out_proj", {in.size, "in", "y"}, inner, bias,
             1 / std::sqrt(static_cast<double>(scope.integer("depth"))));
    return list;
}

static std::vector<ParamSpec> params()
{
    ParamSpec depth = trainingParam(
        "Initial values",
        integerParam(
            "depth", 1, 1, 10000, "layers",
            "Mamba layers in the model: out_proj is initialised smaller by √depth, as in the authors' models."));
    return followedBy(
        {integerParam("state_size", 16, 1, 4096, "numbers", "States of each inner feature, N (d_state)."),
         integerParam("expand", 2, 1, 64, "", "Inner features for each feature of x."),
         integerParam("kernel_size", 4, 2, 64, "steps", "Steps that the convolution reads (d_conv)."),
         integerParam("dt_rank", 0, 0, kWidest, "numbers",
                      "Rank of the map from x to the steps Δ; 0: a sixteenth of the width of x, rounded up."),
         flagParam("use_bias", false, "Whether in_proj and out_proj have learned biases."),
         flagParam("conv_bias", true, "Whether the convolution has a learned bias."), std::move(depth)},
        stepParams("at most about 1 / step"));
}

BlockSpec spec()
{
    return trainable(
        {.id = "mamba",
         .title = "Mamba",
         .summary = "Selective state space model (S6) with its short convolution and its gate: steps, input and output "
                    "weights of the states come from the input.",
         .synonyms = {"s6", "selective state space", "selective scan", "state space model", "ssm"},
         .category = Category::Recurrent,
         .inputs = recurrentInputs("h before the first step, then the convolution's inputs before it, oldest first; "
                                   "zeros when unwired."),
         .outputs = recurrentOutputs("The gated output at every step, as wide as x.",
                                     "h after the last step, then the last inputs of the convolution.", {"h"}),
         .params = params(),
         .signalSpecs = {{.name = "h",
                          .look = SignalKind::Matrix,
                          .help = "The states after each step, a row for each inner feature.",
                          .axes = {.row = "feature", .column = "state"}},
                         keepingGate("a", "Decay exp(Δ A): share of each state kept."),
                         {"delta", SignalKind::Signed, "Step Δ of each inner feature; near 0 the input is ignored."},
                         {"B", SignalKind::Signed, "Input weights of the states, B."},
                         {"C", SignalKind::Signed, "Output weights of the states, C."},
                         {"z", SignalKind::Signed, "Output gate silu(z): factor of each inner feature."}},
         .dimensions = {{"input_size", "x"}},
         .pythonClass = "Mamba",
         .recurrent = true,
         .trainingPath = [](const Params&,
                            const auto&) { return std::string("The kernel diag_scan, all steps in one pass."); },
         .infer = infer,
         .weights = weights,
         .cost = cost,
         .provenance = "Gu, Dao 2023, arXiv:2312.00752: the block of its figure 3 without norm and residual. Weights, "
                       "their names and initial values of mamba_ssm 1 (mamba_simple.py); state dicts of mambapy's "
                       "MambaBlock load unchanged."});
}

} // namespace unroll::nodes::mamba
