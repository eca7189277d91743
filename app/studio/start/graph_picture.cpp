// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/studio/start/graph_picture.h"

#include "app/studio/theme/glyph.h"
#include "app/studio/theme/metrics.h"
#include "app/studio/theme/theme.h"
#include "core/graph/layout/wire_curve.h"

#include <QPainter>
#include <QPainterPath>
#include <algorithm>
#include <map>

namespace unroll {

namespace {

constexpr double kTogether = 60;        ///< scene units: nodes nearer than this stand in one column, or in one row
constexpr QSizeF kLargestNode{46, 30};  ///< px
constexpr double kUsualNode = 160;      ///< scene units: the width of most nodes
constexpr double kLargestRowStep = 44;  ///< px
constexpr double kShareOfColumn = 0.66; ///< that a node takes
constexpr double kLargestGlyph = 16;    ///< px
constexpr double kShareOfNode = 0.75;   ///< that a glyph takes
constexpr double kPortRadius = 2.2;     ///< px
constexpr double kNodeRadius = space::radiusSmall;

/// The rank of each value, where those that are near each other share one.
std::map<double, int> ranks(std::vector<double> values)
{
    std::sort(values.begin(), values.end());
    std::map<double, int> ranks;
    int rank = 0;
    for (std::size_t i = 0; i < values.size(); ++i) {
        if (i > 0 && values[i] - values[i - 1] >= kTogether)
            ++rank;
        ranks[values[i]] = rank;
    }
    return ranks;
}

/// Where each node stands in the picture.
struct Miniature {
    std::map<NodeId, QRectF> nodes;
    double scale = 1; ///< how many times as large a usual node of the canvas is
};

Miniature layOut(const Graph& graph, const QSizeF& size)
{
    std::vector<double> xs, ys;
    for (const auto& [id, node] : graph.nodes) {
        xs.push_back(node->place.x);
        ys.push_back(node->place.y);
    }
    Miniature miniature;
    if (xs.empty())
        return miniature;
    const auto columns = ranks(xs), rows = ranks(ys);
    const int columnCount = columns.rbegin()->second + 1, rowCount = rows.rbegin()->second + 1;
    const double columnStep = std::min((size.width() - 2 * space::m) / columnCount, kLargestNode.width() * 1.8);
    const double rowStep = std::min((size.height() - 2 * space::s) / rowCount, kLargestRowStep);
    const QSizeF node(std::min(kLargestNode.width(), columnStep * kShareOfColumn),
                      std::min(kLargestNode.height(), rowStep * kShareOfColumn));
    miniature.scale = kUsualNode / node.width();
    for (const auto& [id, shown] : graph.nodes) {
        const double column = columns.at(shown->place.x) - (columnCount - 1) / 2.0;
        const double row = rows.at(shown->place.y) - (rowCount - 1) / 2.0;
        QRectF place(QPointF(), node);
        place.moveCenter({size.width() / 2 + column * columnStep, size.height() / 2 + row * rowStep});
        miniature.nodes[id] = place;
    }
    return miniature;
}

const BlockSpec* specOf(const Graph& graph, NodeId id, const BlockRegistry& registry)
{
    const Node* node = graph.find(id);
    return node == nullptr ? nullptr : registry.find(node->block);
}

PortType typeOf(const PortRef& output, const Graph& graph, const BlockRegistry& registry)
{
    const BlockSpec* spec = specOf(graph, output.node, registry);
    const PortSpec* port = spec == nullptr ? nullptr : spec->output(output.port);
    return port == nullptr ? PortType::Sequence : port->type;
}

/// Several wires at one side leave and arrive side by side, in the order of the graph's wires.
class Sides {
public:
    Sides(const Graph& graph, const Miniature& miniature) : m_miniature(miniature)
    {
        for (const Wire& wire : graph.wires) {
            ++m_counts[{wire.from.node, true}];
            ++m_counts[{wire.to.node, false}];
        }
    }
    QPointF next(NodeId node, bool output)
    {
        const QRectF& place = m_miniature.nodes.at(node);
        const double share = (++m_used[{node, output}]) / (m_counts[{node, output}] + 1.0);
        return {output ? place.right() : place.left(), place.top() + share * place.height()};
    }

private:
    const Miniature& m_miniature;
    std::map<std::pair<NodeId, bool>, int> m_counts, m_used;
};

/// Curved as on the canvas, whose wires are `scale` times as large.
void paintWire(QPainter& painter, const QPointF& from, const QPointF& to, double scale, const QColor& color)
{
    const WireCurve curve = wireCurve({from.x() * scale, from.y() * scale}, {to.x() * scale, to.y() * scale});
    QPainterPath path(from);
    const auto point = [&](std::size_t i) { return QPointF(curve.points[i].x, curve.points[i].y) / scale; };
    for (std::size_t i = 1; i < curve.points.size(); i += 3)
        path.cubicTo(point(i), point(i + 1), point(i + 2));
    painter.setPen(QPen(color, 1.4, Qt::SolidLine, Qt::RoundCap));
    painter.setBrush(Qt::NoBrush);
    painter.drawPath(path);
    painter.setPen(Qt::NoPen);
    painter.setBrush(color);
    painter.drawEllipse(from, kPortRadius, kPortRadius);
    painter.drawEllipse(to, kPortRadius, kPortRadius);
}

void paintNode(QPainter& painter, const Node& node, const BlockSpec* spec, const QRectF& place, const Theme& theme)
{
    const bool group = node.group != nullptr;
    const Category category = group ? Category::Group : spec != nullptr ? spec->category : Category::Layer;
    painter.setPen(QPen(theme.categoryLine(category), 1));
    painter.setBrush(theme.categoryFill(category));
    if (group) // there is more inside
        painter.drawRoundedRect(place.translated(3, 3), kNodeRadius, kNodeRadius);
    painter.drawRoundedRect(place, kNodeRadius, kNodeRadius);
    const double side = std::min(kLargestGlyph, std::min(place.width(), place.height()) * kShareOfNode);
    if (side < kLeastGlyph)
        return;
    QRectF glyph(0, 0, side, side);
    glyph.moveCenter(place.center());
    paintGlyph(painter, blockGlyph(spec), theme.categoryText(category), glyph);
}

/// Around the nodes whose corners lie in it; one without nodes has no place in a picture of columns and rows.
void paintFrame(QPainter& painter, const Frame& frame, const Graph& graph, const Miniature& miniature,
                const Theme& theme)
{
    const QRectF area(frame.place.x, frame.place.y, frame.width, frame.height);
    QRectF around;
    for (const auto& [id, place] : miniature.nodes)
        if (const Place& at = graph.find(id)->place; area.contains(QPointF(at.x, at.y)))
            around |= place;
    if (around.isEmpty())
        return;
    painter.setPen(QPen(theme[Theme::Role::FrameLine], 1));
    painter.setBrush(theme[Theme::Role::FrameTitle]);
    painter.drawRoundedRect(around.adjusted(-space::xs, -space::xs, space::xs, space::xs), kNodeRadius, kNodeRadius);
}

} // namespace

QPixmap graphPicture(const Graph& graph, const BlockRegistry& registry, const Theme& theme, const QSize& size,
                     double ratio)
{
    QPixmap pixmap(size * ratio);
    pixmap.setDevicePixelRatio(ratio);
    pixmap.fill(theme[Theme::Role::Canvas]);
    QPainter painter(&pixmap);
    painter.setRenderHint(QPainter::Antialiasing);
    const Miniature miniature = layOut(graph, size);
    for (const auto& [id, frame] : graph.frames)
        paintFrame(painter, frame, graph, miniature, theme);
    for (const auto& [id, place] : miniature.nodes)
        paintNode(painter, *graph.find(id), specOf(graph, id, registry), place, theme);
    Sides sides(graph, miniature);
    for (const Wire& wire : graph.wires) {
        const QPointF from = sides.next(wire.from.node, true), to = sides.next(wire.to.node, false);
        paintWire(painter, from, to, miniature.scale, theme.portColor(typeOf(wire.from, graph, registry)));
    }
    return pixmap;
}

} // namespace unroll
