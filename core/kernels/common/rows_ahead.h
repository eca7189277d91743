// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <algorithm>
#include <cstdint>

namespace unroll::kernels {

/// Rows [begin, end) of an array, asked for into the second-level cache while others are multiplied: the first one holds what is being multiplied.
/// They are asked for evenly in so many turns, because a core waits where it has asked for a few dozen lines at once. Only a hint.
template <typename T>
class RowsAhead {
public:
    RowsAhead(const T* data, std::int64_t stride, std::int64_t width, std::int64_t begin, std::int64_t end,
              std::int64_t turns)
        : m_data(data),
          m_stride(stride),
          m_lines((width * std::int64_t{sizeof(T)} + lineBytes - 1) / lineBytes),
          m_row(begin),
          m_end(end),
          m_share((std::max<std::int64_t>(end - begin, 0) * m_lines + turns - 1) / std::max<std::int64_t>(turns, 1))
    {}

    /// One turn.
    void ask()
    {
        for (std::int64_t lines = m_share; lines > 0 && m_row < m_end; --lines) {
            constexpr int secondLevel = 2;
            __builtin_prefetch(reinterpret_cast<const char*>(m_data + m_row * m_stride) + m_line * lineBytes, 0,
                               secondLevel);
            if (++m_line == m_lines) {
                m_line = 0;
                ++m_row;
            }
        }
    }

private:
    static constexpr std::int64_t lineBytes = 64;

    const T* m_data;
    std::int64_t m_stride, m_lines, m_line = 0, m_row, m_end, m_share;
};

} // namespace unroll::kernels
