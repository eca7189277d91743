// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/studio/lenses/span_brush.h"
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
        std::optional<std::int64_t> step = {};   ///< that all views of the reading point at
        std::vector<std::int64_t> selected = {}; ///< units
        StepSpan span = {};                      ///< that was brushed

        std::optional<HeatMapCell> pointed() const { return hovered ? hovered : marked; }
        std::optional<std::int64_t> column() const { return pointed() ? std::optional(pointed()->step) : step; }
    };

    HeatMapPainter(QPainter& painter, const HeatMapData& data, const HeatMapPlaces& places,
                   const Appearance& appearance, const Hand& hand);

    /// All of it but the ring of the keyboard.
    void paint(HeatMapPicture& picture, double devicePixelRatio);
    /// Below the map: the characters, or the numbers of the steps; `corner` stands beside them.
    void paintFoot(const QString& corner);

private:
    void paintCells(const QImage& image);
    void paintUnits();
    void paintHeads();
    void paintCharacters(const QString& corner);
    void paintSteps();
    void paintLookedAt();
    void paintBar(const ColourMap& colours);
    void paintProfile();
    void paintProfileStep(const QRectF& area, std::int64_t step);
    void paintPhases(const QRectF& bar);
    void paintStep();
    void paintSpan();
    void paintSelected();
    void paintHovered();
    void paintMarked();

    QPainter& m_painter;
    const HeatMapData& m_data;
    const HeatMapPlaces& m_places;
    const Appearance& m_appearance;
    const Hand m_hand;
    const QRectF m_map;
    const QRectF m_content; ///< all cells, also those beyond the map
};

} // namespace unroll
