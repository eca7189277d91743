// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/studio/theme/icon_engine.h"

#include "app/studio/theme/appearance.h"
#include "app/studio/theme/glyph.h"

#include <QPainter>

namespace unroll {

IconEngine::IconEngine(const Appearance& appearance, QString name, Theme::Role role)
    : m_appearance(appearance), m_name(std::move(name)), m_role(role)
{}

void IconEngine::paint(QPainter* painter, const QRect& rect, QIcon::Mode mode, QIcon::State)
{
    const auto role = mode == QIcon::Disabled ? Theme::Role::TextDisabled : m_role;
    const int side = std::min(rect.width(), rect.height());
    QRectF square(0, 0, side, side);
    square.moveCenter(QRectF(rect).center());
    paintIcon(*painter, m_name, m_appearance.theme()[role], square);
}

QPixmap IconEngine::pixmap(const QSize& size, QIcon::Mode mode, QIcon::State state)
{
    return scaledPixmap(size, mode, state, 1);
}

QPixmap IconEngine::scaledPixmap(const QSize& size, QIcon::Mode mode, QIcon::State state, qreal)
{
    // Qt asks in device pixels and sets the ratio itself. It also asks for nothing, of an icon in a place that has no
    // room yet.
    QPixmap pixmap(size);
    if (pixmap.isNull())
        return pixmap;
    pixmap.fill(Qt::transparent);
    QPainter painter(&pixmap);
    paint(&painter, QRect(QPoint(), size), mode, state);
    return pixmap;
}

QIconEngine* IconEngine::clone() const
{
    return new IconEngine(m_appearance, m_name, m_role);
}

} // namespace unroll
