// SPDX-License-Identifier: GPL-3.0-or-later
#include "nodes/shared/weight_parts.h"

namespace unroll::nodes::embedding {

static std::vector<WeightSpec> weights(const WeightScope& scope)
{
    const WeightSize classes = portSize(scope, "tokens", "classes"), width{scope.integer("width"), "width"};
    WeightSpec table =
        plainWeight("weight", {classes, width}, normalValues(scope.real("init_std"), "init_std"), "torch.nn.Embedding");
    if (!scope.boolean("weight_decay"))
        table.rule.decay = false;
    return {table};
}

/// Forward copies a row; backward adds one: width FLOPs. Bytes: y.
static Cost cost(const CostScope& scope)
{
    return elementCost(scope.integer("width"), 0, 1, 1);
}

static void infer(InferScope& scope)
{
    const std::int64_t width = scope.integer("width");
    scope.output("y", sequenceOf(width));
    if (const Shape* tokens = scope.input("tokens"); tokens != nullptr && scope.boolean("share_table"))
        scope.output("table", tableOf(tokens->classes, width));
}

BlockSpec spec()
{
    return trainable(
        {.id = "embedding",
         .title = "Embedding",
         .summary = "Learned embedding: y_t = E[token_t].",
         .synonyms = {"lookup table", "token embedding", "word vectors"},
         .category = Category::Embedding,
         .inputs = {{"tokens", PortType::Tokens, "Class indices."}},
         .outputs = {sequencePort("The vector of each token.", "y"),
                     withChoice(
                         "share_table", {"true"},
                         {"table", PortType::Table, "The embedding table, for an output head with tied weights."})},
         .params = {integerParam("width", 128, 1, kWidest, "features", "Length of each vector."),
                    realParam("init_std", 1.0, 0, 100,
                              "Standard deviation of the initial vectors (normal distribution)."),
                    flagParam("share_table", false, "Outputs the table, for an output head with readout tied."),
                    trainingParam("Training", flagParam("weight_decay", true,
                                                        "Whether the optimiser's weight decay acts on the table."))},
         .signalSpecs = {{"y", SignalKind::Signed, "The vector of each token."}},
         .dimensions = {{"classes", "tokens"}},
         .pythonClass = "Embedding",
         .infer = infer,
         .weights = weights,
         .cost = cost,
         .provenance = "The usual lookup table; torch.nn.Embedding's weight and initial values."});
}

} // namespace unroll::nodes::embedding
