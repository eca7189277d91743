// SPDX-License-Identifier: GPL-3.0-or-later
// The order within the columns of a layered layout.
#include "core/graph/layout/layers.h"

#include <algorithm>

namespace unroll {

namespace {

constexpr int kSweeps = 12;

/// Where a link ends among the cells of its column: the cell's number, and a fraction for the port.
double standing(const Layers& layers, const std::vector<std::size_t>& rank, std::size_t cell, double below)
{
    return static_cast<double>(rank[cell]) + below / (layers.cells[cell].height + 1);
}

std::vector<std::size_t> ranksOf(const Layers& layers)
{
    std::vector<std::size_t> rank(layers.cells.size());
    for (const auto& column : layers.columns)
        for (std::size_t i = 0; i < column.size(); ++i)
            rank[column[i]] = i;
    return rank;
}

/// Sorts a column by the mean standing of what its cells are linked to on one side; a cell that is not keeps its own.
void sortColumn(Layers& layers, std::size_t column, bool byLeft, std::vector<std::size_t>& rank)
{
    std::vector<std::size_t>& cells = layers.columns[column];
    std::map<std::size_t, double> wish;
    for (const std::size_t cell : cells) {
        const auto& links = byLeft ? layers.in[cell] : layers.out[cell];
        double sum = 0;
        for (const std::size_t number : links) {
            const Link& link = layers.links[number];
            sum +=
                byLeft ? standing(layers, rank, link.from, link.leaves) : standing(layers, rank, link.to, link.arrives);
        }
        wish[cell] = links.empty() ? static_cast<double>(rank[cell]) : sum / static_cast<double>(links.size());
    }
    std::stable_sort(cells.begin(), cells.end(), [&](std::size_t a, std::size_t b) { return wish[a] < wish[b]; });
    for (std::size_t i = 0; i < cells.size(); ++i)
        rank[cells[i]] = i;
}

/// Pairs that stand the wrong way round; sorts the values.
std::size_t inversions(std::vector<double>& values, std::size_t first, std::size_t last)
{
    if (last - first < 2)
        return 0;
    const std::size_t middle = (first + last) / 2;
    std::size_t count = inversions(values, first, middle) + inversions(values, middle, last);
    std::size_t right = middle;
    for (std::size_t left = first; left < middle; ++left) {
        while (right < last && values[right] < values[left])
            ++right;
        count += right - middle;
    }
    std::inplace_merge(values.begin() + static_cast<std::ptrdiff_t>(first),
                       values.begin() + static_cast<std::ptrdiff_t>(middle),
                       values.begin() + static_cast<std::ptrdiff_t>(last));
    return count;
}

} // namespace

std::size_t crossings(const Layers& layers)
{
    const auto rank = ranksOf(layers);
    std::size_t count = 0;
    for (const auto& column : layers.columns) {
        std::vector<std::pair<double, double>> ends;
        for (const std::size_t cell : column)
            for (const std::size_t number : layers.out[cell]) {
                const Link& link = layers.links[number];
                ends.emplace_back(standing(layers, rank, cell, link.leaves),
                                  standing(layers, rank, link.to, link.arrives));
            }
        std::sort(ends.begin(), ends.end());
        std::vector<double> right;
        for (const auto& [from, to] : ends)
            right.push_back(to);
        count += inversions(right, 0, right.size());
    }
    return count;
}

void orderColumns(Layers& layers)
{
    auto rank = ranksOf(layers);
    auto best = layers.columns;
    std::size_t least = crossings(layers);
    for (int sweep = 0; sweep < kSweeps && (least > 0 || sweep < 2); ++sweep) {
        const bool byLeft = sweep % 2 == 0;
        for (std::size_t i = 1; i < layers.columns.size(); ++i)
            sortColumn(layers, byLeft ? i : layers.columns.size() - 1 - i, byLeft, rank);
        if (const std::size_t now = crossings(layers); now < least) {
            least = now;
            best = layers.columns;
        }
    }
    layers.columns = std::move(best);
}

} // namespace unroll
