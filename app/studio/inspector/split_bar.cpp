// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/studio/inspector/split_bar.h"

#include "app/studio/theme/appearance.h"
#include "app/studio/theme/metrics.h"

#include <QPainter>
#include <algorithm>

namespace unroll {

namespace {

constexpr double kGap = 2;
constexpr double kLeastWidth = 3; ///< of a part that is there

} // namespace

SplitBar::SplitBar(const Appearance& appearance, QWidget* parent) : QWidget(parent), m_appearance(appearance)
{
    setFixedHeight(space::s);
    connect(&appearance, &Appearance::changed, this, [this] { update(); });
}

void SplitBar::setParts(double training, double validation)
{
    m_validation = validation / (training + validation);
    const QString share = QString::number(100 * m_validation, 'g', 3);
    setToolTip(tr("%1 % for validation").arg(share));
    setAccessibleName(toolTip());
    update();
}

void SplitBar::paintEvent(QPaintEvent*)
{
    const Theme& theme = m_appearance.theme();
    const double room = width() - kGap;
    double right = m_validation * room;
    if (m_validation > 0 && m_validation < 1)
        right = std::clamp(right, kLeastWidth, std::max(kLeastWidth, room - kLeastWidth));
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(Qt::NoPen);
    painter.setBrush(theme[Theme::Role::ChartTrain]);
    painter.drawRoundedRect(QRectF(0, 0, room - right, height()), kGap, kGap);
    painter.setBrush(theme[Theme::Role::ChartValidation]);
    painter.drawRoundedRect(QRectF(width() - right, 0, right, height()), kGap, kGap);
}

} // namespace unroll
