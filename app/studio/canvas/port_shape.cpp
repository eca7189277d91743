// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/studio/canvas/port_shape.h"

#include <QPolygonF>

namespace unroll {

namespace {

QPainterPath closed(const QPolygonF& corners)
{
    QPainterPath path;
    path.addPolygon(corners);
    path.closeSubpath();
    return path;
}

} // namespace

QPainterPath portOutline(PortType type)
{
    QPainterPath path;
    switch (type) {
    case PortType::Sequence: path.addEllipse(QPointF(), 7, 7); break;
    case PortType::Tokens: path.addRoundedRect(QRectF(-6.5, -6.5, 13, 13), 2, 2); break;
    case PortType::State: return closed({{0, -9}, {9, 0}, {0, 9}, {-9, 0}});
    case PortType::Loss: return closed({{-6, -8.5}, {9, 0}, {-6, 8.5}});
    case PortType::Mask: path.addRoundedRect(QRectF(-6, -9, 12, 18), 2, 2); break;
    case PortType::Targets: return closed({{-7, -7}, {3, -7}, {9, 0}, {3, 7}, {-7, 7}});
    case PortType::TargetValues: return closed({{-7, -6}, {0, -8.5}, {9, 0}, {0, 8.5}, {-7, 6}});
    case PortType::Table: path.addRect(QRectF(-9, -6, 18, 12)); break;
    case PortType::Vector: return closed({{-4, -7.5}, {4, -7.5}, {8.5, 0}, {4, 7.5}, {-4, 7.5}, {-8.5, 0}});
    }
    return path;
}

QChar portLetter(PortType type)
{
    switch (type) {
    case PortType::Sequence: return 'x';
    case PortType::Tokens: return 't';
    case PortType::State: return 'h';
    case PortType::Loss: return 'L';
    case PortType::Mask: return 'm';
    case PortType::Targets: return 'y';
    case PortType::TargetValues: return 'z';
    case PortType::Vector: return 'v';
    case PortType::Table: return 'w';
    }
    return {};
}

QPointF portLetterOffset(PortType type)
{
    return type == PortType::Loss ? QPointF(-1.5, 0) : QPointF();
}

} // namespace unroll
