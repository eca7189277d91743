// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/block/spec.h"

namespace unroll::nodes::group {

/// A sub-graph. Its ports and parameters are those it promotes, so the spec has none; the check looks inside
/// (core/check/check_group.cpp).
BlockSpec spec()
{
    BlockSpec spec;
    spec.id = "group";
    spec.title = "Group";
    spec.summary = "A sub-graph as one node, optionally repeated N times in series.";
    spec.synonyms = {"subgraph",   "repeat", "stack",    "module", "sequential",
                     "reversible", "RevNet", "Reformer", "memory"};
    spec.category = Category::Group;
    spec.provenance = "Composition: the outputs of one copy feed the inputs of the next, as layers are stacked.";
    spec.infer = [](InferScope&) {};
    spec.cost = [](const CostScope&) { return Cost{}; };
    return spec;
}

} // namespace unroll::nodes::group
