// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/studio/theme/row_ground.h"

#include "app/studio/theme/theme.h"

#include <QPainter>
#include <QStyleOptionViewItem>

namespace unroll {

void paintRowGround(QPainter& painter, const QStyleOptionViewItem& option, const Theme& theme)
{
    if (option.state & QStyle::State_Selected)
        painter.fillRect(option.rect, theme[Theme::Role::Selection]);
    else if (option.state & QStyle::State_MouseOver)
        painter.fillRect(option.rect, theme[Theme::Role::Hover]);
    if (!(option.state & QStyle::State_HasFocus))
        return;
    painter.setPen(QPen(theme[Theme::Role::Focus], 2));
    painter.setBrush(Qt::NoBrush);
    painter.drawRect(option.rect.adjusted(1, 1, -1, -1));
}

} // namespace unroll
