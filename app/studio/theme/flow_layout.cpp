// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/studio/theme/flow_layout.h"

#include <algorithm>

namespace unroll {

FlowLayout::FlowLayout(QWidget* parent) : QLayout(parent) {}

FlowLayout::~FlowLayout()
{
    qDeleteAll(m_items);
}

QLayoutItem* FlowLayout::takeAt(int index)
{
    return index >= 0 && index < m_items.size() ? m_items.takeAt(index) : nullptr;
}

QSize FlowLayout::sizeHint() const
{
    QSize all(0, 0);
    for (const QLayoutItem* item : m_items)
        if (!item->isEmpty())
            all = QSize(all.width() + (all.width() > 0 ? spacing() : 0) + item->sizeHint().width(),
                        std::max(all.height(), item->sizeHint().height()));
    const QMargins margins = contentsMargins();
    return all + QSize(margins.left() + margins.right(), margins.top() + margins.bottom());
}

QSize FlowLayout::minimumSize() const
{
    QSize least(0, 0);
    for (const QLayoutItem* item : m_items)
        if (!item->isEmpty())
            least = least.expandedTo(item->minimumSize());
    const QMargins margins = contentsMargins();
    return least + QSize(margins.left() + margins.right(), margins.top() + margins.bottom());
}

void FlowLayout::setGeometry(const QRect& rect)
{
    QLayout::setGeometry(rect);
    place(rect, true);
}

int FlowLayout::place(const QRect& rect, bool act) const
{
    const QMargins margins = contentsMargins();
    const QRect inner = rect.marginsRemoved(margins);
    int left = inner.left(), top = inner.top(), height = 0;
    QList<std::pair<QLayoutItem*, QRect>> row;
    const auto finish = [&] {
        if (act)
            for (auto& [item, place] : row)
                item->setGeometry(place.translated(0, (height - place.height()) / 2));
        row.clear();
    };
    for (QLayoutItem* item : m_items) {
        if (item->isEmpty())
            continue;
        const QSize size(std::min(item->sizeHint().width(), std::max(inner.width(), item->minimumSize().width())),
                         item->sizeHint().height());
        if (left > inner.left() && left + size.width() > inner.left() + inner.width()) {
            finish();
            left = inner.left();
            top += height + spacing();
            height = 0;
        }
        row << std::pair(item, QRect(QPoint(left, top), size));
        height = std::max(height, size.height());
        left += size.width() + spacing();
    }
    finish();
    return top + height - inner.top() + margins.top() + margins.bottom();
}

} // namespace unroll
