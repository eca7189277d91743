// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/studio/canvas/node_shadow.h"

#include "app/studio/theme/metrics.h"
#include "app/studio/theme/theme.h"

#include <QPainter>
#include <QPixmapCache>

namespace unroll {

namespace {

constexpr int kSpread = 5; ///< px beyond the body
constexpr int kDrop = 2;   ///< px below it
constexpr int kCorner = static_cast<int>(space::radius) + 2 * kSpread + kDrop;

/// Around a body that is as small as its corners allow; twice as fine as the screen, so that it stays soft where the
/// view is enlarged.
QPixmap drawn(const Theme& theme)
{
    const int side = 2 * kCorner + 1;
    QPixmap picture(2 * side, 2 * side);
    picture.setDevicePixelRatio(2);
    picture.fill(Qt::transparent);
    QPainter painter(&picture);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(Qt::NoPen);
    const QRectF body(kSpread, kSpread - kDrop, side - 2 * kSpread, side - 2 * kSpread);
    QColor color = theme[Theme::Role::NodeShadow];
    for (const auto& [reach, alpha] : {std::pair{5.0, 5}, {3.0, 8}, {1.0, 12}}) {
        color.setAlpha(theme.isDark() ? 3 * alpha : alpha);
        painter.setBrush(color);
        painter.drawRoundedRect(body.adjusted(-reach, kDrop - reach, reach, kDrop + reach), space::radius + reach,
                                space::radius + reach);
    }
    return picture;
}

} // namespace

void paintShadow(QPainter& painter, const QRectF& body, const Theme& theme)
{
    const QString key = "node-shadow-" + theme.name() + theme[Theme::Role::NodeShadow].name();
    QPixmap picture;
    if (!QPixmapCache::find(key, &picture)) {
        picture = drawn(theme);
        QPixmapCache::insert(key, picture);
    }
    const QRectF frame = body.adjusted(-kSpread, kDrop - kSpread, kSpread, kDrop + kSpread);
    const double side = 2 * kCorner + 1;
    const double fromX[] = {0, kCorner, kCorner + 1.0, side}, fromY[] = {0, kCorner, kCorner + 1.0, side};
    const double toX[] = {frame.left(), frame.left() + kCorner, frame.right() - kCorner, frame.right()};
    const double toY[] = {frame.top(), frame.top() + kCorner, frame.bottom() - kCorner, frame.bottom()};
    for (const int row : {0, 1, 2})
        for (const int column : {0, 1, 2})
            if (row != 1 || column != 1)
                painter.drawPixmap(QRectF(QPointF(toX[column], toY[row]), QPointF(toX[column + 1], toY[row + 1])),
                                   picture,
                                   QRectF(QPointF(2 * fromX[column], 2 * fromY[row]),
                                          QPointF(2 * fromX[column + 1], 2 * fromY[row + 1])));
}

} // namespace unroll
