// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <array>
#include <cstdint>
#include <vector>

namespace unroll {

/// A colour, sRGB, channels 0..1.
struct Ink {
    double red = 0, green = 0, blue = 0;

    bool operator==(const Ink&) const = default;
};

/// 0xrrggbb.
constexpr Ink inkOf(std::uint32_t code)
{
    return {static_cast<double>(code >> 16 & 0xff) / 255, static_cast<double>(code >> 8 & 0xff) / 255,
            static_cast<double>(code & 0xff) / 255};
}

/// Colours of values, from the least to the greatest, at equal steps between control colours in Oklab (Ottosson 2020).
class InkMap {
public:
    explicit InkMap(const std::vector<Ink>& controls);

    /// `share` 0..1, clipped.
    const Ink& at(double share) const;

private:
    std::array<Ink, 256> m_table;
};

/// Every colour of a figure in one theme: those of the studio's.
struct Inks {
    Ink surface, text, dim, grid, axis, missing;
    std::vector<Ink> series; ///< in the order of a panel's series
    InkMap diverging;        ///< its middle is zero
    InkMap sequential;
    InkMap cyclic; ///< both ends are one colour, and lightness distinguishes the halves of the circle
};

const Inks& figureInks(bool dark);

} // namespace unroll
