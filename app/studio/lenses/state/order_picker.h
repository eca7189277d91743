// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QComboBox>
#include <QToolButton>
#include <QWidget>

namespace unroll {

class Appearance;
class HeatMapView;

/// The order of the rows of a map, and a button that sorts them again. Both references must outlive it.
class OrderPicker : public QWidget {
    Q_OBJECT
public:
    OrderPicker(HeatMapView& map, const Appearance& appearance, QWidget* parent = nullptr);

private:
    void fill();
    void choose();

    HeatMapView& m_map;
    QComboBox* m_order;
    QToolButton* m_reorder;
};

} // namespace unroll
