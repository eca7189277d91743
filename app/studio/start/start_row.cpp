// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/studio/start/start_row.h"

#include "app/studio/theme/appearance.h"
#include "app/studio/theme/glyph.h"
#include "app/studio/theme/metrics.h"

#include <QPainter>

namespace unroll {

namespace {

constexpr int kLettersWide = 15; ///< in heights of a line

} // namespace

StartRow::StartRow(const Appearance& appearance, QString icon, const QString& title, QString detail, Detail kind,
                   QWidget* parent)
    : StartButton(appearance, parent), m_icon(std::move(icon)), m_detail(std::move(detail)), m_kind(kind)
{
    setText(title);
    setAccessibleName(title);
    describe();
}

void StartRow::setDetail(const QString& detail)
{
    m_detail = detail;
    describe();
    updateGeometry();
    update();
}

void StartRow::setNote(const QString& note)
{
    m_note = note;
    describe();
    update();
}

void StartRow::describe()
{
    setAccessibleDescription(m_note.isEmpty() ? m_detail : tr("%1, %2").arg(m_note, m_detail));
}

int StartRow::textLeft() const
{
    return space::m + appearance().iconSide() + space::m;
}

int StartRow::preferredWidth() const
{
    return textLeft() + kLettersWide * fontMetrics().height();
}

int StartRow::leastWidth() const
{
    return textLeft() + 6 * fontMetrics().height();
}

QString StartRow::detailFor(int width) const
{
    if (m_kind == Detail::Sentence)
        return m_detail;
    const QFontMetrics text(appearance().font(Type::Caption));
    const QString before = m_note.isEmpty() ? QString() : m_note + QStringLiteral("  ·  ");
    return before + text.elidedText(m_detail, Qt::ElideMiddle, width - text.horizontalAdvance(before));
}

int StartRow::heightForWidth(int width) const
{
    const int inner = std::max(width - textLeft() - space::m, 1);
    return 2 * space::s + wrappedHeight(appearance().font(Type::Strong), text(), inner) +
           wrappedHeight(appearance().font(Type::Caption), detailFor(inner), inner);
}

void StartRow::paintEvent(QPaintEvent*)
{
    using R = Theme::Role;
    const Theme& theme = appearance().theme();
    QPainter painter(this);
    paintGround(painter);
    const int inner = width() - textLeft() - space::m;
    const QFont strong = appearance().font(Type::Strong);
    const int titleHeight = wrappedHeight(strong, text(), inner);
    const int lineHeight = QFontMetrics(strong).height();
    const int iconSide = appearance().iconSide();
    paintIcon(painter, m_icon, theme[isEnabled() ? R::Accent : R::TextDisabled],
              QRectF(space::m, space::s + (lineHeight - iconSide) / 2.0, iconSide, iconSide));
    painter.setFont(strong);
    painter.setPen(theme[isEnabled() ? R::Text : R::TextDim]);
    painter.drawText(QRect(textLeft(), space::s, inner, titleHeight), Qt::TextWordWrap, text());
    painter.setFont(appearance().font(Type::Caption));
    painter.setPen(theme[R::TextDim]);
    painter.drawText(QRect(textLeft(), space::s + titleHeight, inner, height()), Qt::TextWordWrap, detailFor(inner));
}

} // namespace unroll
