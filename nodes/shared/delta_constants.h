// SPDX-License-Identifier: GPL-3.0-or-later
// Numbers of flash-linear-attention's delta layers that no parameter sets. Standard library only.
#pragma once

namespace unroll::nodes {

inline constexpr double kDeltaNormEpsilon = 1e-5;
inline constexpr double kDeltaLengthEpsilon = 1e-6; ///< below the root of a key's squared length
inline constexpr double kSmallestDeltaStep = 1e-3;  ///< steps of the forget gate begin log-uniformly between both
inline constexpr double kLargestDeltaStep = 1e-1;

} // namespace unroll::nodes
