// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/onnx/step.h"

#include <string>

namespace unroll::nodes {

/// The candidate's activation of minGRU and minLSTM: identity, tanh, or g, which is a + 1/2 where a >= 0 and sigmoid(a)
/// elsewhere.
inline onnx::Value minActivation(const std::string& name, const onnx::Value& a)
{
    if (name == "g")
        return where(greater(0.0, a), sigmoid(a), a + 0.5);
    return name == "tanh" ? tanh(a) : a;
}

} // namespace unroll::nodes
