// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/studio/lenses/state/order_picker.h"

#include "app/studio/lenses/state/state_stack.h"
#include "app/studio/theme/appearance.h"
#include "app/studio/theme/metrics.h"

#include <QHBoxLayout>

namespace unroll {

OrderPicker::OrderPicker(StateStack& stack, const Appearance& appearance, QWidget* parent)
    : QWidget(parent), m_stack(stack), m_order(new QComboBox), m_reorder(new QToolButton)
{
    m_order->setObjectName("order");
    m_order->setAccessibleName(tr("Order of the units"));
    m_order->setToolTip(tr(
        "Order of the rows. It is fixed during training so that a unit keeps its row; the button beside sorts again."));
    fill();
    m_reorder->setObjectName("reorder");
    m_reorder->setIcon(appearance.icon("reset"));
    m_reorder->setAccessibleName(tr("Reorder"));
    m_reorder->setToolTip(tr("Reorder: sort the rows by the values shown now"));
    m_reorder->setEnabled(false);
    auto* row = new QHBoxLayout(this);
    row->setContentsMargins(0, 0, 0, 0);
    row->setSpacing(space::xs);
    row->addWidget(m_order);
    row->addWidget(m_reorder);
    connect(m_order, &QComboBox::currentIndexChanged, this, &OrderPicker::sort);
    connect(m_reorder, &QToolButton::clicked, &stack, &StateStack::reorder);
    connect(&stack, &StateStack::canReorderChanged, this, &OrderPicker::setEnabled);
}

void OrderPicker::choose(int order)
{
    if (const int index = m_order->findData(order); index >= 0)
        m_order->setCurrentIndex(index);
}

void OrderPicker::fill()
{
    const auto add = [this](UnitOrder order, const QString& name, const QString& help) {
        m_order->addItem(name, static_cast<int>(order));
        m_order->setItemData(m_order->count() - 1, help, Qt::ToolTipRole);
    };
    add(UnitOrder::Index, tr("by index"), tr("In the node's own order"));
    add(UnitOrder::Peak, tr("by time of peak"),
        tr("By the character at which the unit's |value| is largest, the earliest on top"));
    add(UnitOrder::Mean, tr("by mean |value|"), tr("By the mean |value| of the unit, the largest on top"));
    add(UnitOrder::Similarity, tr("by similarity"),
        tr("Units that rise and fall together beside each other: leaf order of a clustering by correlation (average "
           "linkage of 1 \u2212 r)"));
    add(UnitOrder::Given, tr("by what they track"),
        tr("Units that track the same feature of the data beside each other, the strongest on top; below, those that "
           "track none (What units track)"));
}

void OrderPicker::sort()
{
    const auto order = static_cast<UnitOrder>(m_order->currentData().toInt());
    m_stack.setOrder(order);
    m_reorder->setEnabled(order != UnitOrder::Index);
    Q_EMIT changed();
}

} // namespace unroll
