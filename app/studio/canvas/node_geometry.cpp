// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/studio/canvas/node_geometry.h"

#include "app/studio/theme/appearance.h"
#include "app/studio/theme/metrics.h"

#include <QFontMetricsF>
#include <algorithm>
#include <cmath>

namespace unroll {

namespace {

double widestPort(const std::vector<PortFace>& ports, const QFontMetricsF& text)
{
    double width = 0;
    for (const PortFace& port : ports)
        width = std::max(width, text.horizontalAdvance(QString::fromStdString(port.name)));
    return width;
}

/// As wide as its texts ask, within bounds: a long summary is cut short rather than making a wide node.
double widthOf(const NodeFace& face, const Appearance& appearance)
{
    const QFontMetricsF strong(appearance.font(Type::Strong));
    const QFontMetricsF small(appearance.font(Type::Caption));
    const double title = face.title.isEmpty() ? 0 : space::l + small.horizontalAdvance(face.title);
    const double marks = NodeGeometry::kMarkWidth + 2 + (face.repeat > 1 ? 30 : 0); // the eye comes and goes
    const double header = NodeGeometry::kNameLeft + space::m + strong.horizontalAdvance(face.name) + title + marks;
    const double ports = 2 * space::l + widestPort(face.inputs, small) + space::xl + widestPort(face.outputs, small);
    const double footer = 2 * space::m + std::min(180.0, std::max(small.horizontalAdvance(face.summary),
                                                                  small.horizontalAdvance(face.weights)));
    const double width = std::clamp(std::max({header, ports, footer}), 150.0, 280.0);
    return std::ceil(width / (2 * kCanvasGrid)) * 2 * kCanvasGrid;
}

} // namespace

NodeGeometry nodeGeometry(const NodeFace& face, const Appearance& appearance)
{
    NodeGeometry geometry;
    const double width = widthOf(face, appearance);
    geometry.lineHeight = std::max(17.0, std::ceil(QFontMetricsF(appearance.font(Type::Caption)).height()));
    const double firstPort = NodeGeometry::kHeaderHeight + 20;
    for (std::size_t i = 0; i < face.inputs.size(); ++i)
        geometry.inputs.emplace_back(0, firstPort + static_cast<double>(i) * NodeGeometry::kPortStep);
    for (std::size_t i = 0; i < face.outputs.size(); ++i)
        geometry.outputs.emplace_back(width, firstPort + static_cast<double>(i) * NodeGeometry::kPortStep);
    const auto rows = static_cast<double>(std::max<std::size_t>({face.inputs.size(), face.outputs.size(), 1}));
    double height = NodeGeometry::kHeaderHeight + 10 + rows * NodeGeometry::kPortStep + 10;
    const int lines = (face.summary.isEmpty() ? 0 : 1) + (face.weights.isEmpty() ? 0 : 1);
    if (lines > 0) {
        geometry.footer = QRectF(0, height, width, lines * geometry.lineHeight + 2 * space::xs + 2);
        height = std::ceil(geometry.footer.bottom() / kCanvasGrid) * kCanvasGrid;
        geometry.footer.setBottom(height);
    }
    geometry.size = {width, height};
    geometry.badge = {width - 4, 2};
    return geometry;
}

QPointF portPlace(const NodeFace& face, const NodeGeometry& geometry, const WireEnd& end)
{
    const auto& ports = end.isOutput ? face.outputs : face.inputs;
    for (std::size_t i = 0; i < ports.size(); ++i)
        if (ports[i].name == end.port.port)
            return end.isOutput ? geometry.outputs[i] : geometry.inputs[i];
    return {end.isOutput ? geometry.size.width() : 0, geometry.size.height() / 2};
}

NodeExtent nodeExtent(const NodeFace& face, const NodeGeometry& geometry)
{
    NodeExtent extent{geometry.size.width(), geometry.size.height(), {}, {}};
    for (std::size_t i = 0; i < face.inputs.size(); ++i)
        extent.inputs[face.inputs[i].name] = geometry.inputs[i].y();
    for (std::size_t i = 0; i < face.outputs.size(); ++i)
        extent.outputs[face.outputs[i].name] = geometry.outputs[i].y();
    return extent;
}

QPointF pointOf(const Place& place)
{
    return {place.x, place.y};
}

QPointF snapped(const QPointF& point)
{
    return {std::round(point.x() / kCanvasGrid) * kCanvasGrid, std::round(point.y() / kCanvasGrid) * kCanvasGrid};
}

} // namespace unroll
