// SPDX-License-Identifier: GPL-3.0-or-later
#include "nodes/shared/weight_parts.h"

namespace unroll::nodes::embedding {

static std::vector<WeightSpec> weights(const WeightScope& scope)
{
    const WeightSize classes{scope.dimension("tokens"), "classes"}, width{scope.integer("width"), "width"};
    return {plainWeight("weight", {classes, width}, normalValues(scope.real("init_std"), "init_std"),
                        "torch.nn.Embedding")};
}

/// Forward copies a row; backward adds one: width FLOPs. Bytes: y.
static Cost cost(const CostScope& scope)
{
    return elementCost(scope.integer("width"), 0, 1, 1);
}

BlockSpec spec()
{
    return trainable(
        {.id = "embedding",
         .title = "Embedding",
         .summary = "Gives every token a learned vector.",
         .synonyms = {"lookup table", "token embedding", "word vectors"},
         .category = Category::Embedding,
         .inputs = {{"tokens", PortType::Tokens, "Class indices."}},
         .outputs = {sequencePort("The vector of each token.", "y")},
         .params = {integerParam("width", 128, 1, kWidest, "features", "Length of each vector."),
                    realParam("init_std", 1.0, 0, 100,
                              "Standard deviation of the initial vectors, drawn from a normal distribution.")},
         .signalSpecs = {{"y", SignalLook::Signed, "The vector of each token."}},
         .dimensions = {{"classes", "tokens"}},
         .pythonClass = "Embedding",
         .infer = [](InferScope& scope) { scope.output("y", sequenceOf(scope.integer("width"))); },
         .weights = weights,
         .cost = cost,
         .provenance = "The usual lookup table; torch.nn.Embedding's weight and initial values."});
}

} // namespace unroll::nodes::embedding
