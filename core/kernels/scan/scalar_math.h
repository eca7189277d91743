// SPDX-License-Identifier: GPL-3.0-or-later
// Gates and activations of one number, for the column functions: CUDA threads run them, and tests run them on the CPU.
#pragma once

#include "core/kernels/op/activation.h"
#include "core/kernels/scan/rows.h"

#include <cmath>

namespace unroll::kernels {

/// sigmoid(a) and 1 - sigmoid(a), each with full relative accuracy.
template <typename T>
struct ScalarGate {
    T open;
    T shut;
};

template <typename T>
UNROLL_HOST_DEVICE ScalarGate<T> scalarGate(T a)
{
    const T e = static_cast<T>(::exp(a < 0 ? a : -a));
    const T large = T(1) / (T(1) + e);
    const T small = e * large;
    return a < 0 ? ScalarGate<T>{small, large} : ScalarGate<T>{large, small};
}

template <typename T>
struct ScalarActivated {
    T value;
    T slope; ///< d value / d argument
};

template <typename T>
UNROLL_HOST_DEVICE ScalarActivated<T> scalarActivate(Activation activation, T a)
{
    if (activation == Activation::Identity)
        return {a, T(1)};
    if (activation == Activation::Tanh) {
        const T t = static_cast<T>(::tanh(a));
        return {t, T(1) - t * t};
    }
    const ScalarGate<T> s = scalarGate(a);
    if (activation == Activation::Silu)
        return {a * s.open, s.open + a * s.open * s.shut};
    return a >= 0 ? ScalarActivated<T>{a + T(0.5), T(1)} : ScalarActivated<T>{s.open, s.open * s.shut};
}

} // namespace unroll::kernels
