// SPDX-License-Identifier: GPL-3.0-or-later
// The heights at which the cells of a layered layout stand.
#include "core/graph/layout/column_spacing.h"

#include <algorithm>
#include <cmath>

namespace unroll {

namespace {

constexpr int kLevellings = 12;
constexpr double kLaneWeight = 32; ///< of a node: 1
constexpr double kNearly = 80;     ///< so little beside level that a wire is made level

/// How much a link wants to be level: pieces of long wires most. Gansner et al. (A technique for drawing directed
/// graphs, 1993) take 1, 2 and 8; ours are stiffer, since a wire is drawn from end to end and not along its lane: it
/// keeps clear of the nodes it passes only where the whole lane is level with both ends.
double weightOf(const Cell& from, const Cell& to)
{
    if (from.isLane() && to.isLane())
        return kLaneWeight;
    return from.isLane() || to.isLane() ? kLaneWeight / 2 : 1;
}

/// Puts the cells of a column where they were spaced.
void place(const Layers& layers, std::size_t column, const std::vector<double>& spaced, std::vector<double>& tops)
{
    for (std::size_t i = 0; i < spaced.size(); ++i)
        tops[layers.columns[column][i]] = spaced[i];
}

enum class Side { Left, Right, Both };

/// Moves the cells of a column to where their links on these sides are level, on average.
void level(const Layers& layers, std::size_t column, Side side, std::vector<double>& tops)
{
    ColumnSpacing spacing;
    for (const std::size_t cell : layers.columns[column]) {
        double sum = 0, weights = 0;
        const auto take = [&](double wish, const Link& link) {
            const double weight = weightOf(layers.cells[link.from], layers.cells[link.to]);
            sum += weight * wish;
            weights += weight;
        };
        if (side != Side::Right)
            for (const std::size_t number : layers.in[cell]) {
                const Link& link = layers.links[number];
                take(tops[link.from] + link.leaves - link.arrives, link);
            }
        if (side != Side::Left)
            for (const std::size_t number : layers.out[cell]) {
                const Link& link = layers.links[number];
                take(tops[link.to] + link.arrives - link.leaves, link);
            }
        spacing.add(layers.cells[cell], weights > 0 ? sum / weights : tops[cell], std::max(weights, 1.0));
    }
    place(layers, column, spacing.tops(), tops);
}

/// Where a cell's link on the left, or on the right, that is nearest to level would be so; where it is now if none is
/// near.
double nearestLevel(const Layers& layers, std::size_t cell, bool onLeft, const std::vector<double>& tops)
{
    double found = tops[cell], least = kNearly;
    for (const std::size_t number : onLeft ? layers.in[cell] : layers.out[cell]) {
        const Link& link = layers.links[number];
        const double straight =
            onLeft ? tops[link.from] + link.leaves - link.arrives : tops[link.to] + link.arrives - link.leaves;
        if (std::abs(straight - tops[cell]) < least) {
            least = std::abs(straight - tops[cell]);
            found = straight;
        }
    }
    return found;
}

bool hasLevelLink(const Layers& layers, std::size_t cell, const std::vector<double>& tops)
{
    return std::any_of(layers.in[cell].begin(), layers.in[cell].end(), [&](std::size_t number) {
        const Link& link = layers.links[number];
        return tops[link.from] + link.leaves == tops[cell] + link.arrives;
    });
}

/// Onto the grid, with one link of each cell quite level where it nearly is: one on the left, or, where none is, one on
/// the right.
void straighten(const Layers& layers, std::size_t column, bool byLeft, std::vector<double>& tops)
{
    ColumnSpacing spacing;
    for (const std::size_t cell : layers.columns[column]) {
        const bool stays = !byLeft && hasLevelLink(layers, cell, tops);
        const double wish = stays ? tops[cell] : nearestLevel(layers, cell, byLeft, tops);
        spacing.add(layers.cells[cell], wish, layers.cells[cell].isLane() ? kLaneWeight : 1);
    }
    place(layers, column, spacing.tops(kLayoutGrid), tops);
}

void stack(const Layers& layers, std::size_t column, std::vector<double>& tops)
{
    ColumnSpacing spacing;
    for (const std::size_t cell : layers.columns[column])
        spacing.add(layers.cells[cell], 0, 1);
    place(layers, column, spacing.tops(), tops);
}

} // namespace

std::vector<double> topsOf(const Layers& layers)
{
    std::vector<double> tops(layers.cells.size());
    const std::size_t count = layers.columns.size();
    const auto sweep = [&](Side side, bool rightward) {
        for (std::size_t i = 0; i < count; ++i)
            level(layers, rightward ? i : count - 1 - i, side, tops);
    };
    for (std::size_t i = 0; i < count; ++i)
        stack(layers, i, tops);
    sweep(Side::Left, true);
    sweep(Side::Right, false);
    sweep(Side::Left, true);
    for (int i = 0; i < kLevellings; ++i)
        sweep(Side::Both, i % 2 == 1);
    for (std::size_t i = 0; i < count; ++i)
        straighten(layers, i, true, tops);
    for (std::size_t i = count; i > 0; --i)
        straighten(layers, i - 1, false, tops);
    return tops;
}

} // namespace unroll
