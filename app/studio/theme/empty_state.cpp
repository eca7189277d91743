// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/studio/theme/empty_state.h"

#include "app/studio/theme/appearance.h"
#include "app/studio/theme/glyph.h"
#include "app/studio/theme/key_names.h"
#include "app/studio/theme/metrics.h"

#include <QPainter>
#include <algorithm>
#include <cmath>

namespace unroll {

namespace {

constexpr double kWidestSentence = 22; ///< in heights of a line; longer ones are hard to read

/// Of a sentence as wide as the place, or no wider than is read well.
QSizeF sentenceSize(const Appearance& appearance, const QString& sentence, int width, bool isWide)
{
    const QFontMetricsF body(appearance.font(Type::Body));
    const double room = width - 2.0 * space::l;
    const double wide = isWide ? room : std::min(room, kWidestSentence * body.height());
    return {wide, body.boundingRect(QRectF(0, 0, wide, 1000), Qt::TextWordWrap | Qt::AlignHCenter, sentence).height()};
}

double titleHeight(const Appearance& appearance)
{
    return QFontMetricsF(appearance.font(Type::Strong)).height() + space::xs;
}

} // namespace

EmptyState::EmptyState(const Appearance& appearance, QString icon, QString title, QString sentence, QWidget* parent)
    : QWidget(parent), m_appearance(appearance), m_icon(std::move(icon)), m_title(std::move(title))
{
    setAccessibleName(m_title);
    setSentence(sentence);
    connect(&KeyNames::all(), &KeyNames::changed, this, [this] { setSentence(QString(m_asked)); });
}

void EmptyState::setSentence(const QString& sentence)
{
    m_asked = sentence;
    m_sentence = KeyNames::all().in(sentence);
    m_known = {};
    setAccessibleDescription(m_sentence);
    update();
}

int EmptyState::heightForWidth(int width) const
{
    const QFont font = m_appearance.font(Type::Body);
    if (m_known.width != width || m_known.font != font)
        m_known = {width, emptyStateHeight(m_appearance, m_sentence, width), font};
    return m_known.height;
}

void EmptyState::paintEvent(QPaintEvent*)
{
    QPainter painter(this);
    paintEmptyState(painter, m_appearance, rect(), m_icon, m_title, m_sentence);
}

int emptyStateHeight(const Appearance& appearance, const QString& sentence, int width)
{
    return static_cast<int>(
        std::ceil(titleHeight(appearance) + sentenceSize(appearance, sentence, width, true).height()));
}

void paintEmptyState(QPainter& painter, const Appearance& appearance, const QRect& place, const QString& icon,
                     const QString& title, const QString& sentence)
{
    const Theme& theme = appearance.theme();
    painter.setRenderHint(QPainter::Antialiasing);
    const QFontMetricsF strong(appearance.font(Type::Strong));
    QSizeF size = sentenceSize(appearance, sentence, place.width(), false);
    if (titleHeight(appearance) + size.height() > place.height())
        size = sentenceSize(appearance, sentence, place.width(), true);
    const double words = titleHeight(appearance) + size.height();
    const double side = strong.height() * 1.5;
    const bool roomy = place.height() > words + side + 3 * space::s;
    double y = place.top() + std::max(0.0, (place.height() - (roomy ? words + side + space::s : words)) / 2);
    const double middle = place.left() + place.width() / 2.0;
    if (roomy) {
        paintIcon(painter, icon, theme[Theme::Role::TextDim], QRectF(middle - side / 2, y, side, side));
        y += side + space::s;
    }
    painter.setFont(appearance.font(Type::Strong));
    painter.setPen(theme[Theme::Role::Text]);
    painter.drawText(QRectF(place.left(), y, place.width(), strong.height()), Qt::AlignCenter, title);
    y += strong.height() + space::xs;
    painter.setFont(appearance.font(Type::Body));
    painter.setPen(theme[Theme::Role::TextDim]);
    painter.drawText(QRectF(QPointF(middle - size.width() / 2, y), size + QSizeF(0, space::s)),
                     Qt::TextWordWrap | Qt::AlignHCenter | Qt::AlignTop, sentence);
}

} // namespace unroll
