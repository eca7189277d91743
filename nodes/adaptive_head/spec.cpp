// SPDX-License-Identifier: GPL-3.0-or-later
#include "nodes/shared/class_bands.h"

namespace unroll::nodes::adaptive_head {

static ClassBands bands(const WeightScope& scope)
{
    return bandsOf(scope.text("cutoffs"), scope.dimension("targets"));
}

/// The first layer and those of all tails at every step, as without LossOnly; then an element of the log-probabilities:
/// log-softmax 5 and the cluster's share 1 forward, 3 backward; a sum of x's gradients for each tail. Floats kept: the
/// log-probabilities of each band and of all; workspace: the gradients of both.
static Cost cost(const CostScope& scope)
{
    const std::int64_t in = scope.dimension("x"), classes = scope.dimension("targets");
    const ClassBands cut = bandsOf(scope.text("cutoffs"), classes);
    const auto tails = static_cast<std::int64_t>(cut.tails());
    Cost total = denseCost(in, cut.shortlist() + tails, scope.boolean("head_bias"));
    for (std::size_t tail = 0; tail < cut.tails(); ++tail) {
        const std::int64_t width = tailWidth(in, scope.real("div_value"), tail);
        total += sum(denseCost(in, width, false), denseCost(width, cut.size(tail), false));
    }
    total += elementCost(classes, 6, 3, 2, 2);
    return sum(total, elementCost(in * tails, 0, 1, 0));
}

static void infer(InferScope& scope)
{
    scope.output("loss", {.type = PortType::Loss});
    const Shape* targets = scope.input("targets");
    if (targets == nullptr)
        return;
    scope.output("logits", sequenceOf(targets->classes));
    scope.same({"targets", "logits"});
    inferBands(scope, targets->classes);
}

/// Rows stand for classes by their place alone, so that no weight names `targets`: weights of another vocabulary are
/// not taken.
static std::vector<WeightSpec> weights(const WeightScope& scope)
{
    const WeightSize in = portSize(scope, "x", "in");
    const ClassBands cut = bands(scope);
    const WeightSize rows{cut.shortlist() + static_cast<std::int64_t>(cut.tails()), "shortlist + tails"};
    const std::string source = "torch.nn.Linear";
    std::vector<WeightSpec> list = {plainWeight("head.weight", {rows, in}, inverseRootValues(in), source)};
    if (scope.boolean("head_bias"))
        list.push_back(plainWeight("head.bias", {rows}, inverseRootValues(in), source));
    for (std::size_t tail = 0; tail < cut.tails(); ++tail) {
        const std::string number = std::to_string(tail + 1);
        const WeightSize width{in.size > 0 ? tailWidth(in.size, scope.real("div_value"), tail) : 0, "h" + number};
        const WeightSize size{cut.size(tail), "classes of tail " + number};
        list.push_back(plainWeight(tailWeight(tail, 0), {width, in}, inverseRootValues(in), source));
        list.push_back(plainWeight(tailWeight(tail, 1), {size, width}, inverseRootValues(width), source));
    }
    return list;
}

static std::string trainingPath(const Params&, const std::map<std::string, Shape>&)
{
    return "Each tail at the steps whose target lies in it; at all steps where the log-probabilities are read.";
}

static std::vector<ParamSpec> params()
{
    return followedBy(bandParams("the projections of x"),
                      {flagParam("head_bias", false, "Whether the first layer has a bias.")});
}

BlockSpec spec()
{
    return trainable(
        {.id = "adaptive_head",
         .title = "Adaptive softmax head",
         .summary = "Softmax classifier for large vocabularies: rare classes in clusters with narrower projections.",
         .synonyms = {"adaptive softmax", "AdaptiveLogSoftmaxWithLoss", "hierarchical softmax", "loss", "cross entropy",
                      "large vocabulary", "output"},
         .category = Category::Output,
         .inputs = {sequenceOrVector("The sequence to classify.", "x"),
                    {"targets", PortType::Targets,
                     "Target class of each step, frequent classes first; -100 is not scored."}},
         .outputs = {{"loss", PortType::Loss, "Mean over the scored targets, in nats."},
                     sequenceOrVector("Log-probability of every class, normalised.", "logits")},
         .params = params(),
         .signalSpecs = {{"probability", SignalKind::Gate, "Predicted probability of each class: exp of the logits."}},
         .dimensions = {{"input_size", "x"}, {"classes", "targets"}},
         .pythonClass = "AdaptiveHead",
         .lossUnit = "nats/token",
         .trainingPath = trainingPath,
         .infer = infer,
         .weights = weights,
         .cost = cost,
         .provenance = "Grave et al. 2017, arXiv:1609.04309, in the form of torch.nn.AdaptiveLogSoftmaxWithLoss."});
}

} // namespace unroll::nodes::adaptive_head
