// SPDX-License-Identifier: GPL-3.0-or-later
#include "nodes/shared/onnx_ternary.h"

#include <algorithm>
#include <cmath>

namespace unroll::nodes {
namespace {

constexpr double kLeastScale = 1e-5;

/// a q of each part of the rows, a = mean |w| in double precision.
std::vector<double> ternaryElements(std::span<const float> weight, std::int64_t scales)
{
    std::vector<double> rounded;
    rounded.reserve(weight.size());
    const std::size_t count = weight.size() / static_cast<std::size_t>(scales);
    for (std::size_t from = 0; from < weight.size(); from += count) {
        double sum = 0;
        for (float each : weight.subspan(from, count))
            sum += std::abs(static_cast<double>(each));
        // As the layer has it: the scale is a float, and so is what is rounded.
        const auto a = static_cast<float>(std::max(sum / static_cast<double>(count), kLeastScale));
        for (float each : weight.subspan(from, count))
            rounded.push_back(static_cast<double>(std::clamp(std::nearbyint(each / a), -1.0F, 1.0F) * a));
    }
    return rounded;
}

} // namespace

onnx::Value ternaryLayer(onnx::Step& step, const TernaryNames& names, const onnx::Value& x)
{
    const onnx::WeightData data = step.data(names.weight);
    const onnx::Value weight =
        step.graph().constant(names.weight, data.dims, ternaryElements(data.elements, names.scales));
    const onnx::Value n = rmsNorm(x, step.weight(names.gain), names.epsilon);
    const onnx::Value s = 127.0 / maximum(largest(abs(n), -1, true), kLeastScale);
    const onnx::Value read = minimum(maximum(round(n * s), -128.0), 127.0) / s;
    return onnx::linear(read, weight, step.weight(names.bias));
}

} // namespace unroll::nodes
