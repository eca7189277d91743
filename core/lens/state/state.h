// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/lens/lens.h"
#include "core/lens/state/unit_order.h"

#include <optional>
#include <string>

namespace unroll {

/// What a map has a row for.
enum class StateDraw {
    Units,   ///< each unit, over the steps
    Matrices ///< each row of the matrices at one step, a panel for each matrix
};

/// One signal as it was read, with the labels of its steps: what a heat map draws. Both settings are how it is drawn;
/// the snapshot itself is as it was.
struct StateData : LensData {
    ProbeFrame look; ///< this one signal alone, no forecasts
    UnitOrder order = UnitOrder::Index;
    UnitScale scale = UnitScale::Shared;
    /// The unit in each row where they stand otherwise than the order has them by now, or are fewer; empty: as it has
    /// them.
    std::vector<std::int64_t> rows = {};
    std::vector<UnitRange> ranges = {}; ///< likewise of the scale
    StateDraw draw = StateDraw::Units;
    std::int64_t at = 0; ///< of matrices: the step that is drawn

    std::vector<std::int64_t> unitRowsDrawn() const;
    HeatCells drawn() const; ///< by the units' index, under the scale

    /// Rows in the order, values under the scale; of a complex signal the moduli, and the phases below. Arrays: the
    /// values as they were read, "raw" [steps, units], [steps, units, 2] of a complex signal, [steps, matrices, rows,
    /// columns] of matrices, [steps, heads, steps] of attention; under a scale of the units also "centre" and "size"
    /// [units], by index: a value x is drawn as (x - centre) / size. Matrices of one step are drawn under one range of
    /// colours; the order is not theirs, and the arrays have every step.
    Figure figure() const override;
    /// Rows in this one's order, each beside the unit of the other whose values go with it over the reading
    /// (match_units.h).
    Result<MatchedFigures> matched(const LensData& second) const override;

private:
    void addMap(Figure& figure, const HeatCells& cells) const;
};

/// How a map of the signal is to be read: "a row is a unit, a column a step".
std::string mapText(const SignalFrame& frame, UnitOrder order);
/// One line: what is shown, of which data and how many steps, and how to read it.
std::string stateShows(const SignalFrame& frame, const std::string& of, const std::string& read, UnitScale scale);

/// As the window asks: it orders and scales what it was given by the same functions.
LensQuery stateQuery(const WatchedSignal& watched);
/// In this order and on this scale.
LensQuery stateQuery(const WatchedSignal& watched, UnitOrder order, UnitScale scale);

/// The snapshot behind a figure that was made with the units in their order and on their scale, as one that was kept;
/// nothing: it is none of those. `of`: what was read.
std::optional<ProbeFrame> lookOf(const Figure& figure, const LensQuery& query, std::int64_t step,
                                 const std::string& of);

/// What a frame of the State shows; null where it shows nothing.
inline std::shared_ptr<const ProbeFrame> stateLook(const std::shared_ptr<const LensFrame>& frame)
{
    const auto data = dataOf<StateData>(frame);
    return data ? std::shared_ptr<const ProbeFrame>(data, &data->look) : nullptr;
}

} // namespace unroll
