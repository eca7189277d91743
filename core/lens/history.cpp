// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/lens/history.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <type_traits>

namespace unroll {

void LensHistory::add(std::int64_t step, const std::vector<LensNumber>& numbers)
{
    const auto rows = static_cast<std::size_t>(std::lower_bound(steps.begin(), steps.end(), step) - steps.begin());
    steps.resize(rows);
    steps.push_back(step);
    for (const LensNumber& number : numbers)
        values.try_emplace(number.name);
    for (auto& [name, column] : values) {
        column.resize(std::min(column.size(), rows));
        column.resize(rows + 1, std::numeric_limits<double>::quiet_NaN());
    }
    for (const LensNumber& number : numbers)
        values[number.name].back() = number.value;
}

void LensHistory::cutBehind(std::int64_t step)
{
    const auto rows = static_cast<std::size_t>(std::upper_bound(steps.begin(), steps.end(), step) - steps.begin());
    steps.resize(rows);
    for (auto& [name, column] : values)
        column.resize(rows);
}

void LensHistory::thin()
{
    const std::size_t rows = steps.size();
    const auto isKept = [rows](std::size_t row) { return (rows - 1 - row) % 2 == 0; };
    const auto thinned = [&](const auto& column) {
        std::remove_cvref_t<decltype(column)> kept;
        for (std::size_t row = 0; row < rows; ++row)
            if (isKept(row))
                kept.push_back(column[row]);
        return kept;
    };
    for (auto& [name, column] : values)
        column = thinned(column);
    steps = thinned(steps);
}

std::vector<LensCurve> curvesOf(const LensHistory& history, const std::string& prefix)
{
    std::vector<LensCurve> curves;
    for (const auto& [name, column] : history.values) {
        if (!name.starts_with(prefix))
            continue;
        LensCurve curve{name.substr(prefix.size()), {}, {}};
        for (std::size_t row = 0; row < column.size(); ++row)
            if (!std::isnan(column[row])) {
                curve.steps.push_back(static_cast<double>(history.steps[row]));
                curve.values.push_back(column[row]);
            }
        if (!curve.steps.empty())
            curves.push_back(std::move(curve));
    }
    return curves;
}

} // namespace unroll
