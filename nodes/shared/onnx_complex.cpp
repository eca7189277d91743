// SPDX-License-Identifier: GPL-3.0-or-later
#include "nodes/shared/onnx_complex.h"

namespace unroll::nodes {

ComplexPair operator+(const ComplexPair& a, const ComplexPair& b)
{
    return {a.re + b.re, a.im + b.im};
}

ComplexPair operator*(const ComplexPair& a, const ComplexPair& b)
{
    return {a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
}

ComplexPair operator/(const ComplexPair& a, const ComplexPair& b)
{
    const onnx::Value square = b.re * b.re + b.im * b.im;
    return {(a.re * b.re + a.im * b.im) / square, (a.im * b.re - a.re * b.im) / square};
}

/// (exp(z) - 1) / z = 1 + z / 2 + z² / 6 + ... for small z, 1 at 0, as in discretization.py.
static ComplexPair shareBySeries(const ComplexPair& z)
{
    constexpr double factorials[] = {1, 2, 6, 24, 120, 720, 5040, 40320, 362880}; // 1! to 9!
    ComplexPair sum{z.re / factorials[8] + 1 / factorials[7], z.im / factorials[8]};
    for (int k = 6; k >= 0; --k) {
        sum = sum * z;
        sum.re = sum.re + 1 / factorials[k];
    }
    return sum;
}

ComplexFactors discretized(const ComplexPair& A, const onnx::Value& dt, const std::string& method)
{
    const onnx::Value x = A.re * dt, y = A.im * dt;
    if (method == "bilinear") {
        const ComplexPair below{1 - x / 2, -y / 2}, step{dt, dt * 0};
        return {ComplexPair{1 + x / 2, y / 2} / below, step / below};
    }
    const onnx::Value half = sin(y / 2), grown = exp(x);
    // exp(z) - 1 without the cancellation at small z.
    const ComplexPair lessOne{expm1(x) * cos(y) - 2 * (half * half), grown * sin(y)};
    const onnx::Value small = greater(1.0 / 1024, x * x + y * y);
    const ComplexPair series = shareBySeries({where(small, x, 0), where(small, y, 0)});
    const ComplexPair quotient = lessOne / ComplexPair{where(small, 1, A.re), where(small, 0, A.im)};
    return {{grown * cos(y), grown * sin(y)},
            {where(small, dt * series.re, quotient.re), where(small, dt * series.im, quotient.im)}};
}

ComplexPair lruState(onnx::Step& step, const ComplexPair& drive)
{
    const onnx::Value decay = exp(step.weight("nu_log")), angle = exp(step.weight("theta_log"));
    const onnx::Value size = exp(-decay), free = step.weight("gamma_log");
    const onnx::Value gamma = free ? exp(free) : sqrt(-expm1(-2 * decay));
    const ComplexPair lambda{size * cos(angle), size * sin(angle)}, before{step.state()[0], step.state()[1]};
    return lambda * before + ComplexPair{gamma * drive.re, gamma * drive.im};
}

} // namespace unroll::nodes
