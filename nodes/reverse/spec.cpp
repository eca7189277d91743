// SPDX-License-Identifier: GPL-3.0-or-later
#include "nodes/shared/spec_parts.h"

namespace unroll::nodes::reverse {

BlockSpec spec()
{
    return {
        .id = "reverse",
        .title = "Reverse",
        .summary = "Reverses a sequence in time: y_t = x_{T+1-t}.",
        .synonyms = {"flip", "backwards", "go_backwards", "bidirectional", "read from the end", "both directions"},
        .category = Category::Layer,
        .inputs = {sequencePort("The sequence to reverse.", "x"),
                   {"mask", PortType::Mask, "Real steps; only these are reversed, elsewhere the output is 0.", true}},
        .outputs = {sequencePort("x from its last real step to its first.", "y")},
        .signalSpecs = {{"y", SignalKind::Signed, "The reversed sequence."}},
        .pythonClass = "Reverse",
        .causal = [](const Params&) { return false; },
        .infer = [](InferScope& scope) { inferEqualWidths(scope, {"x"}); },
        // Copies; bytes: y; workspace: the gradient of x, and with a mask what is gathered before the padding is
        // cleared.
        .cost = [](const CostScope& scope) { return elementCost(scope.dimension("x"), 0, 0, 1, 1); },
        .provenance = "Bidirectional reading: Schuster, Paliwal 1997; with a mask as packed sequences of torch.nn are "
                      "read backward."};
}

} // namespace unroll::nodes::reverse
