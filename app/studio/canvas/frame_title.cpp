// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/studio/canvas/frame_title.h"

#include "app/studio/canvas/frame_item.h"
#include "app/studio/canvas/graph_view.h"

#include <QKeyEvent>
#include <algorithm>
#include <utility>

namespace unroll {

namespace {

constexpr int kLeastWidth = 160; ///< px

} // namespace

FrameTitle::FrameTitle(GraphView& view) : QLineEdit(view.viewport()), m_view(view)
{
    setObjectName("frameTitle");
    setAccessibleName(tr("Comment"));
    hide();
    connect(this, &QLineEdit::editingFinished, this, [this] { end(true); });
}

const FrameItem* FrameTitle::item() const
{
    return m_frame == 0 ? nullptr : m_view.graphScene().frame(m_frame);
}

void FrameTitle::edit(FrameId id)
{
    m_frame = id;
    if (item() == nullptr)
        return;
    setText(QString::fromStdString(item()->frame().title));
    place();
    show();
    selectAll();
    setFocus();
}

void FrameTitle::place()
{
    const FrameItem* frame = item();
    if (frame == nullptr)
        return;
    const QRect strip = m_view.mapFromScene(frame->mapRectToScene(frame->titleRect())).boundingRect();
    const int height = sizeHint().height();
    setGeometry(strip.left(), strip.center().y() - height / 2, std::max(kLeastWidth, strip.width()), height);
}

/// The field goes first: what the edit does must not end it again.
void FrameTitle::end(bool keeps)
{
    const FrameItem* titled = item();
    m_frame = 0;
    const bool hadFocus = hasFocus();
    hide();
    if (hadFocus)
        m_view.setFocus();
    if (!keeps || titled == nullptr)
        return;
    Frame frame = titled->frame();
    frame.title = text().trimmed().toStdString();
    if (frame.title != titled->frame().title)
        m_view.graphScene().changeFrame(frame);
}

/// Letters are the field's, not the canvas's keys.
bool FrameTitle::event(QEvent* event)
{
    if (event->type() == QEvent::ShortcutOverride) {
        event->accept();
        return true;
    }
    if (event->type() == QEvent::KeyPress && static_cast<QKeyEvent*>(event)->key() == Qt::Key_Escape) {
        end(false);
        return true;
    }
    return QLineEdit::event(event);
}

} // namespace unroll
