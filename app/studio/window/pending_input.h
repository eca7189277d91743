// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>

class QWidget;

namespace unroll {

/// What is half typed in a field of a window counts when a command is given by its key, which leaves the focus where it
/// is.
class PendingInput : public QObject {
    Q_OBJECT
public:
    /// Before every command of the window (its direct children): to be made before they are joined to what they do.
    explicit PendingInput(QWidget& window);

    /// The field with the keyboard is told as if the window were left for a moment.
    void commit();

private:
    QWidget& m_window;
};

} // namespace unroll
