// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

/// The spacing grid and the radii, in device-independent pixels. Every margin and gap of a layout, a table or a text is
/// one of these; what lies inside a control stands in studio.qss.
namespace unroll::space {

inline constexpr int xs = 4;
inline constexpr int s = 8;
inline constexpr int m = 12;
inline constexpr int l = 16;
inline constexpr int xl = 24;

inline constexpr double radius = 8;      ///< nodes, cards
inline constexpr double radiusSmall = 4; ///< fields, labels

} // namespace unroll::space
