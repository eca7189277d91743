// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/data/random.h"

#include <algorithm>

namespace unroll {

/// The numbers 0 .. size - 1 in a random order, any of them found without making the others: a balanced Feistel network
/// over the next even number of bits (Luby, Rackoff 1988), stepped on until it falls within the range (cycle walking:
/// Black, Rogaway 2002, "Ciphers with Arbitrary Finite Domains"). An order is a pure function of `keys` and `size`, the
/// same on every machine.
class Permutation {
public:
    /// 1 <= size <= 2^62.
    Permutation(Random keys, uint64_t size) : m_size(size), m_half(halfOf(size - 1))
    {
        assert(size >= 1 && size <= uint64_t{1} << 62);
        for (uint64_t& key : m_keys)
            key = keys.next();
    }

    uint64_t size() const { return m_size; }

    /// The number at this place, place < size.
    uint64_t operator()(uint64_t place) const
    {
        assert(place < m_size);
        do
            place = mixed(place);
        while (place >= m_size);
        return place;
    }

private:
    static int halfOf(uint64_t greatest) { return std::max(1, (static_cast<int>(std::bit_width(greatest)) + 1) / 2); }

    uint64_t mixed(uint64_t value) const
    {
        const uint64_t mask = (uint64_t{1} << m_half) - 1;
        uint64_t left = value >> m_half, right = value & mask;
        for (uint64_t key : m_keys) {
            key ^= right;
            left ^= splitMix64(key) & mask;
            std::swap(left, right);
        }
        return left << m_half | right;
    }

    uint64_t m_size;
    int m_half; // bits of each half
    std::array<uint64_t, 8> m_keys{};
};

} // namespace unroll
