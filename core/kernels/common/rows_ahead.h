// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>

namespace unroll::kernels {

/// Rows [begin, end) of an array, asked for a share at a time, into the second-level cache, while others are multiplied: the first one holds what
/// is being multiplied. Only a hint.
template <typename T>
class RowsAhead {
public:
    RowsAhead() = default; ///< none
    RowsAhead(const T* data, std::int64_t stride, std::int64_t width, std::int64_t begin, std::int64_t end)
        : m_data(data),
          m_stride(stride),
          m_lines((width * std::int64_t{sizeof(T)} + lineBytes - 1) / lineBytes),
          m_row(begin),
          m_end(end)
    {}

    void ask(std::int64_t lines)
    {
        for (; lines > 0 && m_row < m_end; --lines) {
            constexpr int secondLevel = 2;
            __builtin_prefetch(reinterpret_cast<const char*>(m_data + m_row * m_stride) + m_line * lineBytes, 0,
                               secondLevel);
            if (++m_line == m_lines) {
                m_line = 0;
                ++m_row;
            }
        }
    }

    /// How many to ask for each of `turns` times.
    std::int64_t share(std::int64_t turns) const { return ((m_end - m_row) * m_lines - m_line + turns - 1) / turns; }

private:
    static constexpr std::int64_t lineBytes = 64;

    const T* m_data = nullptr;
    std::int64_t m_stride = 0, m_lines = 0, m_line = 0, m_row = 0, m_end = 0;
};

} // namespace unroll::kernels
