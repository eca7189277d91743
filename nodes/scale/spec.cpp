// SPDX-License-Identifier: GPL-3.0-or-later
#include "nodes/shared/weight_parts.h"

namespace unroll::nodes::scale {

static std::vector<WeightSpec> weights(const WeightScope& scope)
{
    if (!scope.boolean("learned"))
        return {};
    return {plainWeight("weight", {portSize(scope, "x", "in")}, constantValues(scope.real("factor"), "factor"))};
}

BlockSpec spec()
{
    return trainable(
        {.id = "scale",
         .title = "Scale",
         .summary = "Scales by a constant, or by a learned factor per feature: y = s ∘ x.",
         .synonyms = {"factor", "gain", "multiply by a constant", "temperature", "layer scale"},
         .category = Category::Layer,
         .inputs = {sequenceOrVector("The sequence to scale.", "x")},
         .outputs = {sequenceOrVector("x times the factor.", "y")},
         .params = {realParam("factor", 1, -1e6, 1e6, "The factor s, or its initial value if learned."),
                    flagParam("learned", false, "Whether each feature has its own learned factor.")},
         .signalSpecs = {{"y", SignalKind::Signed, "The scaled sequence."}},
         .dimensions = {{"input_size", "x"}},
         .pythonClass = "Scale",
         .infer = [](InferScope& scope) { inferEqualWidths(scope, {"x"}); },
         .weights = weights,
         // One product an element, two backward where the factor learns; bytes: y; workspace: the gradient of x.
         .cost =
             [](const CostScope& scope) {
                 return elementCost(scope.dimension("x"), 1, scope.boolean("learned") ? 3 : 1, 1, 1);
             },
         .provenance = "Elementwise product with a constant; learned per feature as in Touvron et al. 2021, "
                       "arXiv:2103.17239 (LayerScale)."});
}

} // namespace unroll::nodes::scale
