// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/studio/lenses/state/heat_map_data.h"
#include "app/studio/plot/colour_map.h"

#include <QImage>

namespace unroll {

class Appearance;

/// The cells of a heat map as an image in the colours of the theme, kept until they, their order, the size or the theme
/// are others.
class HeatMapPicture {
public:
    explicit HeatMapPicture(const Appearance& appearance);

    void themeChanged();
    void forget() { m_for = {}; }
    /// At most as large as `device`, the size of all cells in device pixels, seen or not.
    const QImage& of(const HeatMapData& data, const QSize& device);
    const ColourMap& colours(bool diverging) const { return diverging ? m_diverging : m_sequential; }
    /// How often it was made: once for a frame, an order, a size or a theme, never for a move of the hand.
    int timesMade() const { return m_timesMade; }

private:
    const Appearance& m_appearance;
    ColourMap m_diverging;
    ColourMap m_sequential;
    QImage m_image;
    QSize m_for;
    int m_timesMade = 0;
};

} // namespace unroll
