// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/block/infer.h"

namespace unroll {

/// Numbers that a State holds of one sequence, in all its tensors: 2 x units for an LSTM (h and c).
inline std::int64_t stateNumbers(const Shape& state)
{
    return product({state.width, state.parts});
}

} // namespace unroll
