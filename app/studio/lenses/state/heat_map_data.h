// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/studio/lenses/state/heat_scale.h"
#include "app/studio/lenses/state/unit_order.h"
#include "core/lens/frame.h"

#include <QCoreApplication>
#include <memory>
#include <optional>

namespace unroll {

/// One value of a heat map.
struct HeatMapCell {
    std::int64_t step;
    std::int64_t unit; ///< by its index
    bool operator==(const HeatMapCell&) const = default;
};

/// What a heat map shows: the cells of one signal of one snapshot, their scale, the order of the rows, and the cells in words.
class HeatMapData {
    Q_DECLARE_TR_FUNCTIONS(HeatMapData)
public:
    /// Signal `index` of the frame; an empty frame or an index beyond it has no cells. True: it is of the signal and the text that were here
    /// before; then the rows stay as they are, else they are to be put in order anew.
    bool setFrame(std::shared_ptr<const ProbeFrame> frame, std::size_t index);
    bool isEmpty() const { return m_cells.values.empty(); }
    const HeatCells& cells() const { return m_cells; } ///< by the units' index, whatever the order of the rows
    std::int64_t missing() const { return m_cells.missing; }
    const HeatScale& scale() const { return m_scale; }
    /// While held the ends of the scale stay for all frames of one signal and text, so that their colours compare.
    void holdScale(bool held) { m_scaleHeld = held; }

    void setOrder(UnitOrder order); ///< of the cells as they are now
    void reorder();
    UnitOrder order() const { return m_order; }
    const std::vector<std::int64_t>& rows() const { return m_rows; } ///< the unit in each row, from the top
    std::int64_t rowOf(std::int64_t unit) const { return m_rowOf[static_cast<std::size_t>(unit)]; }
    bool canReorder() const { return m_cells.heads == 0; } ///< rows of attention go by head and step
    HeatCells inOrder() const;                             ///< the cells as the rows have them
    /// One step in the order of the rows, in at most `rows` of them.
    HeatCells column(std::int64_t step, std::int64_t rows) const;

    std::optional<HeatMapCell> inside(const std::optional<HeatMapCell>& cell) const; ///< nothing beyond the cells
    HeatMapCell first() const { return {0, m_rows.front()}; }

    const ProbeFrame& frame() const { return *m_frame; } ///< there are cells
    QString describe(const HeatMapCell& cell) const;     ///< character, its place, unit and value in words

private:
    bool goesOn(const ProbeFrame& frame, std::size_t index) const;
    QString stepWords(std::int64_t step) const; ///< “c”, character 3 of 40
    QString rowWords(std::int64_t unit) const;

    std::shared_ptr<const ProbeFrame> m_frame;
    std::size_t m_index = 0; ///< of the signal in the frame
    HeatCells m_cells;
    HeatScale m_scale;
    bool m_scaleHeld = false;
    UnitOrder m_order = UnitOrder::Index;
    std::vector<std::int64_t> m_rows;
    std::vector<std::int64_t> m_rowOf; ///< the inverse: the row of each unit
};

} // namespace unroll
