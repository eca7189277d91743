// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/studio/lenses/span_brush.h"
#include "app/studio/lenses/state/heat_map_places.h"

#include <QWidget>
#include <cstdint>
#include <optional>
#include <vector>

namespace unroll {

/// Some units of a signal as lines over the steps, on the scale of the heat map, above the same columns.
class UnitLines : public QWidget {
    Q_OBJECT
public:
    static constexpr std::size_t kMost = 8; ///< lines: colours that can be distinguished

    /// Draws what `shown` holds when it is painted; it must outlive this.
    UnitLines(const HeatMapData& shown, const Appearance& appearance, QWidget* parent = nullptr);

    void setUnits(std::vector<std::int64_t> units); ///< the first of them where they are too many
    const std::vector<std::int64_t>& units() const { return m_units; }
    void setStep(std::int64_t step); ///< -1: none
    void setSpan(const StepSpan& span);
    void shareSteps(std::shared_ptr<AxisZoom> steps) { m_places.shareSteps(std::move(steps)); }
    void setLabelled(bool labelled);
    void refresh(); ///< the data, or what is seen of the steps, are others
    const HeatMapPlaces& places() const { return m_places; }
    QColor colourOf(std::size_t line) const;
    QSize sizeHint() const override { return {560, 200}; }
    QSize minimumSizeHint() const override { return {220, 90}; }

Q_SIGNALS:
    void pointedAt(const QString& words);
    void stepPointed(std::int64_t step);
    void stepHeld(std::int64_t step);
    void released();
    void spanBrushed(std::int64_t from, std::int64_t to); ///< -1: none any more

protected:
    bool event(QEvent* event) override;
    void paintEvent(QPaintEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    void showEvent(QShowEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseReleaseEvent(QMouseEvent* event) override;
    void leaveEvent(QEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;

private:
    double yOf(float value) const;
    void paintScale(QPainter& painter) const;
    void paintLine(QPainter& painter, std::size_t line) const;
    void paintLegend(QPainter& painter) const;
    void paintStep(QPainter& painter) const;
    void paintSpan(QPainter& painter) const;
    std::optional<std::int64_t> led(const QKeyEvent& event) const;
    void brush(const StepSpan& span) { Q_EMIT spanBrushed(span.from, span.to); }
    QString wordsAt(std::int64_t step) const;

    const HeatMapData& m_data;
    const Appearance& m_appearance;
    HeatMapPlaces m_places;
    std::vector<std::int64_t> m_units;
    std::int64_t m_step = -1;
    StepSpan m_span;
    SpanBrush m_brush;
};

} // namespace unroll
