// SPDX-License-Identifier: GPL-3.0-or-later
#include "nodes/shared/delta_parts.h"

namespace unroll::nodes::gated_delta_net {

BlockSpec spec()
{
    return onDeltaRule(
        {.id = "gated_delta_net",
         .title = "Gated DeltaNet",
         .summary = "The delta rule with a decaying state: S_t = a_t S_{t-1} + k_t r_tᵀ, with a forget gate a_t for "
                    "each head and an output gate.",
         .synonyms = {"gated delta rule", "delta rule", "fast weights", "linear attention", "forget gate",
                      "matrix state"},
         .params = deltaParams(false),
         .pythonClass = "GatedDeltaNet",
         .infer = [](InferScope& scope) { inferDelta(scope, deltaSizes(scope, false, true)); },
         .weights = [](const WeightScope& scope) { return deltaWeights(scope, deltaSizes(scope, false, true)); },
         .cost = [](const CostScope& scope) { return deltaBlockCost(scope, deltaSizes(scope, false, true)); },
         .provenance =
             "Yang, Kautz, Hatamizadeh 2025, arXiv:2412.06464; negative eigenvalues: Grazzi et al. 2024, "
             "arXiv:2411.12537. Weights named as in flash-linear-attention's GatedDeltaNet with expand_v = 1."},
        true);
}

} // namespace unroll::nodes::gated_delta_net
