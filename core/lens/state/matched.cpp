// SPDX-License-Identifier: GPL-3.0-or-later
// Two sides of the State with their units paired.
#include "core/lens/state/match_units.h"
#include "core/lens/state/state.h"

#include "core/base/signed_number.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace unroll {

namespace {

constexpr double kHigh = 0.9; // |r| of a pair that is called close

/// Values that may be turned over: those whose zero is their middle.
bool isSigned(SignalKind kind)
{
    return kind == SignalKind::Signed || kind == SignalKind::Bounded;
}

/// Rows in the order of the first side, each with the unit of the second that goes with it.
std::vector<UnitPair> inOrder(const std::vector<UnitPair>& pairs, const std::vector<std::int64_t>& rows)
{
    std::vector<UnitPair> placed;
    for (const std::int64_t unit : rows)
        for (const UnitPair& pair : pairs)
            if (pair.first == unit)
                placed.push_back(pair);
    return placed;
}

FigureTable pairTable(const std::vector<UnitPair>& pairs)
{
    std::vector<UnitPair> ranked = pairs;
    std::stable_sort(ranked.begin(), ranked.end(), [](const UnitPair& a, const UnitPair& b) {
        const double one = std::isfinite(a.r) ? std::abs(a.r) : -1, other = std::isfinite(b.r) ? std::abs(b.r) : -1;
        return one > other;
    });
    FigureTable table{.id = "pairs", .title = "Matched units", .columns = {"unit", "unit", "r"}, .rows = {}};
    for (const UnitPair& pair : ranked)
        table.rows.push_back({.cells = {std::to_string(pair.first), std::to_string(pair.second),
                                        std::isfinite(pair.r) ? fixedNumber(pair.r, 3) : "n/a"}});
    return table;
}

std::vector<std::string> findingsOf(const StateData& first, const HeatCells& one, const HeatCells& other,
                                    const std::vector<UnitPair>& pairs, std::size_t turned)
{
    const auto high = std::count_if(pairs.begin(), pairs.end(), [](const UnitPair& pair) {
        return std::isfinite(pair.r) && std::abs(pair.r) >= kHigh;
    });
    const auto unknown =
        std::count_if(pairs.begin(), pairs.end(), [](const UnitPair& pair) { return !std::isfinite(pair.r); });
    std::vector<std::string> findings;
    if (unknown == std::ssize(pairs)) {
        findings.push_back("No two units can be correlated: on one of the sides none changes over the reading.");
        return findings;
    }
    findings.push_back(
        fmt::format("Units are paired by the size of their correlation over {} steps: the median |r| is {:.2f}, by "
                    "chance (the second side shifted by half of the reading) {:.2f}; {} of {} pairs reach {}.",
                    one.steps, medianSize(pairs), chanceSize(one, other), high, pairs.size(), kHigh));
    if (turned > 0)
        findings.push_back(fmt::format(
            "{} units of the second side are anticorrelated with their partners and drawn with the sign flipped.",
            turned));
    else if (!isSigned(first.look.signalFrames.front().look) &&
             std::any_of(pairs.begin(), pairs.end(), [](const UnitPair& pair) { return pair.r < 0; }))
        findings.push_back("Pairs with r below 0 are anticorrelated; these values have no sign to flip.");
    if (unknown > 0)
        findings.push_back(
            fmt::format("{} pairs have no r: one of the units does not change, or is not a number.", unknown));
    if (one.width != other.width)
        findings.push_back(fmt::format("One side has {} units, the other {}: those without a partner are left out.",
                                       one.width, other.width));
    return findings;
}

FigureArray pairArray(const std::vector<UnitPair>& pairs)
{
    FigureArray array{"pairs", {std::ssize(pairs), 3}, {}};
    for (const UnitPair& pair : pairs)
        array.values.insert(array.values.end(),
                            {static_cast<double>(pair.first), static_cast<double>(pair.second), pair.r});
    return array;
}

} // namespace

Result<MatchedFigures> StateData::matched(const LensData& second) const
{
    const auto* other = dynamic_cast<const StateData*>(&second);
    if (other == nullptr)
        return fail("the other side is of another lens");
    const HeatCells mine = heatCells(look.signalFrames.front()), theirs = heatCells(other->look.signalFrames.front());
    const auto known = matchUnits(mine, theirs);
    if (!known)
        return tl::unexpected(known.error());
    const std::vector<UnitPair> pairs = inOrder(*known, unitRowsDrawn());
    StateData here = *this, there = *other;
    here.draw = there.draw = StateDraw::Units;
    here.rows.clear();
    there.rows.clear();
    there.ranges = other->ranges.empty() ? unitRanges(theirs, other->scale) : other->ranges;
    std::size_t turned = 0;
    for (const UnitPair& pair : pairs) {
        here.rows.push_back(pair.first);
        there.rows.push_back(pair.second);
        if (pair.r < 0 && isSigned(other->look.signalFrames.front().look)) {
            // (x - centre) / size with the other sign
            there.ranges[static_cast<std::size_t>(pair.second)].size *= -1;
            ++turned;
        }
    }
    MatchedFigures result{here.figure(), there.figure(), findingsOf(*this, mine, theirs, pairs, turned),
                          pairTable(pairs)};
    result.first.arrays.push_back(pairArray(pairs));
    return result;
}

} // namespace unroll
