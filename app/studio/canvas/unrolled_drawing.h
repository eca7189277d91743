// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/studio/canvas/unrolled.h"

#include <QRectF>
#include <QSizeF>

class QPainter;

namespace unroll {

class Appearance;

constexpr int kUnrolledSteps = 5;

/// An arrow with a head of two lines, in the painter's pen.
void paintArrow(QPainter& painter, const QPointF& from, const QPointF& to, double head);
/// "x" with the step below it, "t-2" of step 0 and "t+2" of step 4, around a point; in the painter's font and pen.
void paintAtStep(QPainter& painter, const QPointF& middle, const QString& letter, int step);

/// The picture of a node over five steps, t-2 to t+2: x below, its cells, y above, what goes on to the next step as
/// arrows to the right (to the left too where it reads both ways). Laid out once; its top left corner is the origin.
class UnrolledDrawing {
public:
    UnrolledDrawing(Unrolled what, const Appearance& appearance);

    const Unrolled& what() const { return m_what; }
    QSizeF size() const { return m_size; }
    QRectF cellAt(int step, int cell) const; ///< where a cell of a step stands
    double labelOf(bool output) const;       ///< the height of the line of the y, or of the x
    void paint(QPainter& painter) const;

private:
    /// How far left of the cells a link runs that passes others.
    struct Bypass {
        std::size_t link; ///< its index
        int lane;
    };
    void layOut();
    void giveLanes();
    QRectF boxAt(int step) const;
    std::pair<double, double> endsOf(const UnrolledLink& link, int step) const;
    void paintGround(QPainter& painter) const;
    void paintStep(QPainter& painter, int step) const;
    void paintCell(QPainter& painter, int step, int cell) const;
    void paintLinks(QPainter& painter, int step) const;
    void paintStates(QPainter& painter, int cell) const;
    void paintDelay(QPainter& painter, const UnrolledLink& link) const;
    void paintWord(QPainter& painter, const QString& word, const QPointF& middle) const;
    bool isBypass(std::size_t link) const;
    bool goesOnFromInput() const; ///< the lowest cell reads x

    Unrolled m_what;
    const Appearance& m_appearance;
    QSizeF m_size;
    double m_line = 0;    ///< height of a line of text
    double m_caption = 0; ///< likewise of a caption
    QSizeF m_cell;
    QSizeF m_box;       ///< all that stands in one step
    double m_gap = 0;   ///< between the boxes of two steps
    double m_inset = 0; ///< from a box to its cells, at the left
    double m_rowStep = 0;
    QPointF m_first; ///< corner of the first step's box
    std::vector<Bypass> m_bypasses;
    int m_lanes = 0;
};

} // namespace unroll
