// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/onnx/step.h"
#include "nodes/shared/class_bands.h"

namespace unroll::nodes::adaptive_embedding {

/// Row max(0, min(token - first, last)), both int64.
static onnx::Value rowOf(onnx::Step& step, const onnx::Value& tokens, std::int64_t first, std::int64_t last)
{
    onnx::Graph& graph = step.graph();
    const onnx::Value place = graph.apply("Sub", {tokens, graph.wholeNumber(first)});
    const onnx::Value above = graph.apply("Max", {place, graph.wholeNumber(0)});
    return graph.apply("Min", {above, graph.wholeNumber(last)});
}

Result<void> writeStep(onnx::Step& step)
{
    onnx::Graph& graph = step.graph();
    const onnx::Value tokens = step.in("tokens");
    const ClassBands bands = bandsOf(step.text("cutoffs"), step.inputSize("tokens"));
    onnx::Value y = gather(step.weight("head.weight"), rowOf(step, tokens, 0, bands.shortlist() - 1));
    for (std::size_t tail = 0; tail < bands.tails(); ++tail) {
        const std::int64_t first = bands.first(tail);
        const onnx::Value rows =
            gather(step.weight(tailWeight(tail, 0)), rowOf(step, tokens, first, bands.size(tail) - 1));
        const onnx::Value inIt = graph.apply("GreaterOrEqual", {tokens, graph.wholeNumber(first)});
        y = where(unsqueeze(inIt, 1), linear(rows, step.weight(tailWeight(tail, 1))), y);
    }
    step.out("y", y);
    return {};
}

} // namespace unroll::nodes::adaptive_embedding
