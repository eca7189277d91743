// SPDX-License-Identifier: GPL-3.0-or-later
#include "nodes/shared/onnx_attention.h"

#include <cmath>

namespace unroll::nodes {
namespace {

/// Key, value and position of each step, [B, steps, kept + 1].
onnx::Value memoryRows(const onnx::Value& memory, std::int64_t kept, std::int64_t window)
{
    return reshape(memory, {0, window - 1, kept + 1});
}

/// RoPE by ready tables: keys [B, places, heads, n] at the places 1 - places .. 0. By xPos they shrink with their
/// distance from the query, which is at 0.
onnx::Value rotatedHeads(onnx::Step& step, const AttentionStep& attention, const onnx::Value& x, std::int64_t places)
{
    const std::int64_t half = attention.width / attention.heads / 2;
    std::vector<double> cosines, sines;
    for (std::int64_t place = 1 - places; place <= 0; ++place)
        for (std::int64_t i = 0; i < half; ++i) {
            const double rate = std::pow(attention.ropeBase, -static_cast<double>(i) / static_cast<double>(half));
            const double pair = static_cast<double>(i) / static_cast<double>(half), ago = static_cast<double>(-place);
            const double factor = attention.xposScale > 0 ? std::pow((pair + 0.4) / 1.4, ago / attention.xposScale) : 1;
            cosines.push_back(factor * std::cos(static_cast<double>(place) * rate));
            sines.push_back(factor * std::sin(static_cast<double>(place) * rate));
        }
    const onnx::Value c = step.graph().constant("cos", {places, 1, half}, cosines);
    const onnx::Value s = step.graph().constant("sin", {places, 1, half}, sines);
    const onnx::Value a = onnx::slice(x, 0, half), b = onnx::slice(x, half, 2 * half);
    return onnx::concat({a * c - b * s, a * s + b * c});
}

/// W_R r_d of the keys, d from window - 1 down to 0, [heads, n, window].
onnx::Value distanceKeys(onnx::Step& step, const AttentionStep& attention)
{
    const std::int64_t width = attention.distances, half = width / 2;
    std::vector<double> table;
    for (std::int64_t distance = attention.window - 1; distance >= 0; --distance)
        for (std::int64_t i = 0; i < width; ++i) {
            const double rate = std::pow(10000.0, -static_cast<double>(i % half) / static_cast<double>(half));
            const double angle = static_cast<double>(distance) * rate;
            table.push_back(i < half ? std::sin(angle) : std::cos(angle));
        }
    const onnx::Value r = step.graph().constant("distances", {attention.window, width}, table);
    const onnx::Value keys = onnx::linear(r, attention.relative);
    return transpose(reshape(keys, {attention.window, attention.heads, attention.width / attention.heads}), {1, 2, 0});
}

} // namespace

onnx::Value stepNumber(const onnx::Value& memory, std::int64_t kept, std::int64_t window)
{
    const onnx::Value positions = onnx::slice(memoryRows(memory, kept, window), kept, kept + 1);
    return maximum(largest(positions, 1), 0.0) + 1;
}

AttentionRead attentionStep(onnx::Step& step, const AttentionStep& attention, const onnx::Value& memory)
{
    const std::int64_t width = attention.width, heads = attention.heads, window = attention.window;
    const std::int64_t ofValue = attention.values > 0 ? attention.values : width, kept = width + ofValue;
    const onnx::Value row = onnx::concat({attention.k, attention.v, stepNumber(memory, kept, window)});
    const onnx::Value rows = onnx::concat({memoryRows(memory, kept, window), unsqueeze(row, 1)}, 1);
    const auto parts = split(rows, {width, ofValue, 1}); // [B, window, ...]: keys, values, positions
    const auto byHead = [&](const onnx::Value& value, std::int64_t steps) {
        return reshape(value, {0, steps, heads, width / heads});
    };
    onnx::Value q = byHead(attention.q, 1), k = byHead(parts[0], window);
    if (attention.ropeBase > 0)
        k = rotatedHeads(step, attention, k, window); // the current step is at 0
    const onnx::Value keys = transpose(k, {0, 2, 3, 1}),
                      values = transpose(reshape(parts[1], {0, window, heads, ofValue / heads}), {0, 2, 1, 3});
    const double scale = 1 / std::sqrt(static_cast<double>(width / heads));
    const onnx::Value query = transpose(q, {0, 2, 1, 3});
    onnx::Value products; // [B, heads, 1, window]
    if (attention.relative) {
        const auto bias = [&](const onnx::Value& value) { return reshape(value, {1, heads, 1, width / heads}); };
        products = matmul(query + bias(attention.content), keys) +
                   matmul(query + bias(attention.position), distanceKeys(step, attention));
    } else {
        products = matmul(query, keys);
    }
    const onnx::Value scores = products * scale;
    const onnx::Value there = greater(reshape(parts[2], {0, 1, 1, window}), 0.0);
    constexpr double kNever = -1e30;
    const onnx::Value weights = softmax(where(there, scores, kNever), -1);
    return {flatten(transpose(matmul(weights, values), {0, 2, 1, 3})), flatten(onnx::slice(rows, 1, window, 1))};
}

} // namespace unroll::nodes
