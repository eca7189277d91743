// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/studio/charts/chart.h"
#include "app/studio/charts/chart_frame.h"
#include "app/studio/theme/appearance.h"

#include <QChart>
#include <QChartView>
#include <QGraphicsLayout>
#include <QLineSeries>
#include <QMouseEvent>
#include <QScatterSeries>
#include <QVBoxLayout>
#include <QValueAxis>
#include <map>

namespace unroll {

namespace {

/// QtCharts draws the curves alone; everything around them is drawn by ChartFrame below and above them. Axes are set by hand and hidden,
/// nothing is animated, a series is replaced whole: one call, one redraw.
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
        m_x->setRange(ChartFrame::mapped(m_frame.x, m_frame.x.low), ChartFrame::mapped(m_frame.x, m_frame.x.high));
        m_y->setRange(ChartFrame::mapped(m_frame.y, m_frame.y.low), ChartFrame::mapped(m_frame.y, m_frame.y.high));
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

private:
    ChartFrame& m_frame;
    QValueAxis* m_x = nullptr;
    QValueAxis* m_y = nullptr;
};

class QtChart : public Chart {
public:
    QtChart(const Appearance& appearance, QWidget* parent)
        : Chart(parent), m_appearance(appearance), m_frame(appearance), m_view(new CurveView(m_frame))
    {
        auto* layout = new QVBoxLayout(this);
        layout->setContentsMargins(0, 0, 0, 0);
        layout->addWidget(m_view);
        m_view->viewport()->installEventFilter(this);
        connect(&appearance, &Appearance::changed, this, &QtChart::paintSeries);
    }

    void setSeries(int id, const SeriesLook& look, std::span<const QPointF> points) override
    {
        Curve& curve = m_curves[id];
        if (!curve.line)
            addCurve(curve, look);
        curve.look = look;
        QList<QPointF> list;
        list.reserve(static_cast<qsizetype>(points.size()));
        for (const QPointF& point : points)
            list.append({ChartFrame::mapped(m_frame.x, point.x()), ChartFrame::mapped(m_frame.y, point.y())});
        curve.line->replace(list);
        if (curve.marks)
            curve.marks->replace(list);
        remakeLegend();
    }

    void clearSeries() override
    {
        m_view->chart()->removeAllSeries();
        m_curves.clear();
        m_frame.legend.clear();
    }

    void setRange(const AxisRange& x, const AxisRange& y) override
    {
        if (x == m_frame.x && y == m_frame.y)
            return;
        m_frame.x = x;
        m_frame.y = y;
        m_view->setAxes();
    }

    void setLevels(std::vector<ChartLevel> levels) override
    {
        m_frame.levels = std::move(levels);
        m_view->viewport()->update();
    }

    void setMissing(std::vector<double> xs) override { m_frame.missing = std::move(xs); }

    void setCrosshair(std::optional<double> x, const QStringList& words) override
    {
        m_frame.crosshair = x;
        m_frame.crosshairWords = words;
        m_view->viewport()->update();
    }

    double plotWidth() const override { return m_view->plot().width(); }
    QStringList words() const override { return m_frame.words(); }
    void render(QPainter& painter, const QRectF& target) override
    {
        m_view->render(&painter, target, m_view->viewport()->rect());
    }

protected:
    bool eventFilter(QObject*, QEvent* event) override
    {
        if (event->type() == QEvent::Leave)
            Q_EMIT left();
        if (event->type() != QEvent::MouseMove)
            return false;
        const QPointF at = static_cast<QMouseEvent*>(event)->position();
        if (m_view->plot().contains(at))
            Q_EMIT hovered(m_frame.xAt(m_view->plot(), at.x()));
        else
            Q_EMIT left();
        return false;
    }

private:
    struct Curve {
        SeriesLook look;
        QXYSeries* line = nullptr;
        QXYSeries* marks = nullptr; ///< only of a MarkedLine
    };

    void addCurve(Curve& curve, const SeriesLook& look)
    {
        curve.look = look;
        curve.line = m_view->addSeries(new QLineSeries);
        if (look.shape == SeriesLook::Shape::MarkedLine)
            curve.marks = m_view->addSeries(new QScatterSeries);
        paintCurve(curve);
    }

    void paintCurve(const Curve& curve)
    {
        const QColor color = m_appearance.theme()[curve.look.color];
        QPen pen(color, curve.look.shape == SeriesLook::Shape::FaintLine ? 1.0 : 1.8);
        pen.setJoinStyle(Qt::RoundJoin);
        curve.line->setPen(pen);
        if (auto* marks = static_cast<QScatterSeries*>(curve.marks)) {
            marks->setColor(color);
            marks->setBorderColor(m_appearance.theme()[Theme::Role::Panel]);
            marks->setMarkerSize(7);
        }
    }

    void paintSeries()
    {
        for (const auto& [id, curve] : m_curves)
            paintCurve(curve);
        m_view->placePlot();
        m_view->viewport()->update();
    }

    void remakeLegend()
    {
        m_frame.legend.clear();
        for (const auto& [id, curve] : m_curves)
            if (!curve.look.name.isEmpty())
                m_frame.legend.push_back({curve.look, curve.look.name});
    }

    const Appearance& m_appearance;
    ChartFrame m_frame;
    CurveView* m_view;
    std::map<int, Curve> m_curves;
};

} // namespace

Chart* makeChart(const Appearance& appearance, QWidget* parent)
{
    return new QtChart(appearance, parent);
}

} // namespace unroll
