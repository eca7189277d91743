// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/block/registry.h"

#include <algorithm>
#include <cassert>
#include <utility>

namespace unroll {

namespace {

/// As lists for people are sorted: "minGRU" stands with the M's.
std::string withoutCase(std::string text)
{
    for (char& c : text)
        if (c >= 'A' && c <= 'Z')
            c = static_cast<char>(c - 'A' + 'a');
    return text;
}

} // namespace

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
    const auto place = [](const BlockSpec* spec) { return std::pair(spec->category, withoutCase(spec->title)); };
    std::stable_sort(specs.begin(), specs.end(),
                     [&](const BlockSpec* a, const BlockSpec* b) { return place(a) < place(b); });
    return specs;
}

} // namespace unroll
