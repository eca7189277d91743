// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <array>
#include <bitset>
#include <cstddef>
#include <string>
#include <vector>

namespace unroll {

/// Which Unicode code points occur. Only blocks of 4096 in which some do take memory and time.
class CodePoints {
public:
    /// point < 0x110000
    void insert(char32_t point)
    {
        Place& place = m_places[point / kBlock];
        if (place == 0) {
            m_blocks.emplace_back();
            place = static_cast<Place>(m_blocks.size());
        }
        m_blocks[place - 1U].set(point % kBlock);
    }

    void insert(const CodePoints& others)
    {
        for (const char32_t point : others.sorted())
            insert(point);
    }

    /// In rising order.
    std::u32string sorted() const
    {
        std::u32string points;
        for (char32_t block = 0; block < m_places.size(); ++block)
            if (const Place place = m_places[block]; place > 0)
                for (char32_t point = 0; point < kBlock; ++point)
                    if (m_blocks[place - 1U][point])
                        points += block * kBlock + point;
        return points;
    }

private:
    using Place = unsigned short; ///< of a block in the list, from 1; 0: none
    static constexpr char32_t kBlock = 4096;

    std::array<Place, 0x110000 / kBlock> m_places{};
    std::vector<std::bitset<kBlock>> m_blocks;
};

} // namespace unroll
