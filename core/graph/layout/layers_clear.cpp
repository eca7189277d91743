// SPDX-License-Identifier: GPL-3.0-or-later
// Nodes of a layered layout give way to the wires that pass them.
#include "core/graph/layout/column_spacing.h"
#include "core/graph/layout/wire_curve.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace unroll {

namespace {

constexpr int kRounds = 16;
constexpr double kWireWeight = 1000; ///< of a node: 1
constexpr int kSamplesAColumn = 16;

/// A wire with lanes: the links at its ends, and its lanes from left to right.
struct LongWire {
    const Link* first = nullptr;
    const Link* last = nullptr;
    std::vector<std::size_t> lanes;
};

std::vector<LongWire> longWires(const Layers& layers)
{
    std::vector<LongWire> wires;
    for (const Link& link : layers.links) {
        if (layers.cells[link.from].isLane() || !layers.cells[link.to].isLane())
            continue;
        LongWire wire{&link, &link, {}};
        while (layers.cells[wire.last->to].isLane()) {
            wire.lanes.push_back(wire.last->to);
            wire.last = &layers.links[layers.out[wire.last->to].front()];
        }
        wires.push_back(std::move(wire));
    }
    return wires;
}

/// How high a wire stands somewhere: from `top` to `bottom`.
struct Band {
    double top = std::numeric_limits<double>::infinity();
    double bottom = -std::numeric_limits<double>::infinity();
};

/// On the grid, and one where between two there is less than `room`.
std::vector<Band> joined(std::vector<Band> bands, double room)
{
    for (Band& band : bands)
        band = {std::floor(band.top / kLayoutGrid) * kLayoutGrid, std::ceil(band.bottom / kLayoutGrid) * kLayoutGrid};
    std::sort(bands.begin(), bands.end(), [](const Band& a, const Band& b) { return a.top < b.top; });
    std::vector<Band> all;
    for (const Band& band : bands)
        if (!all.empty() && band.top < all.back().bottom + room)
            all.back().bottom = std::max(all.back().bottom, band.bottom);
        else
            all.push_back(band);
    return all;
}

class Clearing {
public:
    Clearing(const Layers& layers, const std::vector<double>& lefts)
        : m_layers(layers), m_lefts(lefts), m_widths(widthsOf(layers)), m_wires(longWires(layers))
    {}

    std::size_t hidden(const std::vector<double>& tops) const
    {
        return static_cast<std::size_t>(std::count_if(m_wires.begin(), m_wires.end(), [&](const LongWire& wire) {
            const auto bands = bandsOf(wire, tops);
            for (std::size_t i = 0; i < bands.size(); ++i)
                for (const std::size_t cell : m_layers.columns[m_layers.cells[wire.lanes[i]].layer])
                    if (!m_layers.cells[cell].isLane() && tops[cell] < bands[i].bottom &&
                        bands[i].top < tops[cell] + m_layers.cells[cell].height)
                        return true;
            return false;
        }));
    }

    /// Moves nodes out of where the wires are now.
    void giveWay(std::vector<double>& tops) const
    {
        std::vector<std::vector<Band>> taken(m_layers.columns.size());
        for (const LongWire& wire : m_wires) {
            const auto bands = bandsOf(wire, tops);
            for (std::size_t i = 0; i < bands.size(); ++i)
                taken[m_layers.cells[wire.lanes[i]].layer].push_back(bands[i]);
        }
        for (std::size_t column = 0; column < taken.size(); ++column)
            if (!taken[column].empty())
                space(column, joined(std::move(taken[column]), leastRoom(column)), tops);
    }

private:
    /// Where the wire is drawn in the column of each of its lanes.
    std::vector<Band> bandsOf(const LongWire& wire, const std::vector<double>& tops) const
    {
        const Cell &from = m_layers.cells[wire.first->from], &to = m_layers.cells[wire.last->to];
        const WireCurve curve =
            wireCurve({m_lefts[from.layer] + from.width, tops[wire.first->from] + wire.first->leaves},
                      {m_lefts[to.layer], tops[wire.last->to] + wire.last->arrives});
        std::vector<Band> bands(wire.lanes.size());
        const int samples = kSamplesAColumn * static_cast<int>(wire.lanes.size() + 1);
        const auto layerOf = [&](std::size_t lane) { return m_layers.cells[wire.lanes[lane]].layer; };
        std::size_t at = 0;
        for (int i = 0; i <= samples; ++i) {
            const Place point = curve.at(static_cast<double>(i) / samples);
            while (at < bands.size() && point.x > m_lefts[layerOf(at)] + m_widths[layerOf(at)])
                ++at;
            if (at == bands.size())
                break;
            if (point.x < m_lefts[layerOf(at)])
                continue;
            bands[at].top = std::min(bands[at].top, point.y);
            bands[at].bottom = std::max(bands[at].bottom, point.y);
        }
        return bands;
    }

    /// What the lowest node of a column needs between two wires.
    double leastRoom(std::size_t column) const
    {
        double least = std::numeric_limits<double>::infinity();
        for (const std::size_t cell : m_layers.columns[column])
            if (!m_layers.cells[cell].isLane())
                least = std::min(least, m_layers.cells[cell].height);
        return least + 2 * kMixedGap;
    }

    /// The nodes of a column beside what is taken of it, each on the side where more of it stands already.
    void space(std::size_t column, const std::vector<Band>& taken, std::vector<double>& tops) const
    {
        struct Item {
            Cell cell;
            double top;
            std::size_t node; ///< none: taken
        };
        constexpr auto none = static_cast<std::size_t>(-1);
        std::vector<Item> items;
        for (const std::size_t cell : m_layers.columns[column])
            if (!m_layers.cells[cell].isLane())
                items.push_back({m_layers.cells[cell], tops[cell], cell});
        for (const Band& band : taken)
            items.push_back({Cell{0, column, 0, band.bottom - band.top}, band.top, none});
        const auto middle = [](const Item& item) { return item.top + item.cell.height / 2; };
        std::stable_sort(items.begin(), items.end(),
                         [&](const Item& a, const Item& b) { return middle(a) < middle(b); });
        ColumnSpacing spacing;
        for (const Item& item : items)
            spacing.add(item.cell, item.top, item.node == none ? kWireWeight : 1);
        const auto spaced = spacing.tops(kLayoutGrid);
        for (std::size_t i = 0; i < items.size(); ++i)
            if (items[i].node != none)
                tops[items[i].node] = spaced[i];
    }

    const Layers& m_layers;
    const std::vector<double>& m_lefts;
    std::vector<double> m_widths;
    std::vector<LongWire> m_wires;
};

} // namespace

std::vector<double> widthsOf(const Layers& layers)
{
    std::vector<double> widths(layers.columns.size(), 0);
    for (const Cell& cell : layers.cells)
        widths[cell.layer] = std::max(widths[cell.layer], cell.width);
    return widths;
}

std::vector<double> leftsOf(const Layers& layers, double gap)
{
    std::vector<double> lefts;
    double left = 0;
    for (const double width : widthsOf(layers)) {
        lefts.push_back(left);
        left += width + gap;
    }
    return lefts;
}

std::vector<double> clearedTops(const Layers& layers, const std::vector<double>& lefts, std::vector<double> tops)
{
    const Clearing clearing(layers, lefts);
    std::vector<double> best = tops;
    std::size_t least = clearing.hidden(tops);
    for (int round = 0; round < kRounds && least > 0; ++round) {
        clearing.giveWay(tops);
        if (const std::size_t now = clearing.hidden(tops); now < least) {
            least = now;
            best = tops;
        }
    }
    return best;
}

} // namespace unroll
