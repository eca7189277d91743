// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/studio/canvas/graph_scene.h"
#include "app/studio/inspector/experiment_card.h"
#include "app/studio/inspector/node_page.h"
#include "app/studio/inspector/several_page.h"
#include "app/studio/theme/column_scroll.h"

namespace unroll {

/// The node that is selected on the canvas; what several have in common; the experiment as a whole, when there is none.
class InspectorPanel : public ColumnScroll {
    Q_OBJECT
public:
    InspectorPanel(Document& document, const Problems& problems, GraphScene& scene, const Appearance& appearance,
                   QWidget* parent = nullptr);

    NodePage* page() const { return m_page; }       ///< nullptr: not one node is shown
    ExperimentCard* card() const { return m_card; } ///< nullptr: nodes are shown
    void renameSelected();                          ///< puts the cursor into the name field, or into that of the title
    void revealFault(); ///< scrolls to the first field that says what is wrong with its value

Q_SIGNALS:
    void nodeAsked(const unroll::GroupPath& path, unroll::NodeId node); ///< it is to be shown and selected
    void unrollAsked();                                                 ///< the group that is selected

private:
    void showSelection();
    bool isShown(const std::vector<const Node*>& nodes) const;
    QWidget* bodyOf(const std::vector<const Node*>& nodes);
    std::vector<const Node*> selected() const;
    NodePage* pageOf(const Node& node);
    void goToParam(const GroupPath& path, NodeId node, const std::string& param);
    void refresh();

    Document& m_document;
    const Problems& m_problems;
    GraphScene& m_scene;
    const Appearance& m_appearance;
    NodePage* m_page = nullptr; ///< one of these three is there
    SeveralPage* m_several = nullptr;
    ExperimentCard* m_card = nullptr;
};

} // namespace unroll
