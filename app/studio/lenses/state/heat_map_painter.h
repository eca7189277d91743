// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/studio/lenses/state/heat_map_places.h"

class QPainter;

namespace unroll {

class HeatMapPicture;
class ColourMap;

/// Paints a heat map once: what it is of, where it lies, and what the hand is at.
class HeatMapPainter {
public:
    /// What the reader has under the hand and has marked; nothing where that is not in the map.
    struct Hand {
        std::optional<HeatMapCell> hovered;
        std::optional<HeatMapCell> marked;

        std::optional<HeatMapCell> pointed() const { return hovered ? hovered : marked; }
    };

    HeatMapPainter(QPainter& painter, const HeatMapData& data, const HeatMapPlaces& places,
                   const Appearance& appearance, const Hand& hand);

    /// All of it but the ring of the keyboard.
    void paint(HeatMapPicture& picture, double devicePixelRatio);

private:
    void paintUnits();
    void paintHeads();
    void paintCharacters();
    void paintSteps();
    void paintLookedAt();
    void paintBar(const ColourMap& colours);
    void paintProfile();
    void paintProfileHint(const QRectF& area);
    void paintHovered();
    void paintMarked();

    QPainter& m_painter;
    const HeatMapData& m_data;
    const HeatMapPlaces& m_places;
    const Appearance& m_appearance;
    const Hand m_hand;
    const QRectF m_map;
};

} // namespace unroll
