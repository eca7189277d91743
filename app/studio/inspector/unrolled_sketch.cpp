// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/studio/inspector/unrolled_sketch.h"

#include "app/studio/canvas/unrolled_drawing.h"
#include "app/studio/theme/appearance.h"
#include "app/studio/theme/metrics.h"

#include <QFontMetrics>
#include <QPainter>

namespace unroll {

namespace {

constexpr double kArrow = 4; // of its head
constexpr int kLines = 8;    // of text that it is as high as

} // namespace

UnrolledSketch::UnrolledSketch(const BlockSpec& spec, const Appearance& appearance, QWidget* parent)
    : QWidget(parent), m_appearance(appearance), m_cell(QString::fromStdString(spec.title)), m_state(stateWord(spec))
{
    setObjectName("unrolled");
    setAccessibleName(tr("%1 over five steps").arg(m_cell));
    setToolTip(tr("The same weights at every step: %1 goes from each step to the next.").arg(m_state));
    const auto fit = [this] {
        setFixedHeight(kLines * QFontMetrics(m_appearance.font(Type::Caption)).height());
        update();
    };
    connect(&appearance, &Appearance::changed, this, fit);
    fit();
}

/// The cell in the middle of left..right, with its input below, its output above, and the state that leaves it.
void UnrolledSketch::drawStep(QPainter& painter, int step, double left, double right) const
{
    const Theme& theme = m_appearance.theme();
    const QFontMetrics metrics(painter.font());
    const double line = metrics.height(), middle = height() / 2.0, center = (left + right) / 2;
    const double half = (right - left) * 0.28;
    const QRectF box(center - half, middle - line, 2 * half, 2 * line);
    painter.setPen(QPen(theme[Theme::Role::NodeBorder], 1));
    painter.setBrush(theme[Theme::Role::NodeBody]);
    painter.drawRoundedRect(box, space::radiusSmall, space::radiusSmall);
    painter.setPen(QPen(theme[Theme::Role::TextDim], 1.25, Qt::SolidLine, Qt::RoundCap));
    paintArrow(painter, {center, height() - 1.3 * line}, {center, box.bottom() + 2}, kArrow);
    paintArrow(painter, {center, box.top() - 2}, {center, 1.3 * line}, kArrow);
    paintArrow(painter, {box.right() + 2, middle}, {right + (right - left) / 2 - half - 2, middle}, kArrow);
    if (step == 0)
        paintArrow(painter, {left - 2, middle}, {box.left() - 2, middle}, kArrow);
    painter.setPen(theme[Theme::Role::Text]);
    paintAtStep(painter, {center, line / 2}, QStringLiteral("y"), step);
    paintAtStep(painter, {center, height() - line / 2}, QStringLiteral("x"), step);
    painter.drawText(box, Qt::AlignCenter,
                     metrics.elidedText(m_cell, Qt::ElideRight, static_cast<int>(box.width()) - 2));
    painter.setPen(theme[Theme::Role::TextDim]);
    painter.drawText(QRectF(box.right(), middle - 1.1 * line, 2 * (right - box.right()), line), Qt::AlignCenter,
                     metrics.elidedText(m_state, Qt::ElideRight, static_cast<int>(2 * (right - box.right()))));
}

void UnrolledSketch::paintEvent(QPaintEvent*)
{
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setFont(m_appearance.font(Type::Caption));
    const double step = width() / (kSteps + 1.0); // half a step before the first cell, and behind the last
    for (int i = 0; i < kSteps; ++i)
        drawStep(painter, i, (i + 0.5) * step, (i + 1.5) * step);
}

} // namespace unroll
