// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/studio/inspector/field_undo.h"

#include <QKeyEvent>
#include <QSignalBlocker>

namespace unroll {

bool leavesUndo(QEvent& event, const QLineEdit& line)
{
    if (event.type() != QEvent::ShortcutOverride && event.type() != QEvent::KeyPress)
        return false;
    const auto& key = static_cast<QKeyEvent&>(event);
    const bool undoes = key.matches(QKeySequence::Undo) && !line.isUndoAvailable();
    const bool redoes = key.matches(QKeySequence::Redo) && !line.isRedoAvailable();
    if (undoes || redoes)
        event.ignore();
    return undoes || redoes;
}

void forgetTyping(QLineEdit& line)
{
    if (!line.isUndoAvailable() && !line.isRedoAvailable())
        return;
    const int cursor = line.cursorPosition(), start = line.selectionStart(), length = line.selectionLength();
    const bool cursorLeads = start == cursor;
    const QSignalBlocker quiet(line); // the text stays
    line.setText(line.text());
    if (start < 0)
        line.setCursorPosition(cursor);
    else
        line.setSelection(cursorLeads ? start + length : start, cursorLeads ? -length : length);
}

FieldUndo::FieldUndo(QLineEdit& line, QWidget& field) : QObject(&line), m_line(line)
{
    field.installEventFilter(this);
    connect(&line, &QLineEdit::editingFinished, this, [this] { forgetTyping(m_line); });
}

bool FieldUndo::eventFilter(QObject*, QEvent* event)
{
    return leavesUndo(*event, m_line);
}

} // namespace unroll
