// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/studio/lenses/state/axis_zoom.h"
#include "app/studio/lenses/state/heat_map_data.h"
#include "app/studio/plot/column_labels.h"

#include <QRectF>
#include <memory>

class QWidget;

namespace unroll {

class Appearance;

/// What lies where in a heat map: steps to the right with their characters below, a row a unit, the values of one step
/// beside it, a colour bar. Pixels of the view, at its size of now.
class HeatMapPlaces {
public:
    static constexpr double kLabelGap = 3; ///< px between the map and the labels below it
    static constexpr double kLeastRow = 2; ///< px

    HeatMapPlaces(const QWidget& view, const HeatMapData& data, const Appearance& appearance);

    /// To be called where the size, the fonts, the characters or what is seen of the steps are others. The height of
    /// the map hangs on how many lines they take.
    void layOutLabels();
    /// Steps that are seen alike in several maps, which are equally wide: of those that are hidden none says how wide.
    /// A map of one vector for all steps has its own.
    void shareSteps(std::shared_ptr<AxisZoom> steps);
    /// Whether the characters stand below: not in a map that has another one beneath it.
    void setLabelled(bool labelled) { m_labelled = labelled; }
    bool isLabelled() const { return m_labelled; }
    AxisZoom& steps() const { return m_data.cells().steps == 1 ? *m_own : *m_shared; }
    AxisZoom& rows() const { return *m_rows; }
    QRectF content() const;                                 ///< all cells, also those beyond the map
    QRectF scrollBar() const;                               ///< of the rows, beside the map
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
    bool m_labelled = true;
    bool m_shares = false;
    std::shared_ptr<AxisZoom> m_own = std::make_shared<AxisZoom>(0); ///< of the steps
    std::shared_ptr<AxisZoom> m_shared = std::make_shared<AxisZoom>(0);
    std::shared_ptr<AxisZoom> m_rows = std::make_shared<AxisZoom>(kLeastRow);
};

} // namespace unroll
