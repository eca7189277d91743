// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/data/column_summary.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace unroll {

namespace {

constexpr float kNothing = std::numeric_limits<float>::quiet_NaN();

void drawColumn(ColumnSummary& summary, const std::vector<double>& values)
{
    const auto rows = static_cast<int64_t>(values.size());
    const auto places = static_cast<size_t>(std::min(rows, ColumnSummary::kPlaces));
    summary.low.assign(places, kNothing);
    summary.high.assign(places, kNothing);
    for (size_t row = 0; row < values.size(); ++row) {
        const auto value = static_cast<float>(values[row]);
        const size_t place = row * places / values.size();
        summary.low[place] = std::fmin(summary.low[place], value); // of a number and NaN: the number
        summary.high[place] = std::fmax(summary.high[place], value);
    }
}

} // namespace

ColumnSummary summaryOf(const std::string& name, const std::vector<double>& values)
{
    ColumnSummary summary;
    summary.name = name;
    summary.least = std::numeric_limits<double>::infinity();
    summary.greatest = -summary.least;
    double sum = 0;
    for (const double value : values) {
        if (std::isnan(value)) {
            ++summary.missing;
            continue;
        }
        ++summary.count;
        sum += value;
        summary.least = std::min(summary.least, value);
        summary.greatest = std::max(summary.greatest, value);
    }
    if (summary.count == 0)
        summary.least = summary.greatest = 0;
    else
        summary.mean = sum / static_cast<double>(summary.count);
    drawColumn(summary, values);
    return summary;
}

} // namespace unroll
