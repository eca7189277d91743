// SPDX-License-Identifier: GPL-3.0-or-later
#include "nodes/shared/dense_rules.h"
#include "nodes/shared/module_parts.h"

namespace unroll::nodes::multiplicative_dense {

static void infer(InferScope& scope)
{
    const std::int64_t width = scope.integer("width");
    scope.output("y", sequenceOf(width));
    inferModules(scope, {{"width", width}});
}

static std::vector<WeightSpec> weights(const WeightScope& scope)
{
    const WeightSize in = portSize(scope, "x", "in"), modules{scope.integer("num_modules"), "num_modules"};
    const std::int64_t width = scope.integer("width");
    const WeightSize module{width / modules.size, "width / num_modules"};
    const std::string& rule = scope.text("weights_initializer");
    std::vector<WeightSpec> list = {
        plainWeight("weight_modules", {modules, in}, normalValues(0.5), "trax"),
        plainWeight("weight", {module, in}, matrixValues(rule, in.size, module.size), initializerSource(rule))};
    if (scope.boolean("bias"))
        list.push_back(plainWeight("bias", {{width, "width"}}, plainBiasValues(scope)));
    return list;
}

BlockSpec spec()
{
    return trainableDense(
        {.id = "multiplicative_dense",
         .title = "Multiplicative dense",
         .summary = "Dense layer whose matrix is made of two small ones: y_(s,m) = Σ_i x_i D_(s,i) E_(m,i).",
         .synonyms = {"Terraformer", "Scaling Transformer", "sparse QKV", "factored dense", "modules", "projection"},
         .category = Category::Layer,
         .inputs = {sequenceOrVector("The sequence to transform.", "x")},
         .outputs = {sequenceOrVector("The modules, one after the other.", "y")},
         .params = followedBy({integerParam("width", 128, 1, kWidest, "features", "Features of the output."),
                               modulesParam("Equal parts of the output, which share one matrix."),
                               flagParam("bias", true, "Whether a learned bias is added.")},
                              plainDenseInitializers("Initialisation of E; D is normal with std 0.5.")),
         .signalSpecs = {{"y", SignalKind::Signed, "The output."}},
         .dimensions = {{"input_size", "x"}},
         .pythonClass = "MultiplicativeDense",
         .infer = infer,
         .weights = weights,
         // As many products as a dense layer has; what makes its matrix of D and E is once a pass.
         .cost =
             [](const CostScope& scope) {
                 return denseCost(scope.dimension("x"), scope.integer("width"), scope.boolean("bias"));
             },
         .provenance = "Jaszczur et al. 2021, arXiv:2111.12763, section 3.2; initial values as in the authors' code "
                       "(trax 9157338, layers/research/sparsity.py: FactoredDense)."});
}

} // namespace unroll::nodes::multiplicative_dense
