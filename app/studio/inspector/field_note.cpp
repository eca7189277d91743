// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/studio/inspector/field_note.h"

#include "app/studio/theme/metrics.h"
#include "app/studio/theme/plain_label.h"

#include <QEvent>
#include <algorithm>

namespace unroll {

namespace {

constexpr int kAwayMilliseconds = 12000;
constexpr int kWidest = 40; ///< times the width of a digit

} // namespace

FieldNote::FieldNote(QWidget& field) : QObject(&field), m_field(field)
{
    m_away.setSingleShot(true);
    m_away.setInterval(kAwayMilliseconds);
    connect(&m_away, &QTimer::timeout, this, [this] { say({}); });
    field.installEventFilter(this);
}

FieldNote::~FieldNote()
{
    delete m_label;
}

void FieldNote::say(const QString& words)
{
    if (words.isEmpty()) {
        m_away.stop();
        if (m_label)
            m_label->hide();
        return;
    }
    if (!m_label || m_label->parentWidget() != m_field.window()) {
        delete m_label;
        m_label = plainLabel({});
        m_label->setParent(m_field.window());
        m_label->setObjectName("fieldNote");
        m_label->setProperty("fill", "error");
        m_label->setProperty("tone", "error");
        m_label->setContentsMargins(space::s, space::xs, space::s, space::xs);
        m_label->installEventFilter(this);
        m_field.window()->installEventFilter(this);
    }
    m_label->setText(words);
    m_label->setAccessibleName(words);
    m_label->show();
    place();
    m_away.start();
}

/// Below the field, or above where there is no room; within the window.
void FieldNote::place()
{
    if (!m_label || m_label->isHidden())
        return;
    const QWidget& window = *m_field.window();
    const int most = std::min(kWidest * m_label->fontMetrics().horizontalAdvance('0'), window.width() - 2 * space::s);
    const int line = m_label->fontMetrics().horizontalAdvance(m_label->text()) + 2 * space::s + space::xs;
    const int width = std::min(line, most);
    const QSize size(width, m_label->heightForWidth(width));
    const QPoint below = m_field.mapTo(&window, QPoint(0, m_field.height() + space::xs));
    const int above = m_field.mapTo(&window, QPoint(0, -space::xs)).y() - size.height();
    const int x = std::clamp(below.x(), 0, std::max(0, window.width() - size.width() - space::s));
    const bool fits = below.y() + size.height() <= window.height();
    m_label->setGeometry({{x, fits ? below.y() : std::max(0, above)}, size});
    m_label->raise();
}

bool FieldNote::eventFilter(QObject* watched, QEvent* event)
{
    switch (event->type()) {
    case QEvent::Move:
    case QEvent::Resize: place(); break;
    case QEvent::Hide:
        if (watched == &m_field)
            say({});
        break;
    case QEvent::MouseButtonPress:
        if (watched == m_label)
            say({});
        break;
    default: break;
    }
    return false;
}

} // namespace unroll
