// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/studio/plot/chart_image.h"

#include "app/studio/plot/chart.h"
#include "app/studio/theme/appearance.h"

#include <QBuffer>
#include <QCoreApplication>
#include <QPainter>
#include <QSvgGenerator>

namespace unroll {

namespace {

constexpr int kPixelRatio = 2;

void paintOn(QPaintDevice& device, Chart& chart, const Appearance& appearance)
{
    const QRectF whole(QPointF(), QSizeF(chart.size()));
    QPainter painter(&device);
    painter.fillRect(whole, appearance.theme()[Theme::Role::Panel]);
    chart.render(painter, whole);
}

} // namespace

QImage chartImage(Chart& chart, const Appearance& appearance)
{
    QImage image(chart.size() * kPixelRatio, QImage::Format_RGB32);
    image.setDevicePixelRatio(kPixelRatio);
    paintOn(image, chart, appearance);
    return image;
}

QByteArray chartPng(Chart& chart, const Appearance& appearance)
{
    QBuffer buffer;
    buffer.open(QIODevice::WriteOnly);
    chartImage(chart, appearance).save(&buffer, "PNG");
    return buffer.data();
}

QByteArray chartSvg(Chart& chart, const Appearance& appearance)
{
    QBuffer buffer;
    QSvgGenerator svg;
    svg.setOutputDevice(&buffer);
    svg.setResolution(chart.logicalDpiX()); // else fonts of a size in points come out larger or smaller
    svg.setSize(chart.size());
    svg.setViewBox(QRect(QPoint(), chart.size()));
    svg.setTitle(QCoreApplication::translate("CurvesPanel", "Curves"));
    svg.setDescription(chart.shownText().join(", "));
    paintOn(svg, chart, appearance);
    return buffer.data();
}

} // namespace unroll
