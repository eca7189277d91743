// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/data/tasks/finite_group.h"

#include <algorithm>
#include <charconv>
#include <fmt/format.h>
#include <functional>
#include <map>
#include <numeric>

namespace unroll {

namespace {

constexpr int64_t kMostElements = 120;

bool isEven(std::string_view permutation)
{
    int inversions = 0;
    for (size_t i = 0; i < permutation.size(); ++i)
        for (size_t j = i + 1; j < permutation.size(); ++j)
            inversions += permutation[i] > permutation[j] ? 1 : 0;
    return inversions % 2 == 0;
}

} // namespace

FiniteGroup FiniteGroup::cyclic(int64_t order)
{
    FiniteGroup group;
    const size_t digits = std::to_string(order - 1).size();
    for (int64_t a = 0; a < order; ++a) {
        group.m_labels.push_back(fmt::format("{:0{}}", a, digits));
        for (int64_t b = 0; b < order; ++b)
            group.m_table.push_back(static_cast<int16_t>((a + b) % order));
    }
    return group;
}

FiniteGroup FiniteGroup::permutations(int things, bool evenOnly)
{
    FiniteGroup group;
    std::string places(static_cast<size_t>(things), '1');
    std::iota(places.begin(), places.end(), '1');
    std::map<std::string, int16_t> index;
    do {
        if (evenOnly && !isEven(places))
            continue;
        index.emplace(places, static_cast<int16_t>(group.m_labels.size()));
        group.m_labels.push_back(places);
    } while (std::next_permutation(places.begin(), places.end()));
    for (const std::string& left : group.m_labels)
        for (const std::string& right : group.m_labels) {
            std::string both = right;
            for (char& place : both)
                place = left[static_cast<size_t>(place - '1')];
            group.m_table.push_back(index.at(both));
        }
    return group;
}

FiniteGroup FiniteGroup::pairs(const FiniteGroup& first, const FiniteGroup& second)
{
    FiniteGroup group;
    const int64_t n = second.order();
    for (const std::string& one : first.m_labels)
        for (const std::string& other : second.m_labels)
            group.m_labels.push_back(one + other);
    for (int64_t left = 0; left < group.order(); ++left)
        for (int64_t right = 0; right < group.order(); ++right) {
            const int64_t both = first.product(left / n, right / n) * n + second.product(left % n, right % n);
            group.m_table.push_back(static_cast<int16_t>(both));
        }
    return group;
}

std::optional<FiniteGroup> FiniteGroup::named(std::string_view name)
{
    const size_t cross = name.find('x');
    if (cross == std::string_view::npos)
        return factor(name);
    const auto first = factor(name.substr(0, cross)), second = factor(name.substr(cross + 1));
    if (!first || !second || first->order() * second->order() > kMostElements)
        return std::nullopt;
    return pairs(*first, *second);
}

std::optional<FiniteGroup> FiniteGroup::factor(std::string_view name)
{
    int64_t size = 0;
    const std::string_view digits = name.substr(std::min<size_t>(1, name.size()));
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), size);
    if (error != std::errc() || end != digits.data() + digits.size())
        return std::nullopt;
    switch (name.front()) {
    case 'z': return size >= 2 && size <= kMostElements ? std::optional(cyclic(size)) : std::nullopt;
    case 's': return size >= 2 && size <= 5 ? std::optional(permutations(static_cast<int>(size), false)) : std::nullopt;
    case 'a': return size >= 3 && size <= 5 ? std::optional(permutations(static_cast<int>(size), true)) : std::nullopt;
    default: return std::nullopt;
    }
}

std::vector<int64_t> FiniteGroup::swaps() const
{
    std::vector<int64_t> found;
    for (int64_t element = 0; element < order(); ++element) {
        const std::string &still = m_labels.front(), &moved = m_labels[static_cast<size_t>(element)];
        if (std::inner_product(still.begin(), still.end(), moved.begin(), 0, std::plus<>(), std::not_equal_to<>()) <= 2)
            found.push_back(element);
    }
    return found;
}

} // namespace unroll
