// SPDX-License-Identifier: GPL-3.0-or-later
#include "nodes/shared/weight_parts.h"

#include <algorithm>

namespace unroll::nodes::learned_vector {

static std::vector<WeightSpec> weights(const WeightScope& scope)
{
    const InitialValues drawn = normalValues(scope.real("init_std"), "init_std");
    return {plainWeight("weight", {{scope.integer("width"), "width"}},
                        scope.text("initializer") == "normal" ? drawn : zeroValues())};
}

/// Forward copies; the gradient is a sum over the sequences, one addition for each number of each. The vector itself is
/// one for all steps. Bytes: y.
static Cost cost(const CostScope& scope)
{
    const double vector = 1 / static_cast<double>(std::max<std::int64_t>(scope.steps, 1));
    return elementCost(scope.integer("width"), 0, vector, vector);
}

static void infer(InferScope& scope)
{
    scope.output("y", {.type = PortType::Vector, .width = scope.integer("width"), .ofWeights = true});
}

BlockSpec spec()
{
    PortSpec x = sequencePort("Any sequence: only how many there are in a batch is read.", "x");
    x.onlyCounted = true;
    return trainable(
        {.id = "learned_vector",
         .title = "Learned vector",
         .summary = "A vector of learned numbers, the same for every sequence: y = w.",
         .synonyms = {"learned initial state", "initial state", "trainable vector", "start vector"},
         .category = Category::Layer,
         .inputs = {std::move(x)},
         .outputs = {{"y", PortType::Vector, "The vector, once for every sequence."}},
         .params = {integerParam("width", 128, 1, kWidest, "features", "Numbers of the vector."),
                    initializerParam("initializer",
                                     {{"zeros", "0: as a state begins that nothing is wired to."},
                                      {"normal", "Normal with standard deviation init_std."}},
                                     "Initialisation of the vector."),
                    countsWith(
                        "initializer", {"normal"},
                        trainingParam("Initial values", realParam("init_std", 1.0, 0, 100,
                                                                  "Standard deviation of the initial numbers.")))},
         .pythonClass = "LearnedVector",
         .infer = infer,
         .weights = weights,
         .cost = cost,
         .provenance = "A learned initial state: Forcada, Carrasco 1995, Neural Computation 7(5):923-930."});
}

} // namespace unroll::nodes::learned_vector
