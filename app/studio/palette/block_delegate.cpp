// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/studio/palette/block_delegate.h"

#include "app/studio/palette/block_list_model.h"
#include "app/studio/theme/appearance.h"
#include "app/studio/theme/glyph.h"
#include "app/studio/theme/metrics.h"
#include "app/studio/theme/row_ground.h"

#include <QPainter>
#include <algorithm>

namespace unroll {

namespace {

const BlockMatch* matchAt(const QModelIndex& index)
{
    return static_cast<const BlockListModel*>(index.model())->at(index.row());
}

} // namespace

BlockDelegate::BlockDelegate(const Appearance& appearance, int titleWidth, bool summaries, QObject* parent)
    : QStyledItemDelegate(parent), m_appearance(appearance), m_titleWidth(titleWidth), m_summaries(summaries)
{}

void BlockDelegate::paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const
{
    painter->save();
    if (const BlockMatch* match = matchAt(index)) {
        paintRowGround(*painter, option, m_appearance.theme());
        paintBlock(*painter, option.rect, *match);
    } else {
        paintHeading(*painter, option.rect, index.data().toString());
    }
    painter->restore();
}

void BlockDelegate::paintHeading(QPainter& painter, const QRect& row, const QString& words) const
{
    painter.setFont(m_appearance.font(Type::Caption));
    painter.setPen(m_appearance.theme()[Theme::Role::TextDim]);
    painter.drawText(row.adjusted(space::m, 0, -space::m, -space::xs), Qt::AlignLeft | Qt::AlignBottom, words);
}

void BlockDelegate::paintBlock(QPainter& painter, const QRect& row, const BlockMatch& match) const
{
    const Theme& theme = m_appearance.theme();
    const int side = tileSide();
    paintBlockTile(painter, match.spec, QRect(row.left() + space::m, row.top() + (row.height() - side) / 2, side, side),
                   theme);
    const int left = row.left() + textLeft();
    paintTitle(painter, QRect(left, row.top(), m_titleWidth, row.height()), match);
    if (!m_summaries)
        return;
    const QRect rest = row.adjusted(textLeft() + m_titleWidth + space::l, 0, -space::m, 0);
    QString words = QString::fromStdString(match.spec->summary);
    if (!match.synonym.isEmpty())
        words = match.synonym + QStringLiteral(" · ") + words;
    painter.setFont(m_appearance.font(Type::Caption));
    painter.setPen(theme[Theme::Role::TextDim]);
    painter.drawText(rest, Qt::AlignLeft | Qt::AlignVCenter,
                     painter.fontMetrics().elidedText(words, Qt::ElideRight, rest.width()));
}

/// Piece by piece: letters that were asked for, letters that were not.
void BlockDelegate::paintTitle(QPainter& painter, const QRect& place, const BlockMatch& match) const
{
    const QString title = QString::fromStdString(match.spec->title);
    const auto isAsked = [&](qsizetype at) {
        return std::binary_search(match.letters.begin(), match.letters.end(), static_cast<int>(at));
    };
    painter.setPen(m_appearance.theme()[Theme::Role::Text]);
    QRect rest = place;
    for (qsizetype from = 0, to = 0; from < title.size(); from = to) {
        while (to < title.size() && isAsked(to) == isAsked(from))
            ++to;
        const QString piece = title.mid(from, to - from);
        painter.setFont(m_appearance.font(isAsked(from) ? Type::Strong : Type::Body));
        painter.drawText(rest, Qt::AlignLeft | Qt::AlignVCenter | Qt::TextDontClip, piece);
        rest.setLeft(rest.left() + painter.fontMetrics().horizontalAdvance(piece));
    }
}

QSize BlockDelegate::sizeHint(const QStyleOptionViewItem&, const QModelIndex& index) const
{
    const int heading = QFontMetrics(m_appearance.font(Type::Caption)).height() + space::s + space::xs;
    return {leastWidth(), matchAt(index) == nullptr ? heading : blockHeight()};
}

int BlockDelegate::leastWidth() const
{
    return textLeft() + m_titleWidth + space::m;
}

int BlockDelegate::tileSide() const
{
    return m_appearance.iconSide() + space::xs;
}

int BlockDelegate::textLeft() const
{
    return space::m + tileSide() + space::s;
}

int BlockDelegate::blockHeight() const
{
    return std::max(QFontMetrics(m_appearance.font(Type::Strong)).height() + space::s, tileSide() + space::xs);
}

} // namespace unroll
