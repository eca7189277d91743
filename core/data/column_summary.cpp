// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/data/column_summary.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace unroll {

namespace {

constexpr double kNothing = std::numeric_limits<double>::quiet_NaN();

void drawColumn(ColumnSummary& summary, const std::vector<double>& values)
{
    const auto rows = static_cast<int64_t>(values.size());
    const auto places = static_cast<size_t>(std::min(rows, ColumnSummary::kPlaces));
    summary.low.assign(places, kNothing);
    summary.high.assign(places, kNothing);
    for (size_t row = 0; row < values.size(); ++row) {
        const size_t place = row * places / values.size();
        summary.low[place] = std::fmin(summary.low[place], values[row]); // of a number and NaN: the number
        summary.high[place] = std::fmax(summary.high[place], values[row]);
    }
}

} // namespace

ColumnSummary summaryOf(const std::string& name, const std::vector<double>& values)
{
    ColumnSummary summary;
    summary.name = name;
    summary.least = std::numeric_limits<double>::infinity();
    summary.greatest = -summary.least;
    long double sum = 0; // numbers near the largest there are have one too
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
        summary.mean = static_cast<double>(sum / static_cast<long double>(summary.count));
    drawColumn(summary, values);
    return summary;
}

} // namespace unroll
