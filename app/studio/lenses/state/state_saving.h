// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/studio/lenses/state/state_stack.h"
#include "core/base/result.h"
#include "core/lens/state/state.h"

#include <string>
#include <vector>

namespace unroll {

/// What a view draws, in the order of its rows and under its scale; nothing is shown: no values.
std::shared_ptr<const StateData> drawnIn(const HeatMapView& map);

/// One line per value: signal, unit, step, label, value, drawn; of complex signals phase too. `value` is as it was
/// read, of a complex signal its size.
std::string stateCsv(const std::vector<std::shared_ptr<const StateData>>& signals);
/// For each signal NODE.SIGNAL as it was read, NODE.SIGNAL.drawn [rows, steps] and NODE.SIGNAL.units [rows].
Result<void> writeStateNpz(const std::vector<std::shared_ptr<const StateData>>& signals, const std::string& path);
/// All of them as one drawing, in SVG, so many pixels wide.
QByteArray stateSvg(const std::vector<std::shared_ptr<const StateData>>& signals, const Appearance& appearance,
                    int width);
/// The picture below its one line.
QByteArray statePng(const StateStack& stack, const QString& shows, const Appearance& appearance);

} // namespace unroll
