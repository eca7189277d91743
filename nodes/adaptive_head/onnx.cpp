// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/onnx/step.h"
#include "nodes/shared/class_bands.h"

namespace unroll::nodes::adaptive_head {

static onnx::Value logSoftmax(onnx::Step& step, const onnx::Value& x)
{
    return step.graph().apply("LogSoftmax", {x}, {{"axis", std::int64_t{-1}}});
}

Result<void> writeStep(onnx::Step& step)
{
    const onnx::Value x = step.in("x");
    const ClassBands bands = bandsOf(step.text("cutoffs"), step.outputSize("logits"));
    const onnx::Value first = logSoftmax(step, step.dense("head", x));
    std::vector<onnx::Value> parts = {slice(first, 0, bands.shortlist())};
    for (std::size_t tail = 0; tail < bands.tails(); ++tail) {
        const std::int64_t place = bands.shortlist() + static_cast<std::int64_t>(tail);
        const onnx::Value read = linear(linear(x, step.weight(tailWeight(tail, 0))), step.weight(tailWeight(tail, 1)));
        parts.push_back(logSoftmax(step, read) + slice(first, place, place + 1));
    }
    step.out("logits", onnx::concat(parts));
    return {};
}

} // namespace unroll::nodes::adaptive_head
