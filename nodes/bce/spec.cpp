// SPDX-License-Identifier: GPL-3.0-or-later
#include "nodes/shared/read_out_parts.h"

namespace unroll::nodes::bce {

/// What reads x (readOutCost), then an element of the logits: two comparisons, two choices, and max(z, 0) - z y + ln(1
/// + exp(-|z|)) with its 7 operations forward; sigmoid, difference and product backward. Kept: logits, targets that are
/// there, and a byte for which are; workspace: each loss, and its parts.
static Cost cost(const CostScope& scope)
{
    const std::int64_t width = scope.dimension("targets");
    return sum(readOutCost(scope, width), elementCost(width, 11, 3, 1.25, 3));
}

static void infer(InferScope& scope)
{
    scope.output("loss", {.type = PortType::Loss});
    const Shape* targets = scope.input("targets");
    if (targets == nullptr)
        return;
    scope.output("logits", sequenceOf(targets->width));
    scope.same({"targets", "logits"});
    inferReadOut(scope, targets->width);
    if (!targets->shares)
        scope.error("targets", "targets-no-shares",
                    "targets must lie within 0..1; some are outside: set normalisation to none for columns of 0 and 1, "
                    "or use an MSE head");
}

static std::vector<WeightSpec> weights(const WeightScope& scope)
{
    return readOutWeights(scope, portSize(scope, "targets", "targets"));
}

BlockSpec spec()
{
    return trainableDense(
        {.id = "bce",
         .title = "BCE head",
         .summary = "Independent sigmoid outputs with binary cross entropy, one per target.",
         .synonyms = {"loss", "binary", "sigmoid", "cross entropy", "logistic", "event", "output"},
         .category = Category::Output,
         .inputs = {sequenceOrVector("The sequence to read from.", "x"),
                    {"targets", PortType::TargetValues, "0, 1 or a value between; NaN is not scored."}},
         .outputs = {{"loss", PortType::Loss, "Mean over the scored targets, in nats."},
                     sequenceOrVector("Logit of each target.", "logits")},
         .params = readOutParams("target"),
         .signalSpecs = {{"probability", SignalKind::Gate, "Predicted probability: sigmoid of the logits."}},
         .dimensions = {{"input_size", "x"}, {"output_size", "targets"}},
         .pythonClass = "BceHead",
         .lossUnit = "nats/target",
         .infer = infer,
         .weights = weights,
         .cost = cost,
         .provenance = "torch.nn.Linear and binary cross entropy with logits; missing targets are left out."});
}

} // namespace unroll::nodes::bce
