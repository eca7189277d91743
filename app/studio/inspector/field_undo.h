// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QLineEdit>
#include <QObject>

namespace unroll {

// Undo and redo in a field of the document: of its text while that is being typed, of the document once it is finished.
// A line edit of Qt keeps the keys for itself for ever.

/// True: the event is a key of undo or redo, and the line has nothing typed that it could be for. It was ignored, so
/// that the window's command has it.
bool leavesUndo(QEvent& event, const QLineEdit& line);
/// What was typed is finished: undo and redo are the document's from here on. Cursor and selection stay.
void forgetTyping(QLineEdit& line);

/// Does both for a line edit: `field` has the keyboard for it, the line itself or the box around it. A child of the
/// line.
class FieldUndo : public QObject {
    Q_OBJECT
public:
    FieldUndo(QLineEdit& line, QWidget& field);

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    QLineEdit& m_line;
};

} // namespace unroll
