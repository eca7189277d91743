// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "tests/gui/fixture.h"
#include "tests/gui/waiting.h"

#include <QApplication>
#include <QMenu>
#include <QToolButton>
#include <QWheelEvent>
#include <cmath>

namespace unroll::test {

/// A row a step from 1 on, 768 tokens and 10 ms each; the loss is that of a scripted run.
inline std::vector<MetricRow> rowsOf(std::int64_t steps, double above = 0)
{
    std::vector<MetricRow> rows;
    for (std::int64_t step = 1; step <= steps; ++step)
        rows.push_back({step,
                        step * 768,
                        static_cast<double>(step) * 0.01,
                        {{"train/loss", 0.8 + above + 3.4 * std::exp(-static_cast<double>(step) / 150)}}});
    return rows;
}

inline std::vector<MetricRow> rowsOf(const std::vector<double>& losses)
{
    std::vector<MetricRow> rows;
    for (const double loss : losses) {
        const auto step = static_cast<std::int64_t>(rows.size()) + 1;
        rows.push_back({step, step * 768, static_cast<double>(step), {{"train/loss", loss}}});
    }
    return rows;
}

inline std::vector<CurveOverlay> overlaysOf(int count, std::int64_t steps)
{
    std::vector<CurveOverlay> overlays;
    for (int i = 0; i < count; ++i)
        overlays.push_back(
            {QString("run %1").arg(i + 1), QString("/runs/%1").arg(i + 1), rowsOf(steps, 0.1 * (i + 1))});
    return overlays;
}

/// A window whose curves show 200 steps of a run that is paused.
struct CurvesDesk : Studio {
    CurvesDesk()
    {
        script->stepsAPoll = 200;
        key(Qt::Key_F5);
        (void)comes([this] { return window.controller().snapshot()->step >= 200; });
        key(Qt::Key_F6);
        (void)comes([this] { return window.controller().state() == RunState::Paused; });
        key(Qt::Key_F10); // its tick draws what came last
        const auto drawn = [this] {
            return !picture().series.empty() && picture().series.back().points.back().x() ==
                                                    static_cast<double>(window.controller().snapshot()->step);
        };
        (void)comes(drawn);
    }

    CurvesPanel& panel() { return window.panel<CurvesPanel>(); }
    Chart& chart() { return panel().chart(); }
    const ChartPicture& picture() { return chart().picture(); }
    QString shownText() { return chart().shownText().join('|'); }
    QToolButton* button(const QString& text)
    {
        for (auto* button : panel().findChildren<QToolButton*>())
            if (button->text() == text || button->objectName() == text)
                return button;
        return nullptr;
    }
    void chooseAxis(const QString& entry)
    {
        for (QAction* action : button("xAxis")->menu()->actions())
            if (action->text() == entry)
                action->trigger();
    }
    QPoint at(double shareX, double shareY)
    {
        const QRectF plot = chart().plot();
        return QPointF(plot.left() + shareX * plot.width(), plot.bottom() - shareY * plot.height()).toPoint();
    }
    void moveMouse(const QPoint& to, Qt::MouseButtons buttons, Qt::KeyboardModifiers modifiers = {})
    {
        QWidget& surface = chart().surface();
        QMouseEvent move(QEvent::MouseMove, QPointF(to), surface.mapToGlobal(QPointF(to)), Qt::NoButton, buttons,
                         modifiers);
        QApplication::sendEvent(&surface, &move);
    }
    void drag(const QPoint& from, const QPoint& to, Qt::KeyboardModifiers modifiers = {})
    {
        QTest::mousePress(&chart().surface(), Qt::LeftButton, modifiers, from);
        for (int i = 1; i <= 4; ++i)
            moveMouse(from + (to - from) * i / 4, Qt::LeftButton, modifiers);
        QTest::mouseRelease(&chart().surface(), Qt::LeftButton, modifiers, to);
    }
    void wheel(const QPoint& at, int notches, Qt::KeyboardModifiers modifiers = {})
    {
        QWidget& surface = chart().surface();
        QWheelEvent event(QPointF(at), surface.mapToGlobal(QPointF(at)), {}, {0, 120 * notches}, Qt::NoButton,
                          modifiers, Qt::NoScrollPhase, false);
        QApplication::sendEvent(&surface, &event);
    }
    /// As if the mouse stood over this value, which no whole pixel may lie on.
    void pointAt(double x) { Q_EMIT chart().hovered(x); }
    std::size_t pointCount()
    {
        std::size_t count = 0;
        for (const ChartSeries& series : picture().series)
            count += series.points.size();
        return count;
    }
    /// The curve with this name in the legend.
    const ChartSeries* series(const QString& name)
    {
        for (const ChartSeries& series : picture().series)
            if (series.look.name.startsWith(name))
                return &series;
        return nullptr;
    }
    std::vector<double> marks(ChartMark::Kind kind)
    {
        std::vector<double> xs;
        for (const ChartMark& mark : picture().marks)
            if (mark.kind == kind)
                xs.push_back(mark.x);
        return xs;
    }
    void oneStepMore()
    {
        const std::int64_t before = window.controller().snapshot()->step;
        window.controller().step(window.document().experiment(), {}, 1);
        (void)comes([&] { return window.controller().snapshot()->step == before + 1; });
    }
};

} // namespace unroll::test
