// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/studio/start/card_grid.h"

#include <algorithm>

namespace unroll {

CardGrid::CardGrid(int gap, QWidget* parent) : QLayout(parent), m_gap(gap)
{
    setContentsMargins(0, 0, 0, 0);
}

CardGrid::~CardGrid() = default;

void CardGrid::addItem(QLayoutItem* item)
{
    m_items.emplace_back(item);
}

QLayoutItem* CardGrid::itemAt(int index) const
{
    return index >= 0 && index < count() ? m_items[static_cast<std::size_t>(index)].get() : nullptr;
}

QLayoutItem* CardGrid::takeAt(int index)
{
    if (index < 0 || index >= count())
        return nullptr;
    QLayoutItem* taken = m_items[static_cast<std::size_t>(index)].release();
    m_items.erase(m_items.begin() + index);
    return taken;
}

int CardGrid::widestHint() const
{
    int widest = 1;
    for (const auto& item : m_items)
        widest = std::max(widest, item->sizeHint().width());
    return widest;
}

int CardGrid::columns(int width) const
{
    return std::clamp((width + m_gap) / (widestHint() + m_gap), 1, std::max(count(), 1));
}

int CardGrid::heightForWidth(int width) const
{
    return place(QRect(0, 0, width, 0), false);
}

QSize CardGrid::sizeHint() const
{
    return {widestHint(), heightForWidth(widestHint())};
}

QSize CardGrid::minimumSize() const
{
    QSize least;
    for (const auto& item : m_items)
        least = least.expandedTo(item->minimumSize());
    return least;
}

void CardGrid::setGeometry(const QRect& area)
{
    QLayout::setGeometry(area);
    place(area, true);
}

/// The height that all rows take.
int CardGrid::place(const QRect& area, bool move) const
{
    const int across = columns(area.width());
    const double step = (area.width() + m_gap) / static_cast<double>(across);
    const int width = static_cast<int>(step) - m_gap;
    int y = area.top();
    for (int first = 0; first < count(); first += across) {
        const int end = std::min(first + across, count());
        int high = 0;
        for (int i = first; i < end; ++i) {
            QLayoutItem* item = itemAt(i);
            high = std::max(high, item->hasHeightForWidth() ? item->heightForWidth(width) : item->sizeHint().height());
        }
        for (int i = first; move && i < end; ++i)
            itemAt(i)->setGeometry({area.left() + static_cast<int>((i - first) * step), y, width, high});
        y += high + m_gap;
    }
    return std::max(y - m_gap - area.top(), 0);
}

} // namespace unroll
