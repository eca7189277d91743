// SPDX-License-Identifier: GPL-3.0-or-later
// What the specs of blocks with the SRU's recurrence share. Standard library only.
#pragma once

#include "nodes/shared/narrow_norms.h"
#include "nodes/shared/weight_parts.h"

#include <string>
#include <vector>

namespace unroll::nodes {

/// Of the recurrence over `width` elements, given U of k parts each. An element forward: two gates 8, c 3, h 3.
/// Backward: gates again 8, dr da_r 5, dc 2, du0 2, da_f 5, carry 5, dx' 2, gradients of v and b 6. Floats kept besides
/// U, which the product makes: c and y; workspace: dU and dx'.
inline Cost sruScanCost(std::int64_t width, std::int64_t k)
{
    return elementCost(width, 14, 35, 2, static_cast<double>(k + 1));
}

/// Both gates' entries of `width` elements, the forget gate's first, which begin at 0; those of the reset gate at
/// `highway_bias`.
inline WeightSpec sruBias(const WeightScope& scope, std::int64_t width, const WeightSize& gates,
                          const std::string& source)
{
    return {.name = "bias",
            .shape = {gates},
            .parts = {{"forget gate", width, zeroValues()},
                      {"reset gate", width, constantValues(scope.real("highway_bias"), "highway_bias")}},
            .source = source};
}

inline ParamSpec highwayBiasParam(double value)
{
    return realParam("highway_bias", value, -20, 20,
                     "Initial bias of the reset gate; -2 lets most of the input pass initially.");
}

inline ParamSpec rescaleParam()
{
    return flagParam("rescale", false, "Multiplies the skip term by sqrt(1 + 2 exp(highway_bias)).");
}

/// The norm's weight and bias, 1 and 0, under the name `layer`.
inline std::vector<WeightSpec> layerNormWeights(const std::string& layer, const WeightSize& width)
{
    return within(layer,
                  {plainWeight("weight", {width}, constantValues(1)), plainWeight("bias", {width}, zeroValues())});
}

/// Of two features a layer norm leaves which is larger, of one nothing: that is refused. It is of `width` features, and
/// the flag `norm` asks for it; `where` says what makes it so narrow, and how many it must be.
inline void refuseNarrowNorm(InferScope& scope, const std::string& where, std::int64_t width, const std::string& norm,
                             const std::string& remedy)
{
    if (width >= fewestNormed(NormKind::Layer))
        return;
    scope.error(where, "norm-of-too-few",
                "a layer norm of " + std::to_string(width) + (width == 1 ? " feature" : " features") +
                    " removes almost all information; " + remedy + ", or " + norm + " off");
    scope.offerParam("Turn " + norm + " off", norm, false);
}

/// The norm before the products, of x, or behind, of the output.
inline void inferSruNorm(InferScope& scope, std::int64_t out)
{
    const Shape* x = scope.input("x");
    if (!scope.boolean("layer_norm"))
        return;
    if (scope.boolean("normalize_after"))
        refuseNarrowNorm(scope, "units", out, "layer_norm", "the output must be at least 3 wide");
    else if (x != nullptr)
        refuseNarrowNorm(scope, "x", x->width, "layer_norm", "x must be at least 3 wide");
}

inline std::vector<ParamSpec> sruNormParams()
{
    return {
        inGroup("Normalisation", flagParam("layer_norm", false, "Layer norm of the input of the matrix product.")),
        inGroup("Normalisation",
                countsWhere("layer_norm", true, flagParam("normalize_after", false, "Normalise the output instead.")))};
}

inline ParamSpec highwayDropoutParam()
{
    return inGroup("Dropout",
                   realParam("dropout", 0, 0, 0.99,
                             "Dropout of (cell - input) in the highway; one mask for all steps of a sequence."));
}

inline std::vector<SignalSpec> sruSignals()
{
    return {{"c", SignalKind::Signed, "Cell state after each step."},
            keepingGate("f", "Forget gate: share of the cell kept."),
            {"r", SignalKind::Gate, "Reset gate: share of the cell, rather than the input, in the output."}};
}

} // namespace unroll::nodes
