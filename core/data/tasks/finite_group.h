// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace unroll {

/// A finite group by its table. Element 0 is the identity.
class FiniteGroup {
public:
    /// "z60": the numbers 0 .. 59 under addition. "s3": all permutations of three things in the order of a dictionary;
    /// "a5": the even ones of five; "a4xz5": the pairs of one of each. Nothing where the name is another, or the group
    /// has more than 120 elements.
    static std::optional<FiniteGroup> named(std::string_view name);

    int64_t order() const { return static_cast<int64_t>(m_labels.size()); }
    /// Of permutations: first `right`, then `left`, as composed functions are written.
    int64_t product(int64_t left, int64_t right) const { return m_table[static_cast<size_t>(left * order() + right)]; }
    /// Of one length: "07", or the places that 1, 2, 3 go to: "231"; of pairs both, "12340".
    const std::vector<std::string>& labels() const { return m_labels; }
    /// Of permutations: the identity, and those that exchange two things and leave the others.
    std::vector<int64_t> swaps() const;

private:
    static FiniteGroup cyclic(int64_t order);
    static FiniteGroup permutations(int things, bool evenOnly);
    static FiniteGroup pairs(const FiniteGroup& first, const FiniteGroup& second);
    static std::optional<FiniteGroup> factor(std::string_view name);

    std::vector<std::string> m_labels;
    std::vector<int16_t> m_table; // order * order, row = left
};

} // namespace unroll
