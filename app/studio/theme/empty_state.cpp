// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/studio/theme/empty_state.h"

#include "app/studio/theme/appearance.h"
#include "app/studio/theme/metrics.h"

#include <QPainter>
#include <algorithm>
#include <cmath>

namespace unroll {

namespace {

constexpr double widestSentence = 360; ///< px; longer lines are hard to read

} // namespace

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

QSizeF EmptyState::sentenceSize(int width) const
{
    const double wide = std::min(width - 2.0 * space::l, widestSentence);
    const QFontMetricsF body(m_appearance.font(Type::Body));
    return {wide,
            body.boundingRect(QRectF(0, 0, wide, 1000), Qt::TextWordWrap | Qt::AlignHCenter, m_sentence).height()};
}

int EmptyState::heightForWidth(int width) const
{
    const QFontMetricsF strong(m_appearance.font(Type::Strong));
    return static_cast<int>(std::ceil(strong.height() + space::xs + sentenceSize(width).height()));
}

void EmptyState::paintEvent(QPaintEvent*)
{
    const Theme& theme = m_appearance.theme();
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    const QSizeF sentence = sentenceSize(width());
    const QFontMetricsF strong(m_appearance.font(Type::Strong));
    const double words = heightForWidth(width());
    const double icon = strong.height() * 1.5;
    const bool roomy = height() > words + icon + 3 * space::s;
    double y = std::max(0.0, (height() - (roomy ? words + icon + space::s : words)) / 2);
    if (roomy) {
        paintIcon(painter, m_icon, theme[Theme::Role::TextDim], QRectF((width() - icon) / 2, y, icon, icon));
        y += icon + space::s;
    }
    painter.setFont(m_appearance.font(Type::Strong));
    painter.setPen(theme[Theme::Role::Text]);
    painter.drawText(QRectF(0, y, width(), strong.height()), Qt::AlignCenter, m_title);
    y += strong.height() + space::xs;
    painter.setFont(m_appearance.font(Type::Body));
    painter.setPen(theme[Theme::Role::TextDim]);
    painter.drawText(QRectF(QPointF((width() - sentence.width()) / 2, y), sentence + QSizeF(0, space::s)),
                     Qt::TextWordWrap | Qt::AlignHCenter | Qt::AlignTop, m_sentence);
}

} // namespace unroll
