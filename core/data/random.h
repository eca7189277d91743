// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <array>
#include <bit>
#include <cassert>
#include <cstdint>

namespace unroll {

/// SplitMix64 (Steele, Lea, Flood 2014): adds the golden-ratio constant, then mixes. One call advances `state`.
inline uint64_t splitMix64(uint64_t& state)
{
    state += 0x9E3779B97F4A7C15u;
    uint64_t z = state;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
    return z ^ (z >> 31);
}

/// The generator of all data: xoshiro256++ (Blackman, Vigna 2019), its 256 bits of state filled by SplitMix64 from a
/// key that mixes three numbers. Datasets build one for each item, so an item is a pure function of (seed, purpose,
/// index), the same on every machine and in every later version.
class Random {
public:
    explicit Random(uint64_t seed, uint64_t purpose = 0, uint64_t index = 0)
    {
        uint64_t key = seed;
        key = splitMix64(key) ^ purpose;
        key = splitMix64(key) ^ index;
        for (uint64_t& word : m_state)
            word = splitMix64(key);
    }

    /// From 256 bits of state, not all zero.
    explicit Random(const std::array<uint64_t, 4>& state) : m_state(state) {}

    uint64_t next()
    {
        const uint64_t result = std::rotl(m_state[0] + m_state[3], 23) + m_state[0];
        const uint64_t shifted = m_state[1] << 17;
        m_state[2] ^= m_state[0];
        m_state[3] ^= m_state[1];
        m_state[1] ^= m_state[2];
        m_state[0] ^= m_state[3];
        m_state[2] ^= shifted;
        m_state[3] = std::rotl(m_state[3], 45);
        return result;
    }

    /// Uniform over 0 .. bound - 1, without bias: draws from the incomplete last cycle of 2^64 are thrown away.
    uint64_t below(uint64_t bound)
    {
        assert(bound > 0);
        const uint64_t incomplete = (0 - bound) % bound; // 2^64 mod bound
        uint64_t draw = next();
        while (draw < incomplete)
            draw = next();
        return draw % bound;
    }

    /// Uniform over lowest .. highest, both of them possible.
    int64_t between(int64_t lowest, int64_t highest)
    {
        return lowest + static_cast<int64_t>(below(static_cast<uint64_t>(highest - lowest) + 1));
    }

    /// Uniform over the 2^24 multiples of 2^-24 in [0, 1): exact in fp32.
    float unit() { return static_cast<float>(next() >> 40) * 0x1p-24f; }

private:
    std::array<uint64_t, 4> m_state{};
};

} // namespace unroll
