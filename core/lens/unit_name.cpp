// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/lens/unit_name.h"

#include <fmt/format.h>

namespace unroll {

namespace {

constexpr const char* kBetween = ", "; // parts of a place

} // namespace

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

std::string UnitNames::place(std::int64_t unit) const
{
    if (rows <= 0 || columns <= 0)
        return std::to_string(unit);
    return fmt::format("{}{}{}{}{}", unit / (rows * columns), kBetween, unit / columns % rows, kBetween,
                       unit % columns);
}

UnitNames namesOf(const SignalFrame& frame)
{
    return {frame.rows, frame.columns, frame.axes};
}

std::string unitHeading(const UnitNames& names)
{
    if (names.rows <= 0 || names.columns <= 0)
        return "unit";
    return names.axes.matrix + kBetween + names.axes.row + kBetween + names.axes.column;
}

} // namespace unroll
