// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/block/registry.h"

#include <algorithm>
#include <cassert>
#include <tuple>
#include <utility>

namespace unroll {

void BlockRegistry::add(BlockSpec spec)
{
    assert(specFault(spec).empty());
    assert(!m_specs.contains(spec.id));
    std::string id = spec.id;
    m_specs.emplace(std::move(id), std::move(spec));
}

const BlockSpec* BlockRegistry::find(const std::string& id) const
{
    auto found = m_specs.find(id);
    return found == m_specs.end() ? nullptr : &found->second;
}

std::vector<const BlockSpec*> BlockRegistry::all() const
{
    std::vector<const BlockSpec*> specs;
    for (const auto& [id, spec] : m_specs)
        specs.push_back(&spec);
    std::stable_sort(specs.begin(), specs.end(), [](const BlockSpec* a, const BlockSpec* b) {
        return std::tie(a->category, a->title) < std::tie(b->category, b->title);
    });
    return specs;
}

} // namespace unroll
