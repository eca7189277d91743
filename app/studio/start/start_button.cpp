// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/studio/start/start_button.h"

#include "app/studio/theme/appearance.h"
#include "app/studio/theme/metrics.h"

#include <QKeyEvent>
#include <QPainter>

namespace unroll {

StartButton::StartButton(const Appearance& appearance, QWidget* parent)
    : QAbstractButton(parent), m_appearance(appearance)
{
    QSizePolicy policy(QSizePolicy::Preferred, QSizePolicy::Preferred);
    policy.setHeightForWidth(true);
    setSizePolicy(policy);
    setFocusPolicy(Qt::StrongFocus);
    setAttribute(Qt::WA_Hover);
    connect(&appearance, &Appearance::changed, this, QOverload<>::of(&QWidget::update));
}

QSize StartButton::sizeHint() const
{
    return {preferredWidth(), heightForWidth(preferredWidth())};
}

QSize StartButton::minimumSizeHint() const
{
    return {leastWidth(), heightForWidth(preferredWidth())};
}

void StartButton::paintGround(QPainter& painter) const
{
    using R = Theme::Role;
    const Theme& theme = m_appearance.theme();
    const bool pointedAt = underMouse() && isEnabled();
    const bool focused = hasFocus();
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(focused ? QPen(theme[R::Focus], 2) : QPen(theme[pointedAt ? R::Accent : R::Border], 1));
    painter.setBrush(theme[isDown() ? R::Pressed : pointedAt ? R::Hover : R::Panel]);
    const double inset = focused ? 1 : 0.5;
    painter.drawRoundedRect(QRectF(rect()).adjusted(inset, inset, -inset, -inset), space::radius, space::radius);
}

void StartButton::keyPressEvent(QKeyEvent* event)
{
    switch (event->key()) {
    case Qt::Key_Return:
    case Qt::Key_Enter: click(); break;
    case Qt::Key_Left:
    case Qt::Key_Right:
    case Qt::Key_Up:
    case Qt::Key_Down: event->ignore(); break; // a button would go to the next by Tab's order
    default: QAbstractButton::keyPressEvent(event);
    }
}

int wrappedHeight(const QFont& font, const QString& words, int width)
{
    return QFontMetrics(font).boundingRect(QRect(0, 0, width, 100'000), Qt::TextWordWrap, words).height();
}

} // namespace unroll
