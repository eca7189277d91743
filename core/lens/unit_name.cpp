// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/lens/unit_name.h"

#include <fmt/format.h>

namespace unroll {

std::string UnitNames::matrix(std::int64_t matrix) const
{
    return fmt::format("{} {}", axes.matrix, matrix);
}

std::string UnitNames::brief(std::int64_t unit) const
{
    if (rows <= 0 || columns <= 0)
        return std::to_string(unit);
    return fmt::format("{}, {} {}, {} {}", matrix(unit / (rows * columns)), axes.row, unit / columns % rows,
                       axes.column, unit % columns);
}

std::string UnitNames::of(std::int64_t unit) const
{
    return rows > 0 && columns > 0 ? brief(unit) : fmt::format("unit {}", unit);
}

UnitNames namesOf(const SignalFrame& frame)
{
    return {frame.rows, frame.columns, frame.axes};
}

} // namespace unroll
