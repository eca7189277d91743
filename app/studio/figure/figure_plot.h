// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/studio/figure/figure_axes.h"
#include "app/studio/figure/figure_cells.h"
#include "app/studio/plot/column_labels.h"

#include <QPointF>
#include <QRectF>
#include <memory>
#include <optional>

namespace unroll {

class Appearance;

/// One value of a panel.
struct FigureMark {
    std::optional<std::size_t> series; ///< nothing: a cell
    std::int64_t index = 0;            ///< of the point; of the cell's column
    std::int64_t row = 0;              ///< of the cell

    bool operator==(const FigureMark&) const = default;
};

/// Room beside the area that is drawn on: of all panels of a figure, so that their areas stand under one another.
struct FigureMargins {
    double left = 0;
    double right = 0;
};

/// Where everything of one panel lies, without a widget. Pixels from the top left corner of its place.
class FigurePlot {
public:
    struct Entry {
        std::size_t series;
        QRectF place; ///< of the sign and the name
    };

    /// A panel of a figure whose panels of steps have `steps` of them.
    FigurePlot(std::shared_ptr<const Figure> figure, std::size_t panel, std::int64_t steps);

    const FigurePanel& panel() const { return m_figure->panels[m_index]; }
    const FigureAxes& axes() const { return m_axes; }
    const std::optional<HeatEnds>& cellRange() const { return m_cellRange; }
    bool hasColourBar() const { return m_cellRange.has_value(); }

    FigureMargins leastMargins(const Appearance& appearance) const;
    double leastHeight(const Appearance& appearance) const; ///< rows of cells are two pixels high, others can be read
    void layOut(const QSizeF& size, const FigureMargins& margins, const Appearance& appearance);

    const QSizeF& size() const { return m_size; }
    const QRectF& area() const { return m_area; }
    const ColumnLabels& labels() const { return m_labels; } ///< under the area; none: there are ticks
    const std::vector<Entry>& legend() const { return m_legend; }
    std::size_t legendLeftOut() const { return m_legendLeftOut; } ///< names without room
    int ticksDown() const { return m_ticksDown; }                 ///< wanted beside the area
    int ticksAcross() const { return m_ticksAcross; }

    QPointF at(double x, double y) const;
    QPointF ruleAt(const FigureRule& rule) const; ///< at the left or the lower edge
    bool isShown(double x, double y) const;       ///< a number, and on the axes
    QRectF bar(std::size_t series, std::size_t index) const;
    QRectF cell(std::int64_t row, std::int64_t column) const;
    /// Where the mark lies; nothing: it is not a number, or there is none.
    std::optional<QPointF> placeOf(const FigureMark& mark) const;
    bool has(const FigureMark& mark) const;

    /// What is under the pointer; nothing: it is beside the area, or far from all.
    std::optional<FigureMark> nearest(const QPointF& at) const;
    std::optional<std::int64_t> stepAt(const QPointF& at) const; ///< nothing: none of steps, or beside the area
    std::int64_t stepNear(double x) const;                       ///< brought into the area
    std::optional<std::int64_t> stepOf(const FigureMark& mark) const;
    std::int64_t steps() const { return panel().x.steps ? m_steps : 0; }
    std::vector<std::int64_t> unitsOf(const FigureMark& mark) const; ///< empty: it stands for none

private:
    void layOutLegend(double titleWidth, double rowHeight, const Appearance& appearance);
    double footer(const Appearance& appearance) const;
    void makeSquare();
    bool hasPlaces() const; ///< the labels of x stand under places that fill the area

    std::shared_ptr<const Figure> m_figure;
    std::size_t m_index;
    std::int64_t m_steps;
    FigureAxes m_axes;
    std::optional<HeatEnds> m_cellRange;
    QSizeF m_size;
    QRectF m_area;
    ColumnLabels m_labels;
    std::vector<Entry> m_legend;
    std::size_t m_legendLeftOut = 0;
    double m_head = 0; ///< of title and legend
    int m_ticksDown = 2;
    int m_ticksAcross = 2;
};

} // namespace unroll
