// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/studio/canvas/dot_grid.h"

#include "app/studio/canvas/node_geometry.h"

#include <QImage>
#include <QPainter>
#include <cmath>

namespace unroll {

namespace {

constexpr double kDotWidth = 1.5; ///< px

/// One dot of the grid in the middle of a square of whole pixels.
QImage dotImage(double ratio, const QColor& canvas, const QColor& dot)
{
    const double wide = kDotWidth * ratio;
    const int side = 2 * static_cast<int>(std::ceil((wide - 1) / 2)) + 1;
    QImage image(side, side, QImage::Format_RGB32);
    image.fill(canvas);
    QPainter painter(&image);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(Qt::NoPen);
    painter.setBrush(dot);
    painter.drawEllipse(QPointF(side / 2.0, side / 2.0), wide / 2, wide / 2);
    return image;
}

} // namespace

void paintDots(QPainter& painter, const QRectF& exposed, const QColor& canvas, const QColor& color)
{
    const double ratio = painter.device()->devicePixelRatioF();
    const QTransform view = painter.worldTransform();
    const double gap = 2 * kCanvasGrid * view.m11() * ratio; // pixels, as everything from here on
    const double originX = std::round(view.dx() * ratio), originY = std::round(view.dy() * ratio);
    const QRectF area = view.mapRect(exposed);
    const double left = std::floor(area.left() * ratio), right = area.right() * ratio;
    const double top = area.top() * ratio, bottom = area.bottom() * ratio;
    const auto place = [gap](double origin, double number) { return origin + std::floor(number * gap + 0.5); };

    const QImage dot = dotImage(ratio, canvas, color);
    const int reach = dot.width() / 2;
    QImage row(static_cast<int>(std::ceil(right - left)), dot.height(), QImage::Format_RGB32);
    row.fill(canvas);
    {
        QPainter columns(&row);
        for (double i = std::floor((left - originX) / gap) - 1; place(originX, i) - reach < right; ++i)
            columns.drawImage(static_cast<int>(place(originX, i) - left) - reach, 0, dot);
    }
    painter.save();
    painter.setWorldTransform(QTransform::fromScale(1 / ratio, 1 / ratio));
    for (double i = std::floor((top - originY) / gap) - 1; place(originY, i) - reach < bottom; ++i)
        painter.drawImage(QPointF(left, place(originY, i) - reach), row);
    painter.restore();
}

} // namespace unroll
