// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/studio/theme/empty_state.h"

#include "app/studio/theme/appearance.h"
#include "app/studio/theme/metrics.h"

#include <QPainter>

namespace unroll {

EmptyState::EmptyState(const Appearance& appearance, QString icon, QString title, QString sentence, QWidget* parent)
    : QWidget(parent),
      m_appearance(appearance),
      m_icon(std::move(icon)),
      m_title(std::move(title)),
      m_sentence(std::move(sentence))
{
    setAccessibleName(m_title);
    setAccessibleDescription(m_sentence);
}

void EmptyState::setSentence(const QString& sentence)
{
    m_sentence = sentence;
    setAccessibleDescription(sentence);
    update();
}

void EmptyState::paintEvent(QPaintEvent*)
{
    const Theme& theme = m_appearance.theme();
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    const double wide = std::min(width() - 2.0 * space::l, 340.0);
    const QFontMetricsF strong(m_appearance.font(Type::Strong));
    const QFontMetricsF body(m_appearance.font(Type::Body));
    const double sentence =
        body.boundingRect(QRectF(0, 0, wide, 1000), Qt::TextWordWrap | Qt::AlignHCenter, m_sentence).height();
    constexpr double icon = 24;
    const double total = icon + space::s + strong.height() + space::xs + sentence;
    const bool roomy = height() > total + 2 * space::s;
    double y = std::max<double>(space::s, (height() - (roomy ? total : total - icon - space::s)) / 2);
    const double x = (width() - wide) / 2;
    if (roomy) {
        paintIcon(painter, m_icon, theme[Theme::Role::TextDim], QRectF((width() - icon) / 2, y, icon, icon));
        y += icon + space::s;
    }
    painter.setFont(m_appearance.font(Type::Strong));
    painter.setPen(theme[Theme::Role::Text]);
    painter.drawText(QRectF(x, y, wide, strong.height()), Qt::AlignCenter, m_title);
    y += strong.height() + space::xs;
    painter.setFont(m_appearance.font(Type::Body));
    painter.setPen(theme[Theme::Role::TextDim]);
    painter.drawText(QRectF(x, y, wide, sentence + space::s), Qt::TextWordWrap | Qt::AlignHCenter | Qt::AlignTop,
                     m_sentence);
}

} // namespace unroll
