// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/studio/window/problem_delegate.h"

#include "app/studio/theme/appearance.h"
#include "app/studio/theme/metrics.h"
#include "app/studio/theme/row_ground.h"
#include "app/studio/window/problems_model.h"

#include <QAbstractItemView>
#include <QMouseEvent>
#include <QPainter>

namespace unroll {

namespace {

QString textOf(const QModelIndex& index, ProblemsModel::Column column)
{
    return index.siblingAtColumn(column).data().toString();
}

} // namespace

ProblemDelegate::ProblemDelegate(const Appearance& appearance, QObject* parent)
    : QStyledItemDelegate(parent), m_appearance(appearance)
{}

ProblemDelegate::Lines ProblemDelegate::layOut(const QRect& row, const QModelIndex& index) const
{
    const QFontMetrics text(m_appearance.font(Type::Body));
    const QFontMetrics strong(m_appearance.font(Type::Strong));
    const int iconSide = m_appearance.iconSide();
    const int left = row.left() + space::m + iconSide + space::s;
    const int width = std::max(60, row.right() - left - space::m);
    const QRect sentence =
        text.boundingRect(QRect(0, 0, width, 10000), Qt::TextWordWrap, textOf(index, ProblemsModel::Sentence));
    Lines lines;
    lines.icon = QRect(row.left() + space::m, row.top() + space::s, iconSide, iconSide);
    lines.sentence = QRect(left, row.top() + space::s, width, sentence.height());
    const QString where = textOf(index, ProblemsModel::Where);
    const QString fix = textOf(index, ProblemsModel::FixTitle);
    const bool second = !where.isEmpty() || !fix.isEmpty();
    const int below = lines.sentence.bottom() + 1;
    const int whereWidth = where.isEmpty() ? 0 : text.horizontalAdvance(where) + space::l;
    lines.where = QRect(left, below, whereWidth, text.height());
    lines.fix = fix.isEmpty() ? QRect() : QRect(left + whereWidth, below, strong.horizontalAdvance(fix), text.height());
    lines.height = 2 * space::s + sentence.height() + (second ? text.height() : 0);
    return lines;
}

void ProblemDelegate::paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const
{
    const Theme& theme = m_appearance.theme();
    const Lines lines = layOut(option.rect, index);
    painter->save();
    paintRowGround(*painter, option, theme);
    index.data(Qt::DecorationRole).value<QIcon>().paint(painter, lines.icon);
    painter->setFont(m_appearance.font(Type::Body));
    painter->setPen(theme[Theme::Role::Text]);
    painter->drawText(lines.sentence, Qt::TextWordWrap, textOf(index, ProblemsModel::Sentence));
    painter->setPen(theme[Theme::Role::TextDim]);
    painter->drawText(lines.where, Qt::AlignVCenter, textOf(index, ProblemsModel::Where));
    painter->setFont(m_appearance.font(Type::Strong));
    painter->setPen(theme[Theme::Role::Link]);
    painter->drawText(lines.fix, Qt::AlignVCenter, textOf(index, ProblemsModel::FixTitle));
    painter->restore();
}

QSize ProblemDelegate::sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const
{
    // The view's width, since the row's own is not known yet.
    const int width =
        option.widget != nullptr ? static_cast<const QAbstractItemView*>(option.widget)->viewport()->width() : 300;
    return {width, layOut(QRect(0, 0, width, 0), index).height};
}

QRect ProblemDelegate::fixRect(const QRect& row, const QModelIndex& index) const
{
    return layOut(row, index).fix;
}

bool ProblemDelegate::editorEvent(QEvent* event, QAbstractItemModel*, const QStyleOptionViewItem& option,
                                  const QModelIndex& index)
{
    if (event->type() != QEvent::MouseButtonRelease)
        return false;
    const bool onFix = fixRect(option.rect, index).contains(static_cast<QMouseEvent*>(event)->position().toPoint());
    if (onFix)
        Q_EMIT fixClicked(index);
    else
        Q_EMIT rowClicked(index);
    return true;
}

} // namespace unroll
