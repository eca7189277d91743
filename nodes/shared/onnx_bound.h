// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/onnx/step.h"

namespace unroll::nodes {

/// The lower bound l of a layer's forget gate (lower_bound.py); empty: 0.
struct LowerBound {
    onnx::Value value;

    /// l + (1 - l) gate
    onnx::Value raised(const onnx::Value& gate) const { return value ? value + (1 - value) * gate : gate; }
    /// (1 - l) gate
    onnx::Value left(const onnx::Value& gate) const { return value ? (1 - value) * gate : gate; }
};

/// Of the weight lower_bounds [layers, units]: the shares of the layers 1 .. layer of a softmax over all of them.
inline LowerBound lowerBound(onnx::Step& step)
{
    const onnx::Value table = step.weight("lower_bounds");
    return table ? LowerBound{sum(onnx::slice(softmax(table, 0), 1, step.integer("layer") + 1, 0), 0)} : LowerBound{};
}

} // namespace unroll::nodes
