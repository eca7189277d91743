// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/block/spec.h"

#include <map>
#include <string>
#include <vector>

namespace unroll {

/// All blocks by id. A plain value, filled by the generated list.
class BlockRegistry {
public:
    void add(BlockSpec spec); ///< asserts that the id is new and the spec is well formed
    const BlockSpec* find(const std::string& id) const;
    /// In the order of categories, then titles.
    std::vector<const BlockSpec*> all() const;

private:
    std::map<std::string, BlockSpec> m_specs;
};

/// Every block in nodes/ (generated; link unroll_specs).
BlockRegistry allSpecs();

} // namespace unroll
