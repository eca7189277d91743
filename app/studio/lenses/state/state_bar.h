// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QGridLayout>
#include <QLineEdit>

namespace unroll {

/// What the state panel is asked: the signal, the probe text, the order of the units. One line, or two where the panel is too narrow for the
/// text to be read beside the others.
class StateBar : public QWidget {
    Q_OBJECT
public:
    StateBar(QWidget* picker, QLineEdit* probe, QWidget* order, QWidget* parent = nullptr);

protected:
    void resizeEvent(QResizeEvent* event) override;

private:
    int widthOfOneLine() const;
    void place();

    QGridLayout* m_grid;
    QWidget* m_picker;
    QLineEdit* m_probe;
    QWidget* m_order;
};

} // namespace unroll
