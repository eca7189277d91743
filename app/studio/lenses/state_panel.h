// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/studio/document/document.h"
#include "app/studio/lenses/heat_map_view.h"
#include "app/studio/run/run_controller.h"
#include "app/studio/theme/empty_state.h"

#include <QComboBox>
#include <QLabel>
#include <QLineEdit>
#include <QStackedWidget>

namespace unroll {

/// A node that has something to watch.
struct WatchableNode {
    std::string path;  ///< names from the top, dots between; copies of a repeated group are numbered from 1
    std::string place; ///< the node in the document, where all copies are one: without the numbers
    const BlockSpec* spec;
    bool operator==(const WatchableNode&) const = default;
};
struct WatchableNodes {
    std::vector<WatchableNode> nodes;
    bool allCopies = true; ///< false: there are more copies than are named
};
/// Recurrent nodes first, then others with signals; within each in the order of ids, the copies of a node together. Names at most `most`,
/// shared evenly, but one copy of each node in any case: its time goes with that, whatever number of copies the document asks for.
WatchableNodes watchableNodes(const Graph& graph, const BlockRegistry& registry, std::size_t most);

/// Chooses a node, one of its signals and the probe text, and shows the newest look at it.
class StatePanel : public QWidget {
    Q_OBJECT
public:
    StatePanel(Document& document, RunController& controller, const Appearance& appearance, QWidget* parent = nullptr);

    HeatMapView& map() const { return *m_map; }
    EmptyState& emptyState() const { return *m_empty; }
    bool isEmpty() const { return m_pages->currentIndex() == 0; }
    std::string node() const;
    std::string signal() const;
    std::string place() const; ///< of the node, as WatchableNode::place; empty: there is none
    /// Watches the node at this place, with the signal it had last or its first; one without signals is passed over. Of a repeated group
    /// the copy that is shown stays, else it is the first.
    void showNode(const std::string& place);
    void showSignal(const std::string& name);

Q_SIGNALS:
    void watchedChanged(const std::string& place);

protected:
    void showEvent(QShowEvent* event) override;

private:
    QWidget* controls();
    void fillNodes();
    void fillSignals();
    const WatchableNode* chosen() const; ///< nullptr: there is none
    void watch();
    void take();
    void showIfNeeded();
    void showFrame(const std::shared_ptr<const ProbeFrame>& frame, std::size_t index);
    void showEmpty();
    void showReading(const QString& hovered);
    void sendProbeText();

    Document& m_document;
    RunController& m_controller;
    HeatMapView* m_map;
    EmptyState* m_empty;
    QStackedWidget* m_pages;
    QComboBox* m_node = nullptr;
    QComboBox* m_signal = nullptr;
    QLabel* m_reading = nullptr;
    QLineEdit* m_probe = nullptr;
    std::vector<WatchableNode> m_nodes;
    std::map<std::string, std::string> m_lastSignal; ///< by block id: another node of the kind opens on the same signal
    std::shared_ptr<const ProbeFrame> m_shown;
    std::optional<WatchedSignal> m_watched; ///< nothing: the document has not been asked yet
    bool m_dirty = false;
};

} // namespace unroll
