// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QLabel>
#include <QPointer>
#include <QTimer>

namespace unroll {

/// Words right below a field that has no room for them around it, as in a bar: over what is there, and away by
/// themselves after a while, by a click, or when there is nothing to say any more.
class FieldNote : public QObject {
    Q_OBJECT
public:
    explicit FieldNote(QWidget& field);
    ~FieldNote() override;

    void say(const QString& words); ///< empty: nothing any more

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    void place();

    QWidget& m_field;
    QPointer<QLabel> m_label; ///< of the window: nothing in a bar cuts it
    QTimer m_away;
};

} // namespace unroll
