// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

/// The spacing grid and the radii, in device-independent pixels. Every margin and gap of the studio is one of these.
namespace unroll::space {

inline constexpr int xs = 4;
inline constexpr int s = 8;
inline constexpr int m = 12;
inline constexpr int l = 16;
inline constexpr int xl = 24;

inline constexpr double radius = 8;      ///< nodes, cards
inline constexpr double radiusSmall = 4; ///< fields, labels

} // namespace unroll::space
