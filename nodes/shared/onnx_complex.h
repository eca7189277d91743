// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/onnx/step.h"

#include <string>

namespace unroll::nodes {

/// A complex value as two real ones: ONNX's operators have no complex type.
struct ComplexPair {
    onnx::Value re, im;
};

ComplexPair operator+(const ComplexPair& a, const ComplexPair& b);
ComplexPair operator*(const ComplexPair& a, const ComplexPair& b);
ComplexPair operator/(const ComplexPair& a, const ComplexPair& b);

/// h_t = lambda h_{t-1} + gamma b_t, element by element.
struct ComplexFactors {
    ComplexPair lambda, gamma;
};

/// Of the modes dh/dt = A h + b (discretization.py); method zoh or bilinear.
ComplexFactors discretized(const ComplexPair& A, const onnx::Value& dt, const std::string& method);

/// The state of LRU and LRUMML after a step: lambda = exp(-exp(nu_log) + i exp(theta_log)), gamma as the node has it,
/// free or of lambda; `drive` is B x.
ComplexPair lruState(onnx::Step& step, const ComplexPair& drive);

} // namespace unroll::nodes
