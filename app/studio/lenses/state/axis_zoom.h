// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>

namespace unroll {

/// How much of one axis of a heat map is seen: all of its cells, or a part of them that can be moved along. In pixels
/// of the view.
class AxisZoom {
public:
    /// No cell is smaller than `least`: where that is more than there is room for, a part is seen; 0: all of them
    /// always fit.
    explicit AxisZoom(double least) : m_least(least) {}

    /// The middle of what is seen stays where it is.
    void setExtent(std::int64_t cells, double room);
    double cell() const; ///< the size of one
    double content() const { return cell() * static_cast<double>(m_cells); }
    double room() const { return m_room; }
    bool isPart() const { return content() > m_room + 0.5; } ///< not all of them are seen
    double offset() const { return m_offset; }               ///< of the room within the content
    void scrollTo(double offset);
    /// What lies at `at` of the room stays there.
    void zoomBy(double factor, double at);
    bool isZoomed() const { return m_zoom > 1; }
    void fit();
    /// Moves no further than it takes to see the cell.
    void reveal(std::int64_t cell);

    double placeOf(std::int64_t cell) const { return static_cast<double>(cell) * this->cell() - m_offset; }
    std::int64_t cellAt(double place) const; ///< the nearest that there is
    std::int64_t first() const { return cellAt(0); }
    std::int64_t last() const { return cellAt(m_room - 1e-6); }

private:
    double fitting() const; ///< the size of a cell at which as many are seen as can be

    double m_least;
    std::int64_t m_cells = 0;
    double m_room = 0;
    double m_zoom = 1;
    double m_offset = 0;
};

} // namespace unroll
