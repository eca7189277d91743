// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/result.h"
#include "core/check/check.h"

#include <cstdint>
#include <string>
#include <vector>

namespace unroll {

/// Of a node with one choice of a parameter, value by value as CostsOverSteps::steps.
struct CostCurve {
    std::string choice;             ///< of several that cost the same all: "auto, sequential"; empty: as the node is
    std::vector<double> flops;      ///< of a pass forward over one sequence
    std::vector<double> operations; ///< BlockSpec::scanCost; empty: the block has none
    std::vector<double> depth;      ///< likewise

    bool costsAs(const CostCurve& other) const;
};

/// What a node costs against the length of the sequences.
struct CostsOverSteps {
    std::vector<std::int64_t> steps;
    std::vector<CostCurve> curves;
    std::string operation; ///< what `operations` counts
};

/// 16, 32, ... 4,096.
std::vector<std::int64_t> usualLengths();

/// Of a block whose shapes are known, with every choice of `param`; of one curve where that is empty. Errors: a group,
/// a block without costs, a parameter that it lacks or that has no choices.
Result<CostsOverSteps> costsOverSteps(const CheckedNode& node, const std::string& param,
                                      const std::vector<std::int64_t>& lengths);

/// By its path, "layer.mru", in the first copy of a group or in one that is named, "layer.2.mru". nullptr: there is
/// none.
const CheckedNode* checkedNodeAt(const CheckedGraph& checked, const Graph& graph, const std::string& path);

} // namespace unroll
