// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/data/permutation.h"

#include <vector>

namespace unroll {

/// The words of `length` letters 0 .. letters - 1, numbered in a random order: other numbers are other words. Where
/// there are more than 2^62, as many are numbered as their first letters tell apart, and what follows is drawn.
class NumberedWords {
public:
    /// `keys`: of the order; letters and length from 1 on.
    NumberedWords(int64_t letters, int64_t length, Random keys)
        : m_letters(static_cast<uint64_t>(letters)), m_length(static_cast<size_t>(length)), m_order(keys, numbered())
    {}

    int64_t size() const { return static_cast<int64_t>(m_order.size()); }

    std::vector<int64_t> word(int64_t number, Random rest) const
    {
        std::vector<int64_t> word(m_length);
        uint64_t digits = m_order(static_cast<uint64_t>(number));
        for (size_t i = 0; i < m_length; ++i) {
            word[i] = static_cast<int64_t>(i < m_told ? digits % m_letters : rest.below(m_letters));
            digits /= m_letters;
        }
        return word;
    }

private:
    /// Counts the first letters that a number tells, too.
    uint64_t numbered()
    {
        constexpr uint64_t most = uint64_t{1} << 62;
        uint64_t words = 1;
        for (; m_told < m_length && words <= most / m_letters; ++m_told)
            words *= m_letters;
        return words;
    }

    uint64_t m_letters;
    size_t m_length, m_told = 0;
    Permutation m_order;
};

} // namespace unroll
