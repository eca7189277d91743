// SPDX-License-Identifier: GPL-3.0-or-later
#include "nodes/shared/read_out_parts.h"

namespace unroll::nodes::head {

/// What reads x (readOutCost), then an element of the logits: log-softmax 5 (maximum, difference, exp, sum,
/// difference) forward, exp and difference backward. Floats kept: logits and log-probabilities; workspace: the
/// gradients of both.
static Cost cost(const CostScope& scope)
{
    const std::int64_t classes = scope.dimension("targets");
    return sum(readOutCost(scope, classes), elementCost(classes, 5, 2, 1, 2));
}

static void infer(InferScope& scope)
{
    scope.output("loss", {.type = PortType::Loss});
    const Shape* targets = scope.input("targets");
    if (targets == nullptr)
        return;
    scope.output("logits", sequenceOf(targets->classes));
    scope.same({"targets", "logits"});
    inferReadOut(scope, targets->classes);
}

static std::vector<WeightSpec> weights(const WeightScope& scope)
{
    return readOutWeights(scope, portSize(scope, "targets", "classes"));
}

BlockSpec spec()
{
    return trainableDense({.id = "head",
                           .title = "Output head",
                           .summary = "Softmax classifier at every step, with cross entropy: logits = W x_t + b.",
                           .synonyms = {"loss", "softmax", "cross entropy", "classifier", "output"},
                           .category = Category::Output,
                           .inputs = {sequenceOrVector("The sequence to classify.", "x"),
                                      {"targets", PortType::Targets, "Target class of each step; -100 is not scored."},
                                      tableInput()},
                           .outputs = {{"loss", PortType::Loss, "Mean over the scored targets, in nats."},
                                       sequenceOrVector("Unnormalised log-probability of every class.", "logits")},
                           .params = tied(readOutParams("class")),
                           .signalSpecs = {{"probability", SignalKind::Gate,
                                            "Predicted probability of each class: softmax of the logits."}},
                           .dimensions = {{"input_size", "x"}, {"classes", "targets"}},
                           .pythonClass = "Head",
                           .lossUnit = "nats/token",
                           .infer = infer,
                           .weights = weights,
                           .cost = cost,
                           .provenance = "torch.nn.Linear and cross entropy with ignored targets."});
}

} // namespace unroll::nodes::head
