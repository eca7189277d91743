// SPDX-License-Identifier: GPL-3.0-or-later
#include "nodes/shared/delta_parts.h"

namespace unroll::nodes::delta_net {

BlockSpec spec()
{
    return onDeltaRule(
        {.id = "delta_net",
         .title = "DeltaNet",
         .summary = "Linear attention with the delta rule, which replaces the value under a key: S_t = S_{t-1} + k_t "
                    "r_tᵀ with "
                    "r_t = β_t (v_t - S_{t-1}ᵀ k_t).",
         .synonyms = {"delta rule", "fast weights", "fast weight programmer", "linear attention", "matrix state"},
         .params = deltaParams(false),
         .pythonClass = "DeltaNet",
         .infer = [](InferScope& scope) { inferDelta(scope, deltaSizes(scope, false, false)); },
         .weights = [](const WeightScope& scope) { return deltaWeights(scope, deltaSizes(scope, false, false)); },
         .cost = [](const CostScope& scope) { return deltaBlockCost(scope, deltaSizes(scope, false, false)); },
         .provenance =
             "Schlag et al. 2021, arXiv:2102.11174; Yang et al. 2024, arXiv:2406.06484; negative eigenvalues: "
             "Grazzi et al. 2024, arXiv:2411.12537. Weights named as in flash-linear-attention's DeltaNet."},
        false);
}

} // namespace unroll::nodes::delta_net
