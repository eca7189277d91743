// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/kernels/gru_steps/gru_steps_params.h"

namespace unroll::kernels {

using GruStepsPass = CpuPass<GruStepsForward, GruStepsBackward, float, double>;

/// One pass over all steps of some sequences, on the calling thread; a column is a sequence. Different threads may take different sequences of
/// the same arrays.
void scanOnCpu(const GruStepsPass& pass, ColumnRange sequences);

} // namespace unroll::kernels
