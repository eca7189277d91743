// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QComboBox>
#include <QToolButton>
#include <QWidget>

namespace unroll {

class Appearance;
class StateStack;

/// The order of the rows of all maps, and a button that sorts them again. Both references must outlive it.
class OrderPicker : public QWidget {
    Q_OBJECT
public:
    OrderPicker(StateStack& stack, const Appearance& appearance, QWidget* parent = nullptr);

    void choose(int order); ///< a UnitOrder, as by hand

Q_SIGNALS:
    void changed();

private:
    void fill();
    void sort();

    StateStack& m_stack;
    QComboBox* m_order;
    QToolButton* m_reorder;
};

} // namespace unroll
