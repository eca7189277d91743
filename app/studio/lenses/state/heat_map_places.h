// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/studio/plot/column_labels.h"
#include "app/studio/lenses/state/heat_map_data.h"

#include <QRectF>

class QWidget;

namespace unroll {

class Appearance;

/// What lies where in a heat map: steps to the right with their characters below, a row a unit, the values of one step beside it, a colour
/// bar. Pixels of the view, at its size of now.
class HeatMapPlaces {
public:
    static constexpr double labelGap = 3; ///< px between the map and the labels below it

    HeatMapPlaces(const QWidget& view, const HeatMapData& data, const Appearance& appearance);

    /// To be called where the width, the fonts or the characters are others. The height of the map hangs on how many lines they take.
    void layOutLabels();
    const ColumnLabels& labels() const { return m_labels; } ///< of the characters; none where numbers were read
    double labelLine() const { return m_labelLine; }        ///< the height of a line of them

    double width() const; ///< of the view
    QRectF map() const;
    QRectF characters() const; ///< the row below the map
    QRectF profile() const;    ///< empty where there is no room for it
    QRectF bar() const;        ///< of colours
    QRectF cell(const HeatMapCell& cell) const;
    QRectF label(const ColumnLabels::Label& label) const;

    std::optional<HeatMapCell> at(const QPointF& position) const;
    HeatMapCell nearest(const QPointF& position) const; ///< there are cells

private:
    const QWidget& m_view;
    const HeatMapData& m_data;
    const Appearance& m_appearance;
    ColumnLabels m_labels;
    double m_labelLine = 0;
};

} // namespace unroll
