// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/studio/runs/runs_header.h"

#include "app/studio/theme/metrics.h"

#include <QPainter>

namespace unroll {

RunsHeader::RunsHeader(QWidget* parent) : QHeaderView(Qt::Horizontal, parent)
{
    setDefaultAlignment(Qt::AlignLeft | Qt::AlignVCenter);
}

bool RunsHeader::isOfFigures(int section) const
{
    const int side = model()->headerData(section, orientation(), Qt::TextAlignmentRole).toInt();
    return (side & Qt::AlignRight) != 0;
}

QRect RunsHeader::arrowPlace(const QRect& rect) const
{
    QStyleOptionHeader option;
    initStyleOption(&option);
    option.rect = rect;
    option.sortIndicator = QStyleOptionHeader::SortDown;
    return style()->subElementRect(QStyle::SE_HeaderArrow, &option, this);
}

void RunsHeader::initStyleOptionForIndex(QStyleOptionHeader* option, int section) const
{
    QHeaderView::initStyleOptionForIndex(option, section);
    if (isOfFigures(section))
        option->sortIndicator = QStyleOptionHeader::None; // drawn beside the words
}

void RunsHeader::paintSection(QPainter* painter, const QRect& rect, int section) const
{
    if (!isOfFigures(section))
        return QHeaderView::paintSection(painter, rect, section);
    QRect arrow = arrowPlace(rect);
    painter->save();
    painter->setClipRect(rect);
    QHeaderView::paintSection(painter, rect.adjusted(0, 0, arrow.width(), 0), section);
    painter->restore();
    if (!isSortIndicatorShown() || sortIndicatorSection() != section)
        return;
    QStyleOptionHeader option;
    initStyleOption(&option);
    QHeaderView::initStyleOptionForIndex(&option, section);
    option.rect = rect;
    arrow.moveRight(rect.right() - space::s - fontMetrics().horizontalAdvance(option.text) - space::xs);
    option.rect = arrow;
    style()->drawPrimitive(QStyle::PE_IndicatorHeaderArrow, &option, painter, this);
}

} // namespace unroll
