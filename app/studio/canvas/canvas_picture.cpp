// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/studio/canvas/canvas_picture.h"

#include "app/studio/canvas/graph_scene.h"
#include "app/studio/theme/appearance.h"
#include "app/studio/theme/metrics.h"

#include <QBuffer>
#include <QImage>
#include <QPainter>
#include <QSignalBlocker>
#include <QSvgGenerator>
#include <algorithm>
#include <cmath>

namespace unroll {

namespace {

constexpr double kPictureMargin = 2 * space::l;

/// The items without their marks of being selected, while it lives.
class Unmarked {
public:
    explicit Unmarked(GraphScene& scene) : m_quiet(&scene), m_marked(scene.selectedItems())
    {
        for (QGraphicsItem* item : m_marked)
            item->setSelected(false);
    }
    ~Unmarked()
    {
        for (QGraphicsItem* item : m_marked)
            item->setSelected(true);
    }
    Unmarked(const Unmarked&) = delete;
    Unmarked& operator=(const Unmarked&) = delete;

private:
    QSignalBlocker m_quiet;
    QList<QGraphicsItem*> m_marked;
};

void paintScene(QPaintDevice& device, GraphScene& scene, const Appearance& appearance, const QRectF& area)
{
    const QRectF whole(QPointF(), area.size());
    QPainter painter(&device);
    painter.setRenderHints(QPainter::Antialiasing | QPainter::SmoothPixmapTransform);
    painter.fillRect(whole, appearance.theme()[Theme::Role::Canvas]);
    const Unmarked unmarked(scene);
    scene.render(&painter, whole, area);
}

} // namespace

QByteArray canvasPicture(GraphScene& scene, const Appearance& appearance, PictureFormat format)
{
    const QRectF content = scene.contentRect();
    if (content.isEmpty())
        return {};
    const QRectF area =
        content.adjusted(-kPictureMargin, -kPictureMargin, kPictureMargin, kPictureMargin).toAlignedRect();
    QBuffer buffer;
    if (format == PictureFormat::Svg) {
        QSvgGenerator svg;
        svg.setOutputDevice(&buffer);
        svg.setResolution(96);
        svg.setSize(area.size().toSize());
        svg.setViewBox(QRectF(QPointF(), area.size()));
        svg.setTitle(scene.document().title());
        paintScene(svg, scene, appearance, area);
        return buffer.data();
    }
    const double side = std::max(area.width(), area.height());
    const double ratio = std::min(kPicturePixelRatio, kMostPicturePixels / side);
    QImage image((area.size() * ratio).toSize().expandedTo({1, 1}), QImage::Format_RGB32);
    image.setDevicePixelRatio(ratio);
    paintScene(image, scene, appearance, area);
    buffer.open(QIODevice::WriteOnly);
    image.save(&buffer, "PNG");
    return buffer.data();
}

} // namespace unroll
