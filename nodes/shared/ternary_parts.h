// SPDX-License-Identifier: GPL-3.0-or-later
// What the specs of blocks with ternary dense layers share (nodes/shared/ternary_dense.h). Standard library only.
#pragma once

#include "nodes/shared/keras_initializers.h"

#include <string>
#include <utility>
#include <vector>

namespace unroll::nodes {

/// A ternary dense layer: denseCost, and for an element of the input the norm 4 and the quantisation 6 forward, the
/// norm's 9 backward, its code of one byte kept (fp32 on the CPU; elsewhere two floats), with the scale and the norm of
/// the row; workspace: the gradient before the norm and that of x. Quantising the weights is once a
/// pass, not once a token, and not counted.
inline Cost ternaryCost(std::int64_t in, std::int64_t out, bool bias)
{
    Cost total = sum(denseCost(in, out, bias), elementCost(in, 10, 9, 0.25, 2));
    total.activationBytes += 2 * kFloatBytes;
    return total;
}

/// A dense layer of either kind.
inline Cost layerCost(std::int64_t in, std::int64_t out, bool bias, bool ternary)
{
    return ternary ? ternaryCost(in, out, bias) : denseCost(in, out, bias);
}

inline ParamSpec ternaryGradientParam()
{
    return choiceParam("gradient",
                       {{"straight_through", "As if the weight had not been rounded (straight-through estimator)."},
                        {"keras", "As in Keras-MML, through the weight's scale as well."}},
                       "Gradient estimator of the ternary weights.");
}

/// `readers` are what will see no more of x than its sign: "the ternary gates".
inline void warnOfOneFeature(InferScope& scope, const std::string& readers)
{
    const Shape* x = scope.input("x");
    if (x != nullptr && x->width == 1)
        scope.warning("x", "one-feature",
                      "RMS norm of one feature keeps only its sign, which is all " + readers + " will see");
}

/// The same of a state of one number, which `readers` norm; its width is `param`.
inline void warnOfOneNumber(InferScope& scope, const std::string& param, const std::string& readers)
{
    if (scope.integer(param) == 1)
        scope.warning(param, "one-feature",
                      "RMS norm of one number keeps only its sign, which is all " + readers + " will see of the state");
}

/// The gain of a ternary layer's norm.
inline WeightSpec gainWeight(std::string name, const WeightSize& in)
{
    return plainWeight(std::move(name), {in}, constantValues(1));
}

} // namespace unroll::nodes
