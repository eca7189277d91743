// SPDX-License-Identifier: GPL-3.0-or-later
#include "nodes/shared/dense_rules.h"

namespace unroll::nodes::gate {

static std::vector<WeightSpec> weights(const WeightScope& scope)
{
    const WeightSize in = portSize(scope, "x", "in"), width = portSize(scope, "c", "width");
    const std::string& rule = scope.text("weights_initializer");
    std::vector<WeightSpec> list = {plainWeight("weight", {width, in},
                                                matrixValues(rule, in.size, width.size, inverseRootValues(in)),
                                                initializerSource(rule, "torch.nn.Linear"))};
    list.push_back(plainWeight("weight_c", {width}, zeroValues()));
    if (scope.boolean("bias"))
        list.push_back(plainWeight("bias", {width}, constantValues(scope.real("bias_init"), "bias_init")));
    return list;
}

/// The dense layer; an element: the peephole's product and sum, and the sigmoid. Backward: sigmoid 3, v's and c's
/// gradients 3. Bytes: y; workspace: the gradient of the sum and that of c, or of x.
static Cost cost(const CostScope& scope)
{
    const std::int64_t width = scope.dimension("c");
    Cost total = denseCost(scope.dimension("x"), width, scope.boolean("bias"));
    total.activationBytes = 0;
    return sum(total, elementCost(width, 3, 6, 1, 2));
}

static void infer(InferScope& scope)
{
    if (const Shape* c = scope.input("c"))
        scope.output("y", sequenceOf(c->width));
    scope.same({"c", "y"});
}

static std::vector<ParamSpec> params()
{
    ParamSpec biasInit =
        inGroup("Initial values",
                realParam("bias_init", 0, -100, 100, "Initial value of the bias; above 0 the gate starts open."));
    biasInit.computes = false;
    return {flagParam("bias", true, "Whether a learned bias is added."),
            initializerParam("weights_initializer", torchInitializers("Uniform within ±1/√in, as torch.nn.Linear."),
                             "Initialisation of the weight; the factors of c start at 0."),
            std::move(biasInit)};
}

BlockSpec spec()
{
    return trainableDense(
        {.id = "gate",
         .title = "Gate",
         .summary = "Sigmoid gate with peephole: g_t = σ(W x_t + v ∘ c_t + b).",
         .synonyms = {"sigmoid gate", "peephole", "forget gate", "update gate"},
         .category = Category::Combine,
         .inputs = {sequenceOrVector("Input of the gate, through W.", "x"),
                    sequenceOrVector("The gated state, read feature by feature through v; the gate has its width.",
                                     "c")},
         .outputs = {sequenceOrVector("The gate, one per feature of c.", "y")},
         .params = params(),
         .signalSpecs = {{"y", SignalKind::Gate, "Gate value: 0 closed, 1 open."}},
         .dimensions = {{"input_size", "x"}, {"width", "c"}},
         .pythonClass = "Gate",
         .infer = infer,
         .weights = weights,
         .cost = cost,
         .provenance = "The gates of SRU, Lei et al. 2018, arXiv:1709.02755; a peephole as in Gers, Schmidhuber 2000, "
                       "with one factor per feature."});
}

} // namespace unroll::nodes::gate
