// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/studio/canvas/graph_scene.h"
#include "app/studio/inspector/node_page.h"
#include "app/studio/theme/column_scroll.h"

#include <QLabel>

namespace unroll {

/// The node that is selected on the canvas, or, when there is none or several, the experiment as a whole.
class InspectorPanel : public ColumnScroll {
    Q_OBJECT
public:
    InspectorPanel(Document& document, const Problems& problems, GraphScene& scene, const Appearance& appearance,
                   QWidget* parent = nullptr);

    NodePage* page() const { return m_page; } ///< nullptr while the experiment is shown
    void renameSelected();                    ///< puts the cursor into the name field
    void revealFault();                       ///< scrolls to the first field that says what is wrong with its value

private:
    void showSelection();
    NodePage* pageOf(const Node& node);
    void refresh();
    QWidget* overview();
    void fillOverview();

    Document& m_document;
    const Problems& m_problems;
    GraphScene& m_scene;
    const Appearance& m_appearance;
    NodePage* m_page = nullptr;
    QLabel* m_title = nullptr;
    QLabel* m_summary = nullptr;
    QLabel* m_totals = nullptr;
};

} // namespace unroll
