// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/studio/theme/theme.h"

#include <QRgb>
#include <array>

namespace unroll {

/// A colour in Oklab: lightness 0..1 and two opponent axes. Equal distances look about equally large.
/// Source: B. Ottosson, "A perceptual color space for image processing" (2020).
struct Oklab {
    double lightness = 0;
    double a = 0;
    double b = 0;
};
Oklab toOklab(const QColor& color);
QColor fromOklab(const Oklab& lab); ///< channels outside the gamut are clipped
double distance(const Oklab& a, const Oklab& b);

/// 256 colours in steps of equal perceived size.
class ColourMap {
public:
    /// Through the control colours, from the least value to the greatest.
    static ColourMap sequential(const QVector<QColor>& controls);
    /// The middle control is zero; each half is evened out for itself, so that zero stays in the middle.
    static ColourMap diverging(const QVector<QColor>& controls);

    QRgb operator[](int i) const { return m_table[static_cast<std::size_t>(i)]; }

private:
    std::array<QRgb, 256> m_table{};
};

} // namespace unroll
