// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/studio/start/spotlight.h"

#include "app/studio/theme/appearance.h"
#include "app/studio/theme/metrics.h"

#include <QEvent>
#include <QPainter>

namespace unroll {

namespace {

class Outline : public QWidget {
public:
    Outline(const Appearance& appearance, QWidget& around)
        : QWidget(around.window()), m_appearance(appearance), m_around(&around)
    {
        setAttribute(Qt::WA_TransparentForMouseEvents);
        around.installEventFilter(this);
        place();
    }

protected:
    /// A panel that was just shown gets its place later.
    bool eventFilter(QObject* watched, QEvent* event) override
    {
        if (watched == m_around && (event->type() == QEvent::Resize || event->type() == QEvent::Move))
            place();
        return QWidget::eventFilter(watched, event);
    }

    void paintEvent(QPaintEvent*) override
    {
        QPainter painter(this);
        painter.setRenderHint(QPainter::Antialiasing);
        painter.setPen(QPen(m_appearance.theme()[Theme::Role::Accent], 3));
        painter.drawRoundedRect(QRectF(rect()).adjusted(2, 2, -2, -2), space::radius, space::radius);
    }

private:
    /// A panel that is taken out of the window leaves the outline behind.
    void place()
    {
        if (m_around->window() != window())
            return hide();
        setGeometry(QRect(m_around->mapTo(window(), QPoint()), m_around->size())
                        .adjusted(-space::xs, -space::xs, space::xs, space::xs)
                        .intersected(window()->rect()));
    }

    const Appearance& m_appearance;
    QPointer<QWidget> m_around;
};

} // namespace

Spotlight::Spotlight(const Appearance& appearance, QObject* parent) : QObject(parent), m_appearance(appearance)
{
    m_away.setSingleShot(true);
    connect(&m_away, &QTimer::timeout, this, [this] { delete m_frame; });
}

Spotlight::~Spotlight()
{
    delete m_frame;
}

void Spotlight::pointAt(QWidget& widget)
{
    delete m_frame;
    m_frame = new Outline(m_appearance, widget);
    m_frame->show();
    m_frame->raise();
    m_away.start(kMilliseconds);
}

} // namespace unroll
