// SPDX-License-Identifier: GPL-3.0-or-later
#include "nodes/shared/lower_bound_parts.h"
#include "nodes/shared/narrow_norms.h"

namespace unroll::nodes::hgrn {

template <class Scope>
static bool isComplex(const Scope& scope)
{
    return scope.text("convention") == "hgru";
}

/// Numbers of the state: a complex one is two.
template <class Scope>
static std::int64_t stateWidth(const Scope& scope)
{
    return (isComplex(scope) ? 2 : 1) * scope.integer("units");
}

/// Products of i, f and g, the projection. Elements: f and 1 - f 2, and 3 with the bound; of each number of the state
/// silu and what enters 2, the norm 4, its gate 2; the scan 2, or 8 and a turned 4 of a complex one; backward about
/// twice. Floats kept besides the products: f, 1 - f and a, what enters, h, the norm's, the gate and what is projected.
static Cost cost(const CostScope& scope)
{
    const std::int64_t units = scope.integer("units"), width = stateWidth(scope);
    const bool complex = isComplex(scope);
    Cost total = sum(denseCost(scope.dimension("x"), units + 2 * width, complex), denseCost(width, units, complex));
    const double bound = lowerBoundWork(scope), scan = complex ? 12 : 2;
    total += elementCost(units, 2 + bound + scan, 4 + bound + 2 * scan, complex ? 6 : 2, complex ? 4 : 2);
    return sum(total, elementCost(width, complex ? 11 : 8, complex ? 22 : 16, 7, 4));
}

static void infer(InferScope& scope)
{
    inferRecurrent(scope, scope.integer("units"), stateOf(stateWidth(scope), 1), "h");
    inferLowerBound(scope);
    refuseFewUnits(scope, isComplex(scope) ? NormKind::Layer : NormKind::Rms, isComplex(scope) ? 2 : 1);
}

static std::vector<WeightSpec> weights(const WeightScope& scope)
{
    const bool complex = isComplex(scope);
    const WeightSize in = portSize(scope, "x", "in"), units{scope.integer("units"), "units"};
    const WeightSize width{stateWidth(scope), complex ? "2 units" : "units"};
    const std::string& rule = scope.text("weights_initializer");
    const std::string torch = "torch.nn.Linear", source = initializerSource(rule, torch);
    std::vector<WeightSpec> list;
    const auto layer = [&](const std::string& name, const WeightSize& out, const WeightSize& from) {
        list.push_back(plainWeight(name + ".weight", {out, from},
                                   matrixValues(rule, from.size, out.size, inverseRootValues(from)), source));
        if (complex)
            list.push_back(plainWeight(name + ".bias", {out}, inverseRootValues(from), torch));
    };
    layer("i_proj", width, in);
    layer("f_proj", units, in);
    layer("g_proj", width, in);
    if (complex)
        list.push_back(plainWeight("theta", {units}, computedValues(1e-8, 1, "10000^(-2 j / units), j = 0, 1, ..."),
                                   "Qin et al. 2023, hgru-pytorch"));
    list.push_back(plainWeight("g_norm.weight", {width}, constantValues(1)));
    if (complex)
        list.push_back(plainWeight("g_norm.bias", {width}, zeroValues()));
    layer("o_proj", units, width);
    addLowerBound(list, scope, units);
    return list;
}

static std::vector<ParamSpec> params()
{
    std::vector<ParamSpec> list = {
        integerParam("units", 128, 1, kWidest, "units", "Width of the output, and of the state."),
        choiceParam("convention",
                    {{"hgru", "The authors': complex states that rotate at a learned speed, a layer norm, biases."},
                     {"fla", "flash-linear-attention's: real states, an RMS norm, no biases."}},
                    "Which of the two forms in use.")};
    return followedBy(
        followedBy(std::move(list), lowerBoundParams()),
        {initializerParam("weights_initializer", torchInitializers("Uniform within ±1/√in, as torch.nn.Linear."),
                          "Initialisation of the matrices.")});
}

/// Complex but in the form fla.
static SignalSpec complexState(std::string name, std::string help)
{
    return {.name = std::move(name),
            .look = SignalKind::Complex,
            .help = std::move(help),
            .limit = {},
            .other = OtherLook{SignalKind::Signed, {"convention", {"fla"}}}};
}

BlockSpec spec()
{
    return trainable(
        {.id = "hgrn",
         .title = "HGRN",
         .summary =
             "Hierarchically gated recurrent network: h_t = f_t e^{iθ} h_{t-1} + (1 - f_t) i_t, with a forget gate "
             "that reads x alone and a lower bound that rises with the layer.",
         .synonyms = {"HGRU", "gated linear recurrence", "forget gate", "lower bound", "linear RNN"},
         .category = Category::Recurrent,
         .inputs = recurrentInputs("h before the first step; zeros when unwired."),
         .outputs = recurrentOutputs("h at every step, normed, gated, projected.", "h after the last step.", {"h"}),
         .params = params(),
         .signalSpecs = {complexState("h", "The state after each step."),
                         keepingGate("f", "Forget gate: share of the state that is kept."),
                         complexState("i", "Candidate: what enters by the share 1 - f."),
                         {"g", SignalKind::Signed,
                          "Output gate, silu of its pre-activation; of complex states those of the real parts, then of "
                          "the imaginary ones."}},
         .dimensions = {{"input_size", "x"}},
         .pythonClass = "HGRN",
         .recurrent = true,
         .trainingPath = [](const Params&,
                            const auto&) { return std::string("The kernel diag_scan, all steps in one pass."); },
         .infer = infer,
         .weights = weights,
         .cost = cost,
         .provenance = "Qin et al. 2023, arXiv:2311.04823, in the form of hgru-pytorch (Hgru1d) or, real, of "
                       "flash-linear-attention's HGRNAttention, whose names the weights have."});
}

} // namespace unroll::nodes::hgrn
