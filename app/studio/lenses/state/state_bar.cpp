// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/studio/lenses/state/state_bar.h"

#include "app/studio/theme/metrics.h"

#include <initializer_list>

namespace unroll {

StateBar::StateBar(QWidget* picker, QLineEdit* probe, QWidget* drawing, QWidget* tools, QWidget* parent)
    : QWidget(parent),
      m_grid(new QGridLayout(this)),
      m_picker(picker),
      m_probe(probe),
      m_drawing(drawing),
      m_tools(tools)
{
    m_grid->setContentsMargins(space::m, 0, space::m, space::xs);
    m_grid->setHorizontalSpacing(space::s);
    m_grid->setVerticalSpacing(space::s);
    m_grid->setColumnStretch(1, 1);
    for (QWidget* part : std::initializer_list<QWidget*>{picker, drawing, tools, probe})
        part->setParent(this);
    place();
}

int StateBar::widthOf(const QList<QWidget*>& parts) const
{
    const QMargins margins = m_grid->contentsMargins();
    int width = margins.left() + margins.right();
    for (const QWidget* part : parts)
        width += part->sizeHint().width() + space::s;
    return width;
}

QSize StateBar::minimumSizeHint() const
{
    const QMargins margins = m_grid->contentsMargins();
    const int parts =
        m_picker->minimumSizeHint().width() + m_drawing->minimumSizeHint().width() + m_tools->minimumSizeHint().width();
    return {parts + 2 * space::s + margins.left() + margins.right(), QWidget::minimumSizeHint().height()};
}

void StateBar::resizeEvent(QResizeEvent* event)
{
    QWidget::resizeEvent(event);
    place();
}

void StateBar::place()
{
    const int text = m_probe->fontMetrics().horizontalAdvance(m_probe->placeholderText()) + 2 * space::xl;
    const int lines = width() >= widthOf({m_picker, m_drawing, m_tools}) + text ? 1 : 2;
    if (lines == m_lines)
        return;
    m_lines = lines;
    for (QWidget* part : std::initializer_list<QWidget*>{m_picker, m_drawing, m_tools, m_probe})
        m_grid->removeWidget(part);
    m_grid->addWidget(m_picker, 0, 0);
    m_grid->addWidget(m_tools, 0, 3);
    m_grid->addWidget(m_drawing, 0, 2);
    if (lines == 1)
        m_grid->addWidget(m_probe, 0, 1);
    else
        m_grid->addWidget(m_probe, 1, 0, 1, 4);
}

} // namespace unroll
