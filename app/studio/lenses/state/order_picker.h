// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QComboBox>
#include <QToolButton>
#include <QWidget>

namespace unroll {

class Appearance;
class HeatMapView;

/// What the rows of a map go by, and a button that orders them anew. Both references must outlive it.
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
