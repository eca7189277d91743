// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/studio/figure/figure_picture.h"

#include "app/studio/figure/figure_painter.h"
#include "app/studio/figure/figure_text.h"
#include "app/studio/theme/appearance.h"
#include "app/studio/theme/metrics.h"

#include <QBuffer>
#include <QImage>
#include <QPainter>
#include <QSvgGenerator>
#include <algorithm>
#include <cmath>

namespace unroll {

namespace {

constexpr int kPixelRatio = 2;
constexpr int kLeastWidth = 480;
constexpr double kRoomier = 1.7; ///< than a panel asks for at least, times its height

/// Everything of a figure one under another, without a widget.
class Page {
public:
    Page(std::shared_ptr<const Figure> figure, const Appearance& appearance, int width)
        : m_figure(std::move(figure)), m_appearance(appearance), m_width(std::max(width, kLeastWidth))
    {
        const std::int64_t steps = stepCount(*m_figure);
        FigureMargins margins;
        for (std::size_t i = 0; i < m_figure->panels.size(); ++i) {
            m_plots.emplace_back(m_figure, i, steps);
            const FigureMargins own = m_plots.back().leastMargins(appearance);
            margins = {std::max(margins.left, own.left), std::max(margins.right, own.right)};
        }
        for (FigurePlot& plot : m_plots) {
            const double wanted = kRoomier * std::max(0.6, plot.panel().height) * plot.leastHeight(appearance);
            const double height = plot.panel().square ? std::max(wanted, 0.55 * m_width)
                                                      : std::max(plot.leastHeight(appearance), std::min(wanted, 900.0));
            plot.layOut(QSizeF(m_width, height), margins, appearance);
        }
        QImage nothing(1, 1, QImage::Format_RGB32);
        QPainter measure(&nothing);
        m_height = static_cast<int>(std::ceil(paint(measure, false)));
    }

    QSize size() const { return {m_width, m_height}; }
    double paint(QPainter& painter, bool act = true) const
    {
        double top = space::m;
        top += paragraph(painter, showsText(*m_figure), Type::Body, Theme::Role::TextDim, top, act);
        for (const std::string& finding : m_figure->findings)
            top += paragraph(painter, QString::fromStdString(finding), Type::Body, Theme::Role::Text, top, act);
        top += space::s;
        for (const FigurePlot& plot : m_plots) {
            painter.save();
            painter.translate(0, top);
            if (act)
                FigurePainter(painter, plot, m_appearance).paint();
            painter.restore();
            top += plot.size().height() + space::m;
        }
        for (const FigureTable& table : m_figure->tables)
            top += paintTable(painter, table, top, act);
        return top + space::s;
    }

private:
    /// How high they are.
    double paragraph(QPainter& painter, const QString& text, Type type, Theme::Role role, double top, bool act) const
    {
        if (text.isEmpty())
            return 0;
        painter.setFont(m_appearance.font(type));
        painter.setPen(m_appearance.theme()[role]);
        const QRectF room(space::m, top, m_width - 2 * space::m, 1e5);
        const int flags = Qt::AlignLeft | Qt::AlignTop | Qt::TextWordWrap;
        const double height = QFontMetricsF(painter.font()).boundingRect(room, flags, text).height();
        if (act)
            painter.drawText(QRectF(room.topLeft(), QSizeF(room.width(), height + 2)), flags, text);
        return height + space::xs;
    }

    double paintTable(QPainter& painter, const FigureTable& table, double top, bool act) const
    {
        double height =
            paragraph(painter, QString::fromStdString(table.title), Type::Strong, Theme::Role::Text, top, act);
        painter.setFont(m_appearance.font(Type::Body));
        const QFontMetricsF text(painter.font());
        const double line = text.height() + space::xs;
        const double wide =
            (m_width - 2.0 * space::m) / static_cast<double>(std::max<std::size_t>(1, table.columns.size()));
        const auto put = [&](const std::vector<std::string>& cells, Theme::Role role) {
            painter.setPen(m_appearance.theme()[role]);
            for (std::size_t i = 0; act && i < std::min(cells.size(), table.columns.size()); ++i)
                painter.drawText(QRectF(space::m + static_cast<double>(i) * wide, top + height, wide - space::s, line),
                                 Qt::AlignLeft | Qt::AlignVCenter,
                                 text.elidedText(QString::fromStdString(cells[i]), Qt::ElideRight, wide - space::s));
            height += line;
        };
        put(table.columns, Theme::Role::TextDim);
        for (const FigureTable::Row& row : table.rows)
            put(row.cells, Theme::Role::Text);
        return height + space::s;
    }

    std::shared_ptr<const Figure> m_figure;
    const Appearance& m_appearance;
    int m_width;
    int m_height = 0;
    std::vector<FigurePlot> m_plots;
};

void paintOn(QPaintDevice& device, const Page& page, const Appearance& appearance)
{
    QPainter painter(&device);
    painter.fillRect(QRect(QPoint(), page.size()), appearance.theme()[Theme::Role::Panel]);
    page.paint(painter);
}

} // namespace

QString suffixOf(FigureFormat format)
{
    switch (format) {
    case FigureFormat::Png: return QStringLiteral("png");
    case FigureFormat::Svg: return QStringLiteral("svg");
    case FigureFormat::Csv: return QStringLiteral("csv");
    case FigureFormat::Npz: break;
    }
    return QStringLiteral("npz");
}

QByteArray figurePicture(const std::shared_ptr<const Figure>& figure, const Appearance& appearance, int width,
                         FigureFormat format)
{
    const Page page(figure, appearance, width);
    QBuffer buffer;
    if (format == FigureFormat::Svg) {
        QSvgGenerator svg;
        svg.setOutputDevice(&buffer);
        svg.setResolution(96);
        svg.setSize(page.size());
        svg.setViewBox(QRect(QPoint(), page.size()));
        svg.setTitle(QString::fromStdString(figure->shows));
        paintOn(svg, page, appearance);
        return buffer.data();
    }
    QImage image(page.size() * kPixelRatio, QImage::Format_RGB32);
    image.setDevicePixelRatio(kPixelRatio);
    paintOn(image, page, appearance);
    buffer.open(QIODevice::WriteOnly);
    image.save(&buffer, "PNG");
    return buffer.data();
}

} // namespace unroll
