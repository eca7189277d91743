// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/studio/plot/chart_frame.h"
#include "app/studio/plot/chart_interaction.h"
#include "app/studio/plot/chart_pen.h"
#include "app/studio/theme/appearance.h"

#include <QChart>
#include <QChartView>
#include <QFocusEvent>
#include <QGraphicsLayout>
#include <QLineSeries>
#include <QMouseEvent>
#include <QScatterSeries>
#include <QVBoxLayout>
#include <QValueAxis>
#include <algorithm>
#include <iterator>
#include <map>
#include <utility>

namespace unroll {

namespace {

constexpr double kMarkSize = 7;      ///< px
constexpr double kMarkDistance = 10; ///< px, the least at which marks are drawn

/// QtCharts draws the curves alone; everything around them is drawn by ChartFrame below and above them. Axes are set by
/// hand and hidden, nothing is animated, a series is replaced whole: one call, one redraw.
class CurveView : public QChartView {
public:
    explicit CurveView(ChartFrame& frame) : m_frame(frame)
    {
        QChart* made = chart();
        made->setBackgroundVisible(false);
        made->setPlotAreaBackgroundVisible(false);
        made->legend()->hide();
        made->setMargins({});
        made->layout()->setContentsMargins(0, 0, 0, 0);
        made->setAnimationOptions(QChart::NoAnimation);
        setFrameShape(QFrame::NoFrame);
        setRenderHint(QPainter::Antialiasing);
        setBackgroundBrush(Qt::NoBrush);
        setFocusPolicy(Qt::StrongFocus);
        viewport()->setAutoFillBackground(false);
        viewport()->setMouseTracking(true);
        for (auto* axis : {&m_x, &m_y}) {
            *axis = new QValueAxis;
            (*axis)->setVisible(false);
        }
        made->addAxis(m_x, Qt::AlignBottom);
        made->addAxis(m_y, Qt::AlignLeft);
    }

    QXYSeries* addSeries(QXYSeries* series)
    {
        chart()->addSeries(series);
        series->attachAxis(m_x);
        series->attachAxis(m_y);
        return series;
    }

    void setAxes()
    {
        const auto set = [](QValueAxis& axis, const AxisRange& range) {
            axis.setRange(range.mapped(range.low), range.mapped(range.high));
        };
        set(*m_x, m_frame.picture.x);
        set(*m_y, m_frame.picture.y);
        placePlot();
    }

    void placePlot() { chart()->setPlotArea(m_frame.plotArea(QSizeF(viewport()->size()))); }
    QRectF plot() const { return chart()->plotArea(); }

protected:
    void drawBackground(QPainter* painter, const QRectF&) override { m_frame.paintBehind(*painter, plot()); }
    void drawForeground(QPainter* painter, const QRectF&) override { m_frame.paintAbove(*painter, plot()); }

    void resizeEvent(QResizeEvent* event) override
    {
        QChartView::resizeEvent(event);
        placePlot();
    }

    // ChartInteraction has seen them, and no item of the chart asks for the mouse. QChartView::mousePressEvent of Qt
    // 6.4 asks the item under the hand also where there is none.
    void mousePressEvent(QMouseEvent* event) override { event->ignore(); }
    void mouseMoveEvent(QMouseEvent* event) override { event->ignore(); }
    void mouseReleaseEvent(QMouseEvent* event) override { event->ignore(); }
    void mouseDoubleClickEvent(QMouseEvent* event) override { event->ignore(); }

    void focusInEvent(QFocusEvent* event) override
    {
        QChartView::focusInEvent(event);
        // A ring is for those who came by keys; a hand sees where it is.
        m_frame.hasFocus = event->reason() != Qt::MouseFocusReason;
        viewport()->update();
    }

    void focusOutEvent(QFocusEvent* event) override
    {
        QChartView::focusOutEvent(event);
        m_frame.hasFocus = false;
        viewport()->update();
    }

private:
    ChartFrame& m_frame;
    QValueAxis* m_x = nullptr;
    QValueAxis* m_y = nullptr;
};

class QtChart : public Chart {
public:
    QtChart(const Appearance& appearance, QWidget* parent)
        : Chart(parent),
          m_appearance(appearance),
          m_frame(appearance),
          m_view(new CurveView(m_frame)),
          m_hand(*m_view->viewport(), *m_view, m_frame.picture, [this] { return m_view->plot(); })
    {
        auto* column = new QVBoxLayout(this);
        column->setContentsMargins(0, 0, 0, 0);
        column->addWidget(m_view);
        setFocusProxy(m_view);
        m_view->setAccessibleName(tr("Curves"));
        connect(&appearance, &Appearance::changed, this, &QtChart::paintSeries);
        connect(&m_hand, &ChartInteraction::hovered, this, &Chart::hovered);
        connect(&m_hand, &ChartInteraction::left, this, &Chart::left);
        connect(&m_hand, &ChartInteraction::viewAsked, this, &Chart::viewAsked);
        connect(&m_hand, &ChartInteraction::fitAsked, this, &Chart::fitAsked);
        connect(&m_hand, &ChartInteraction::boxChanged, this, [this](const QRectF& box) {
            m_frame.handBox = box;
            m_view->viewport()->update();
        });
    }

