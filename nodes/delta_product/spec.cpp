// SPDX-License-Identifier: GPL-3.0-or-later
#include "nodes/shared/delta_parts.h"

namespace unroll::nodes::delta_product {

static std::vector<ParamSpec> params()
{
    std::vector<ParamSpec> list = deltaParams(true);
    list.insert(list.begin() + 2,
                {integerParam("num_householder", 2, 1, 64, "steps",
                              "Steps of the delta rule for each step of the sequence, n_h; each has keys, values and "
                              "writing strengths of its own."),
                 flagParam("use_forget_gate", true, "Whether each head's state decays by a forget gate.")});
    return list;
}

BlockSpec spec()
{
    return onDeltaRule(
        {.id = "delta_product",
         .title = "DeltaProduct",
         .summary =
             "Several steps of the delta rule for each step of the sequence: the state is multiplied by a product "
             "of n_h Householder matrices, which can rotate and permute.",
         .synonyms = {"gated delta product", "householder", "delta rule", "state tracking", "linear attention",
                      "matrix state"},
         .params = params(),
         .pythonClass = "DeltaProduct",
         .infer = [](InferScope& scope) { inferDelta(scope, deltaSizes(scope, true, true)); },
         .weights = [](const WeightScope& scope) { return deltaWeights(scope, deltaSizes(scope, true, true)); },
         .cost = [](const CostScope& scope) { return deltaBlockCost(scope, deltaSizes(scope, true, true)); },
         .provenance = "Siems et al. 2025, arXiv:2502.10297. Weights named as in flash-linear-attention's "
                       "GatedDeltaProduct with expand_v = 1."},
        true);
}

} // namespace unroll::nodes::delta_product
