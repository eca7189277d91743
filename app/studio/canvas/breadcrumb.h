// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/studio/canvas/graph_scene.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QWidget>

namespace unroll {

/// "Graph › encoder › inner" over the canvas: which group is shown. A click on one of those around it goes up to there,
/// and so do Tab and Space. Hidden at the top; as wide as its words.
class Breadcrumb : public QWidget {
    Q_OBJECT
public:
    explicit Breadcrumb(GraphScene& scene, QWidget* parent = nullptr);

private:
    void refresh();
    QWidget* button(const QString& name, std::size_t depth);
    QLabel* label(const QString& text);

    GraphScene& m_scene;
    QHBoxLayout* m_row;
};

} // namespace unroll