    void draw(ChartPicture picture) override
    {
        m_frame.picture = std::move(picture);
        dropOthers();
        m_view->setAxes();
        for (const ChartSeries& series : m_frame.picture.series)
            setCurve(series);
        m_view->viewport()->update();
    }

    const ChartPicture& picture() const override { return m_frame.picture; }

    void setCrosshair(std::optional<double> x, std::vector<Reading> readings) override
    {
        m_frame.crosshair = x;
        m_frame.readings = std::move(readings);
        m_view->setAccessibleDescription(shownText().join(", "));
        m_view->viewport()->update();
    }

    QRectF plot() const override { return m_view->plot(); }
    QWidget& surface() const override { return *m_view->viewport(); }
    QStringList shownText() const override { return m_frame.shownText(); }

    void render(QPainter& painter, const QRectF& target) override
    {
        const auto crosshair = std::exchange(m_frame.crosshair, std::nullopt);
        const bool hadFocus = std::exchange(m_frame.hasFocus, false);
        m_view->render(&painter, target, m_view->viewport()->rect());
        m_frame.crosshair = crosshair;
        m_frame.hasFocus = hadFocus;
    }

private:
    struct Curve {
        SeriesLook look;
        QXYSeries* line = nullptr;
        QXYSeries* marks = nullptr; ///< only of a MarkedLine
    };

    /// Those that are no longer in the picture go, and all of them where the order has changed: what is added later
    /// lies above.
    void dropOthers()
    {
        std::vector<int> wanted;
        for (const ChartSeries& series : m_frame.picture.series)
            wanted.push_back(series.id);
        std::vector<int> stay;
        for (const int id : m_order)
            if (std::find(wanted.begin(), wanted.end(), id) != wanted.end())
                stay.push_back(id);
        if (!std::equal(stay.begin(), stay.end(), wanted.begin(), wanted.begin() + std::ssize(stay)))
            stay.clear();
        for (const int id : m_order)
            if (std::find(stay.begin(), stay.end(), id) == stay.end())
                drop(id);
        m_order = std::move(wanted);
    }

    void drop(int id)
    {
        const Curve curve = m_curves.extract(id).mapped();
        for (QXYSeries* series : {curve.line, curve.marks}) {
            if (series == nullptr)
                continue;
            m_view->chart()->removeSeries(series);
            delete series;
        }
    }

    void setCurve(const ChartSeries& series)
    {
        Curve& curve = m_curves[series.id];
        const bool isNew = curve.line == nullptr;
        if (isNew)
            addCurve(curve, series.look);
        if (isNew || curve.look.color != series.look.color) {
            curve.look = series.look;
            paintCurve(curve);
        }
        QList<QPointF> list;
        list.reserve(std::ssize(series.points));
        for (const QPointF& point : series.points)
            list.append({m_frame.picture.x.mapped(point.x()), m_frame.picture.y.mapped(point.y())});
        curve.line->replace(list);
        // Marks that would touch are a thick line that takes long to draw.
        const bool apart = static_cast<double>(list.size()) * kMarkDistance <= m_view->plot().width();
        if (curve.marks != nullptr)
            curve.marks->replace(apart ? list : QList<QPointF>());
    }

    void addCurve(Curve& curve, const SeriesLook& look)
    {
        curve.line = m_view->addSeries(new QLineSeries);
        if (look.shape == SeriesLook::Shape::MarkedLine)
            curve.marks = m_view->addSeries(new QScatterSeries);
    }

    void paintCurve(const Curve& curve)
    {
        const QColor color = m_appearance.theme()[curve.look.color];
        curve.line->setPen(chartPen(m_appearance.theme(), curve.look.color,
                                    curve.look.shape == SeriesLook::Shape::FaintLine ? 1.0 : 1.8));
        if (auto* marks = static_cast<QScatterSeries*>(curve.marks)) {
            marks->setColor(color);
            marks->setBorderColor(m_appearance.theme()[Theme::Role::Panel]);
            marks->setMarkerSize(kMarkSize);
        }
    }

    void paintSeries()
    {
        for (const auto& [id, curve] : m_curves)
            paintCurve(curve);
        m_view->placePlot();
        m_view->viewport()->update();
    }

    const Appearance& m_appearance;
    ChartFrame m_frame;
    CurveView* m_view;
    ChartInteraction m_hand;
    std::map<int, Curve> m_curves;
    std::vector<int> m_order; ///< ids as they lie one above the other
};

} // namespace

Chart* makeChart(const Appearance& appearance, QWidget* parent)
{
    return new QtChart(appearance, parent);
}

} // namespace unroll
