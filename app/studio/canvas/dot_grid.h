// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QColor>
#include <QRectF>

class QPainter;

namespace unroll {

/// A dot at every second grid point of the area `exposed` (scene coordinates), as wide at every zoom. Each stands on
/// the pixel nearest to its place in the scene, wherever the view is scrolled to: all dots look alike, and panning
/// moves them as it moves the nodes. One row is put together and then copied downward; thousands of round points, one
/// by one, take tens of milliseconds.
void paintDots(QPainter& painter, const QRectF& exposed, const QColor& canvas, const QColor& color);

} // namespace unroll
