// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QGridLayout>
#include <QLineEdit>

namespace unroll {

/// What the state panel is asked: the signal, the probe text, how it is drawn, what can be done with it. One line;
/// where the panel is too narrow for all of them, the text goes below.
class StateBar : public QWidget {
    Q_OBJECT
public:
    StateBar(QWidget* picker, QLineEdit* probe, QWidget* drawing, QWidget* tools, QWidget* parent = nullptr);

    /// On as many lines as it has.
    QSize minimumSizeHint() const override;

protected:
    void resizeEvent(QResizeEvent* event) override;

private:
    int widthOf(const QList<QWidget*>& parts) const; ///< in one line
    void place();

    QGridLayout* m_grid;
    QWidget* m_picker;
    QLineEdit* m_probe;
    QWidget* m_drawing;
    QWidget* m_tools;
    int m_lines = 0; ///< that they stand on; 0: not yet
};

} // namespace unroll
