// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/studio/lenses/state/heat_scale.h"
#include "core/lens/frame.h"
#include "core/lens/state/unit_order.h"

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

/// What a heat map shows: the cells of one signal of one snapshot, their scale, the order of the rows, and the cells in
/// words.
class HeatMapData {
    Q_DECLARE_TR_FUNCTIONS(HeatMapData)
public:
    /// Signal `index` of the frame; an empty frame or an index beyond it has no cells. True: it is of the signal and
    /// the text that were here before; then the rows stay as they are, else they are to be put in order again.
    bool setFrame(std::shared_ptr<const ProbeFrame> frame, std::size_t index);
    bool isEmpty() const { return m_cells.values.empty(); }
    const SignalFrame& signal() const { return m_frame->signalFrames[m_index]; } ///< there are cells
    const HeatCells& cells() const
    {
        return m_cells;
    } ///< by the units' index, whatever the order of the rows: as they were read
    /// The same under the scale of the units: what is drawn.
    const HeatCells& drawn() const { return m_ranges.empty() ? m_cells : m_drawn; }
    /// By the units' index, in radians: those of a complex signal whose phase is shown; else none.
    const std::vector<float>& phases() const { return m_phases; }
    std::int64_t missing() const { return m_cells.missing; }
    const HeatScale& scale() const { return m_scale; }
    /// While held the ends of the scale stay for all frames of one signal and text, so that their colours compare.
    void holdScale(bool held) { m_scaleHeld = held; }

    void setUnitScale(UnitScale scale);
    UnitScale unitScale() const { return m_unitScale; }
    const std::vector<UnitRange>& ranges() const { return m_ranges; } ///< of each unit; none: they share one scale
    void showPhase(bool shown);
    bool hasPhase() const { return !isEmpty() && signal().look == SignalKind::Complex; }

    void setOrder(UnitOrder order); ///< of the cells as they are now
    /// In an order that was found elsewhere: each unit once, from the top. Nothing happens where they are not the units
    /// of the cells.
    void setRows(std::vector<std::int64_t> rows);
    void reorder();
    UnitOrder order() const { return m_order; }
    const std::vector<std::int64_t>& rows() const { return m_rows; } ///< the unit in each row, from the top
    std::int64_t rowOf(std::int64_t unit) const { return m_rowOf[static_cast<std::size_t>(unit)]; }
    bool canReorder() const { return m_cells.heads == 0; } ///< rows of attention go by head and step
    HeatCells inOrder() const;                             ///< the drawn cells as the rows have them
    HeatCells phasesInOrder() const;
    /// One step as it is drawn in the order of the rows, in at most `rows` of them.
    HeatCells column(std::int64_t step, std::int64_t rows) const;

    std::optional<HeatMapCell> inside(const std::optional<HeatMapCell>& cell) const; ///< nothing beyond the cells
    HeatMapCell first() const { return {0, m_rows.front()}; }

    const ProbeFrame& frame() const { return *m_frame; } ///< there are cells
    QString describe(const HeatMapCell& cell) const;     ///< character, its place, unit and value in words
    QString stepText(std::int64_t step) const;           ///< “c”, character 3 of 40

private:
    bool goesOn(const ProbeFrame& frame, std::size_t index) const;
    QString rowText(std::int64_t unit) const;
    QString drawnText(const HeatMapCell& cell)
        const; ///< what else is to be said of the value: its phase, or its place on the unit's scale
    void rescale();
    void place(std::vector<std::int64_t> rows);

    std::shared_ptr<const ProbeFrame> m_frame;
    std::size_t m_index = 0; ///< of the signal in the frame
    HeatCells m_cells;
    HeatCells m_drawn;               ///< where the units have scales of their own
    std::vector<UnitRange> m_ranges; ///< of each unit; none: they share one scale
    UnitScale m_unitScale = UnitScale::Shared;
    std::vector<float> m_phases;
    bool m_phaseShown = false;
    HeatScale m_scale;
    bool m_scaleHeld = false;
    UnitOrder m_order = UnitOrder::Index;
    std::vector<std::int64_t> m_rows;
    std::vector<std::int64_t> m_rowOf; ///< the inverse: the row of each unit
};

} // namespace unroll
