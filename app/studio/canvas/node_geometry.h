// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/studio/canvas/node_face.h"
#include "app/studio/theme/metrics.h"
#include "core/check/wiring.h"
#include "core/graph/layout/layout.h"

#include <QPointF>
#include <QRectF>
#include <QSizeF>
#include <vector>

namespace unroll {

class Appearance;

/// Nodes stand on this grid, and their ports' heights are whole steps of it, so that wires between aligned nodes run
/// straight.
inline constexpr double kCanvasGrid = kLayoutGrid;

/// Where everything of a node lies, in the node's own coordinates (its top left corner is the origin).
struct NodeGeometry {
    static constexpr double kHeaderHeight = 30;
    static constexpr double kPortStep = 20;
    static constexpr double kGlyphSide = 16; ///< of the block's icon, before the name
    static constexpr double kNameLeft = space::s + kGlyphSide + space::s;
    static constexpr double kMarkWidth = 20; ///< of the eye of a watched node

    QSizeF size;
    double lineHeight = 0; ///< of the footer
    std::vector<QPointF> inputs;
    std::vector<QPointF> outputs;
    QRectF footer; ///< summary and weights; empty when there are none
    QPointF badge; ///< the middle of the mark of what is wrong

    static QRectF glyph() { return {space::s, (kHeaderHeight - kGlyphSide) / 2, kGlyphSide, kGlyphSide}; }
    QRectF body() const { return QRectF(QPointF(), size); }
};
NodeGeometry nodeGeometry(const NodeFace& face, const Appearance& appearance);

/// A port's middle in the node's own coordinates; the middle of the node's side for a port that the face does not show.
QPointF portPlace(const NodeFace& face, const NodeGeometry& geometry, const WireEnd& end);

/// The same as a layout wants it.
NodeExtent nodeExtent(const NodeFace& face, const NodeGeometry& geometry);

QPointF pointOf(const Place& place);

/// The nearest grid point.
QPointF snapped(const QPointF& point);

} // namespace unroll
