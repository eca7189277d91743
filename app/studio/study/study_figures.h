// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/studio/study/study_view_state.h"
#include "core/lens/figure.h"

namespace unroll {

/// Each setting against the objective: a panel a setting, the most important first, points for trials. Units are the
/// numbers of the trials.
Figure studySlices(const StudyPlot& plot);

/// A bar a setting: the share of what decides the objective, as Optuna has found it. Without panels where it has found
/// none; then the line says why.
Figure studyImportances(const StudyPlot& plot);

} // namespace unroll
