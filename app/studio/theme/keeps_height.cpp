// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/studio/theme/keeps_height.h"

#include <QEvent>
#include <QLayout>
#include <QWidget>

namespace unroll {

namespace {

class HeightKeeper : public QObject {
public:
    explicit HeightKeeper(QWidget& bar) : QObject(&bar), m_bar(bar) { bar.installEventFilter(this); }

protected:
    bool eventFilter(QObject* watched, QEvent* event) override
    {
        const bool changes = event->type() == QEvent::Resize || event->type() == QEvent::LayoutRequest;
        if (watched == &m_bar && changes && m_bar.layout() != nullptr && m_bar.layout()->hasHeightForWidth())
            m_bar.setMinimumHeight(m_bar.layout()->totalHeightForWidth(m_bar.width()));
        return false;
    }

private:
    QWidget& m_bar;
};

} // namespace

void keepHeight(QWidget& bar)
{
    new HeightKeeper(bar);
}

} // namespace unroll
