// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/studio/theme/glyph.h"

#include "app/studio/theme/metrics.h"
#include "app/studio/theme/theme.h"

#include <QFile>
#include <QHash>
#include <QPainter>
#include <QPixmapCache>
#include <QSvgRenderer>
#include <cmath>

namespace unroll {

namespace {

constexpr double kGlyphShare = 0.8; ///< of a tile's side

QByteArray readIcon(const QString& name)
{
    QFile file(":/icons/" + name + ".svg");
    const bool open = file.open(QIODevice::ReadOnly);
    Q_ASSERT_X(open, "paintIcon", qPrintable(name));
    return open ? file.readAll() : QByteArray();
}

/// Read once: icons are painted again and again.
const QByteArray& iconFile(const QString& name)
{
    static QHash<QString, QByteArray> read;
    auto found = read.find(name);
    if (found == read.end())
        found = read.insert(name, readIcon(name));
    return *found;
}

QPixmap drawn(QByteArray svg, const QColor& color, int side)
{
    QPixmap picture(side, side);
    picture.fill(Qt::transparent);
    svg.replace("currentColor", color.name().toLatin1());
    QPainter painter(&picture);
    QSvgRenderer(svg).render(&painter, picture.rect());
    return picture;
}

QPixmap kept(const QByteArray& svg, const QColor& color, int side)
{
    const QString key = QStringLiteral("glyph-%1-%2-%3").arg(qHash(svg)).arg(color.rgb()).arg(side);
    QPixmap picture;
    if (!QPixmapCache::find(key, &picture)) {
        picture = drawn(svg, color, side);
        QPixmapCache::insert(key, picture);
    }
    return picture;
}

} // namespace

void paintGlyph(QPainter& painter, const QByteArray& svg, const QColor& color, const QRectF& rect)
{
    const QTransform& toPixels = painter.deviceTransform();
    const QRectF seen = toPixels.mapRect(rect);
    const double side = std::round(std::min(seen.width(), seen.height()));
    if (side < 1)
        return;
    // Rounded to one side everywhere, so that a picture drawn in parts has it where the whole one has it.
    const QPointF corner = seen.center() - QPointF(side, side) / 2;
    const QRectF pixels(std::floor(corner.x() + 0.5), std::floor(corner.y() + 0.5), side, side);
    const QPixmap picture = kept(svg, color, static_cast<int>(side));
    painter.drawPixmap(toPixels.inverted().mapRect(pixels), picture, QRectF(picture.rect()));
}

void paintIcon(QPainter& painter, const QString& name, const QColor& color, const QRectF& rect)
{
    paintGlyph(painter, iconFile(name), color, rect);
}

QByteArray blockGlyph(const BlockSpec* spec)
{
    return spec == nullptr ? iconFile("unknown") : QByteArray::fromStdString(spec->iconText);
}

void paintBlockTile(QPainter& painter, const BlockSpec* spec, const QRectF& tile, const Theme& theme)
{
    const Category category = spec == nullptr ? Category::Layer : spec->category;
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(Qt::NoPen);
    painter.setBrush(theme.categoryFill(category));
    painter.drawRoundedRect(tile, space::radiusSmall, space::radiusSmall);
    QRectF glyph(QPointF(), tile.size() * kGlyphShare);
    glyph.moveCenter(tile.center());
    paintGlyph(painter, blockGlyph(spec), theme.categoryText(category), glyph);
}

} // namespace unroll
