// SPDX-License-Identifier: GPL-3.0-or-later
#include "nodes/shared/narrow_norms.h"
#include "nodes/shared/weight_parts.h"

namespace unroll::nodes::ligru {

static bool isNormed(const std::string& normalization)
{
    return normalization == "layer_norm";
}

/// The input's product and that of the state, 2 2 units units; the norm's 8 each of both sums, backward 13. An element
/// forward: sums 2, activations 2, h 4; backward: dz and dc 4, both derivatives 5, the carry 2, the sums' gradient 2.
/// Floats kept: h, and what the kernel walked, h and both sums; with a norm the product besides, in denseCost;
/// workspace: the gradients of the sums and of x.
static Cost cost(const CostScope& scope)
{
    const std::int64_t units = scope.integer("units");
    const bool normed = isNormed(scope.text("normalization"));
    Cost total = denseCost(scope.dimension("x"), 2 * units, !normed);
    const double products = 4.0 * static_cast<double>(units) * static_cast<double>(units);
    total.forwardFlops += products;
    total.backwardFlops += 2 * products;
    if (normed)
        total += elementCost(2 * units, 8, 13, 1);
    return sum(total, elementCost(units, 8, 13, 2, 2));
}

static void infer(InferScope& scope)
{
    inferRecurrent(scope, scope.integer("units"), stateOf(scope.integer("units"), 1), "h");
    if (isNormed(scope.text("normalization")))
        refuseFewUnits(scope, NormKind::Layer, 2); // both sums are normed together
}

static std::vector<WeightSpec> weights(const WeightScope& scope)
{
    const WeightSize in = portSize(scope, "x", "in"), units{scope.integer("units"), "units"},
                     rows{2 * units.size, "2 units"};
    const bool normed = isNormed(scope.text("normalization"));
    std::vector<WeightSpec> list = {plainWeight("w.weight", {rows, in}, inverseRootValues(in), "torch.nn.Linear")};
    if (!normed)
        list.push_back(plainWeight("w.bias", {rows}, inverseRootValues(in), "torch.nn.Linear"));
    list.push_back(plainWeight("u.weight", {rows, units}, orthogonalValues(), "Saxe et al. 2014, arXiv:1312.6120"));
    list.back().recurrent = true;
    if (normed) {
        list.push_back(plainWeight("norm.weight", {rows}, constantValues(1)));
        list.push_back(plainWeight("norm.bias", {rows}, zeroValues()));
    }
    return list;
}

static std::vector<ParamSpec> params()
{
    return {integerParam("units", 128, 1, kWidest, "units", "Width of the state."),
            choiceParam("nonlinearity",
                        {{"relu", "max(a, 0), as published; the norm keeps the state in range."},
                         {"tanh", "Range -1 to 1: the state is bounded."}},
                        "Activation of the candidate."),
            choiceParam(
                "normalization",
                {{"layer_norm", "Over the input's part of both sums, with gain and bias."}, {"none", "A bias alone."}},
                "Normalisation of what comes from the input.")};
}

BlockSpec spec()
{
    return trainable(
        {.id = "ligru",
         .title = "LiGRU",
         .summary =
             "Light GRU: a GRU without a reset gate, with relu and a norm of the input's part; h_t = z ∘ h_{t-1} + "
             "(1 - z) ∘ relu(a).",
         .synonyms = {"light GRU", "Li-GRU", "speech recognition", "gated recurrent unit"},
         .category = Category::Recurrent,
         .inputs = recurrentInputs("h before the first step; zeros when unwired."),
         .outputs = recurrentOutputs("h at every step.", "h after the last step.", {"h"}),
         .params = params(),
         .signalSpecs = {{"h", SignalKind::Signed, "The state after each step."},
                         keepingGate("z", "Update gate: share of the previous state kept."),
                         {"c", SignalKind::Signed, "Candidate: the new value."}},
         .dimensions = {{"input_size", "x"}},
         .pythonClass = "LiGRU",
         .recurrent = true,
         .trainingPath = [](const Params&, const auto&) { return std::string(kCellStepsPath); },
         .infer = infer,
         .weights = weights,
         .cost = cost,
         .provenance = "Ravanelli et al. 2017, arXiv:1710.00641; 2018, arXiv:1803.10225, in the form of SpeechBrain's "
                       "LiGRU_Layer with its layer norm: weights, their names and the order candidate, z."});
}

} // namespace unroll::nodes::ligru
