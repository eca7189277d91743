// SPDX-License-Identifier: GPL-3.0-or-later
#include "nodes/shared/onnx_attention.h"

#include <cmath>

namespace unroll::nodes {
namespace {

/// Key, value and position of each step, [B, steps, 2 width + 1].
onnx::Value memoryRows(const onnx::Value& memory, std::int64_t width, std::int64_t window)
{
    return reshape(memory, {0, window - 1, 2 * width + 1});
}

/// RoPE by ready tables: x [B, places, heads, n] at the places 1 - places .. 0.
onnx::Value rotatedHeads(onnx::Step& step, const AttentionStep& attention, const onnx::Value& x, std::int64_t places)
{
    const std::int64_t half = attention.width / attention.heads / 2;
    std::vector<double> cosines, sines;
    for (std::int64_t place = 1 - places; place <= 0; ++place)
        for (std::int64_t i = 0; i < half; ++i) {
            const double rate = std::pow(attention.ropeBase, -static_cast<double>(i) / static_cast<double>(half));
            cosines.push_back(std::cos(static_cast<double>(place) * rate));
            sines.push_back(std::sin(static_cast<double>(place) * rate));
        }
    const onnx::Value c = step.graph().constant("cos", {places, 1, half}, cosines);
    const onnx::Value s = step.graph().constant("sin", {places, 1, half}, sines);
    const onnx::Value a = onnx::slice(x, 0, half), b = onnx::slice(x, half, 2 * half);
    return onnx::concat({a * c - b * s, a * s + b * c});
}

} // namespace

onnx::Value stepNumber(const onnx::Value& memory, std::int64_t width, std::int64_t window)
{
    const onnx::Value positions = onnx::slice(memoryRows(memory, width, window), 2 * width, 2 * width + 1);
    return maximum(largest(positions, 1), 0.0) + 1;
}

AttentionRead attentionStep(onnx::Step& step, const AttentionStep& attention, const onnx::Value& memory)
{
    const std::int64_t width = attention.width, heads = attention.heads, window = attention.window;
    const onnx::Value row = onnx::concat({attention.k, attention.v, stepNumber(memory, width, window)});
    const onnx::Value rows = onnx::concat({memoryRows(memory, width, window), unsqueeze(row, 1)}, 1);
    const auto parts = split(rows, {width, width, 1}); // [B, window, ...]: keys, values, positions
    const auto byHead = [&](const onnx::Value& value, std::int64_t steps) {
        return reshape(value, {0, steps, heads, width / heads});
    };
    onnx::Value q = byHead(attention.q, 1), k = byHead(parts[0], window);
    if (attention.ropeBase > 0)
        k = rotatedHeads(step, attention, k, window); // the current step is at 0
    const onnx::Value keys = transpose(k, {0, 2, 3, 1}), values = transpose(byHead(parts[1], window), {0, 2, 1, 3});
    const double scale = 1 / std::sqrt(static_cast<double>(width / heads));
    const onnx::Value scores = matmul(transpose(q, {0, 2, 1, 3}), keys) * scale; // [B, heads, 1, window]
    const onnx::Value there = greater(reshape(parts[2], {0, 1, 1, window}), 0.0);
    constexpr double kNever = -1e30;
    const onnx::Value weights = softmax(where(there, scores, kNever), -1);
    return {flatten(transpose(matmul(weights, values), {0, 2, 1, 3})), flatten(onnx::slice(rows, 1, window, 1))};
}

} // namespace unroll::nodes
