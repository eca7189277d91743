// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/studio/curves/shown_run.h"

#include <QString>
#include <span>
#include <string>

namespace unroll {

// Not every run can be drawn in every way: what is left out is said, with the reason.

/// Why a run has no curve on this scale, or over this axis: "its loss is in squared error". Empty: it can have one.
QString whyNotShown(const ShownRun& run, const CurveChoice& choice);
QString whyNotOver(const ShownRun& run, XUnit unit);
/// Either of them.
QString whyLeftOut(const ShownRun& run, const CurveChoice& choice, XUnit unit);

/// Why none of the runs can; empty where one can, or there is none.
QString whyNoneShown(const ShownRun& run, std::span<const ShownRun> others, const CurveChoice& choice);
QString whyNoneOver(const ShownRun& run, std::span<const ShownRun> others, XUnit unit);

/// What a loss is drawn in: the unit of the current run, or of the first other run with a unit. Empty: none.
std::string lossUnitOf(const ShownRun& run, std::span<const ShownRun> others);

/// "Left out: mine-2 (its loss is in squared error)." Empty where nothing is.
QString leftOutText(const ShownRun& run, std::span<const ShownRun> others, const CurveChoice& choice, XUnit unit);

} // namespace unroll
