// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/studio/canvas/wire_item.h"
#include "app/studio/theme/appearance.h"

#include <QImage>
#include <QPainter>
#include <QStyleOptionGraphicsItem>

namespace unroll::test {

/// The wire alone, as the canvas draws it: this area of the scene, `zoom` pixels to a unit.
inline QImage drawnWire(const WireItem& wire, const Appearance& appearance, const QRectF& area, double zoom)
{
    QImage image((area.size() * zoom).toSize(), QImage::Format_RGB32);
    image.fill(appearance.theme()[Theme::Role::Canvas]);
    QPainter painter(&image);
    painter.scale(zoom, zoom);
    painter.translate(-area.topLeft());
    QStyleOptionGraphicsItem option;
    const_cast<WireItem&>(wire).paint(&painter, &option, nullptr); // Qt has it not const, and it changes nothing
    return image;
}

/// Whether its words are written in this colour: also where the canvas has no room for them.
inline bool hasWordsIn(Theme::Role ink, WireItem& wire, const Appearance& appearance)
{
    const QRectF before = wire.wordsPlace(), away({-9000, -9000}, wire.wordsSize());
    wire.setWordsPlace(away);
    const QImage image = drawnWire(wire, appearance, away, 4); // strokes of letters are some pixels wide
    wire.setWordsPlace(before);
    const QRgb wanted = appearance.theme()[ink].rgb();
    for (int y = 0; y < image.height(); ++y)
        for (int x = 0; x < image.width(); ++x)
            if (image.pixel(x, y) == wanted)
                return true;
    return false;
}

/// Whether it is drawn as the one that a node would go into: five pixels wide instead of two. Looked at beside its
/// beginning, where it is level.
inline bool isDrawnLit(const WireItem& wire, const Appearance& appearance)
{
    const QPointF start = wire.pointAt(0);
    const QImage column = drawnWire(wire, appearance, {start.x() + 2, start.y() - 8, 1, 16}, 1);
    const Theme& theme = appearance.theme();
    int pixels = 0;
    for (int y = 0; y < column.height(); ++y)
        pixels += column.pixel(0, y) != theme[Theme::Role::Canvas].rgb() &&
                          column.pixel(0, y) != theme[Theme::Role::NodeSelected].rgb()
                      ? 1
                      : 0;
    return pixels >= 4;
}

} // namespace unroll::test
