// SPDX-License-Identifier: GPL-3.0-or-later
#include "nodes/shared/read_out_parts.h"

namespace unroll::nodes::bce {

/// What reads x (readOutCost), then an element of the logits: two comparisons, two choices, and max(z, 0) - z y + ln(1 + exp(-|z|))
/// with its 7 operations forward; sigmoid, difference and product backward. Kept: logits, targets that are there, and a byte
/// for which are; workspace: each loss, and its parts.
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
                    "targets expects numbers within 0..1, yes and no or shares; some of these lie outside: choose the "
                    "normalisation none for columns of 0 and 1, or an MSE head");
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
         .summary = "Tells yes or no at every step, for each target on its own: binary cross entropy.",
         .synonyms = {"loss", "binary", "sigmoid", "cross entropy", "logistic", "event", "output"},
         .category = Category::Output,
         .inputs = {sequenceOrVector("The sequence to read the answers from.", "x"),
                    {"targets", PortType::TargetValues, "1 for yes, 0 for no, or between; NaN is not scored."}},
         .outputs = {{"loss", PortType::Loss, "Mean over the scored targets, in nats."},
                     sequenceOrVector("Logit of yes for each target.", "logits")},
         .params = readOutParams("target"),
         .signalSpecs = {{"probability", SignalLook::Gate, "What the network believes: sigmoid of the logits."}},
         .dimensions = {{"input_size", "x"}, {"output_size", "targets"}},
         .pythonClass = "BceHead",
         .lossUnit = "nats a target",
         .infer = infer,
         .weights = weights,
         .cost = cost,
         .provenance = "torch.nn.Linear and the binary cross entropy with logits, missing targets left out."});
}

} // namespace unroll::nodes::bce
