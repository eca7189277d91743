// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/studio/theme/column_scroll.h"

#include <QEvent>
#include <QScrollBar>
#include <algorithm>

namespace unroll {

ColumnScroll::ColumnScroll(const QString& name, QWidget* parent) : QScrollArea(parent)
{
    setAccessibleName(name);
    setWidgetResizable(true);
    setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    setFrameShape(NoFrame);
    setFocusPolicy(Qt::NoFocus);
}

QSize ColumnScroll::minimumSizeHint() const
{
    const QSize least = QScrollArea::minimumSizeHint();
    if (widget() == nullptr)
        return least;
    const int bar = verticalScrollBar()->sizeHint().width();
    return {std::max(least.width(), widget()->minimumSizeHint().width() + bar), least.height()};
}

/// The content asks for another size: so do we.
bool ColumnScroll::eventFilter(QObject* watched, QEvent* event)
{
    if (watched == widget() && event->type() == QEvent::LayoutRequest)
        updateGeometry();
    return QScrollArea::eventFilter(watched, event);
}

} // namespace unroll
