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
    return {{grown * cos(y), grown * sin(y)}, lessOne / A};
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
