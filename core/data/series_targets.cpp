// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/data/series_targets.h"

#include <algorithm>
#include <cmath>

namespace unroll {

SeriesTargets::SeriesTargets(const std::vector<float>& values, size_t width, int64_t horizon) : m_width(width)
{
    if (std::any_of(values.begin(), values.end(), [](float value) { return std::isnan(value); })) {
        m_asked.assign(1, 0);
        const auto step = static_cast<std::ptrdiff_t>(width);
        for (auto row = values.begin(); row != values.end(); row += step)
            m_asked.push_back(m_asked.back() +
                              std::count_if(row, row + step, [](float value) { return !std::isnan(value); }));
    }
    if (horizon > 0)
        compareWithLastValue(values, values.size() / width, static_cast<size_t>(horizon));
}

void SeriesTargets::compareWithLastValue(const std::vector<float>& values, size_t rows, size_t horizon)
{
    std::vector<float> last(m_width, 0);
    std::vector<double> squares(rows, 0); // of the row that is told
    for (size_t row = 0; row + horizon < rows; ++row)
        for (size_t column = 0; column < m_width; ++column) {
            if (const float now = values[row * m_width + column]; !std::isnan(now))
                last[column] = now;
            const double error =
                static_cast<double>(values[(row + horizon) * m_width + column]) - static_cast<double>(last[column]);
            squares[row + horizon] += std::isnan(error) ? 0 : error * error;
        }
    m_repeating.assign(1, 0);
    for (const double each : squares)
        m_repeating.push_back(m_repeating.back() + each);
}

int64_t SeriesTargets::asked(int64_t row, int64_t rows) const
{
    if (m_asked.empty())
        return rows * static_cast<int64_t>(m_width);
    return m_asked[static_cast<size_t>(row + rows)] - m_asked[static_cast<size_t>(row)];
}

double SeriesTargets::squaresOfRepeating(int64_t row, int64_t rows) const
{
    return m_repeating[static_cast<size_t>(row + rows)] - m_repeating[static_cast<size_t>(row)];
}

} // namespace unroll
