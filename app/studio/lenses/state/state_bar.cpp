// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/studio/lenses/state/state_bar.h"

#include "app/studio/theme/metrics.h"

namespace unroll {

StateBar::StateBar(QWidget* picker, QLineEdit* probe, QWidget* order, QWidget* parent)
    : QWidget(parent), m_grid(new QGridLayout(this)), m_picker(picker), m_probe(probe), m_order(order)
{
    m_grid->setContentsMargins(space::m, 0, space::m, space::xs);
    m_grid->setHorizontalSpacing(space::s);
    m_grid->setVerticalSpacing(space::s);
    m_grid->setColumnStretch(1, 1);
    m_grid->addWidget(m_picker, 0, 0);
    m_grid->addWidget(m_order, 0, 2);
    m_grid->addWidget(m_probe, 0, 1);
}

int StateBar::widthOfOneLine() const
{
    const QMargins margins = m_grid->contentsMargins();
    const int text = m_probe->fontMetrics().horizontalAdvance(m_probe->placeholderText()) + 2 * space::xl;
    return m_picker->sizeHint().width() + m_order->sizeHint().width() + text + 2 * space::s + margins.left() +
           margins.right();
}

void StateBar::resizeEvent(QResizeEvent* event)
{
    QWidget::resizeEvent(event);
    place();
}

void StateBar::place()
{
    const int row = width() < widthOfOneLine() ? 1 : 0;
    int now = 0, column = 0, rows = 0, columns = 0;
    m_grid->getItemPosition(m_grid->indexOf(m_probe), &now, &column, &rows, &columns);
    if (now == row)
        return;
    m_grid->removeWidget(m_probe);
    m_grid->addWidget(m_probe, row, row == 0 ? 1 : 0, 1, row == 0 ? 1 : 3);
}

} // namespace unroll
