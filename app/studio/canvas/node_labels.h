// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/studio/canvas/node_geometry.h"

#include <QColor>
#include <QFont>
#include <QGlyphRun>
#include <vector>

class QPainter;

namespace unroll {

class Appearance;

/// A text laid out once and drawn often, at every zoom: laying out is what costs.
class Label {
public:
    Label() = default;
    /// Within `area`, in the node's coordinates; middle of its height. Text that is too long is cut short.
    Label(const QString& text, const QFont& font, const QColor& color, const QRectF& area, Qt::Alignment side);

    void paint(QPainter& painter) const;
    double width() const { return m_width; } ///< as drawn; 0 without text

private:
    QList<QGlyphRun> m_glyphs;
    double m_width = 0;
    QColor m_color;
    QPointF m_at;
};

struct PortLabels {
    Label name;
    Label letter;
};

/// The texts of a node's picture with colours and positions. Recomputed when the face or the appearance changes.
struct NodeLabels {
    Label name;
    Label kind; ///< the block's title, or how often a group repeats
    Label summary;
    Label weights;
    Label badge;
    std::vector<PortLabels> inputs;
    std::vector<PortLabels> outputs;
};

/// The name alone, as large as the node takes it: for a node seen from so far that nothing else of it could be read.
struct FarLabel {
    Label name;
    double size = 0; ///< of its letters, in the node's coordinates
};
FarLabel farLabel(const NodeFace& face, const NodeGeometry& geometry, const Appearance& appearance);

NodeLabels nodeLabels(const NodeFace& face, const NodeGeometry& geometry, const Appearance& appearance);

} // namespace unroll
