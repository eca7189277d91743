// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/studio/canvas/frame_item.h"
#include "app/studio/canvas/graph_level.h"
#include "app/studio/canvas/move_preview.h"
#include "app/studio/canvas/scene_faces.h"
#include "app/studio/canvas/selection_walk.h"
#include "app/studio/canvas/unrolled_cards.h"
#include "app/studio/canvas/wire_words.h"
#include "core/check/wiring.h"

#include <QGraphicsScene>
#include <map>
#include <set>

namespace unroll {

/// What is selected on the canvas.
struct Picked {
    std::set<NodeId> nodes;
    std::set<Wire> wires;
    std::set<FrameId> frames;

    bool empty() const { return nodes.empty() && wires.empty() && frames.empty(); }
    bool operator==(const Picked&) const = default;
};

/// The picture of one graph of the document: the top one, or the inside of a group. Owns its items, which follow
/// the document by what differs, and the selection; every gesture ends in a GraphEdit.
class GraphScene : public QGraphicsScene {
    Q_OBJECT
public:
    GraphScene(Document& document, const Problems& problems, const Appearance& appearance, QObject* parent = nullptr);
    ~GraphScene() override;

    const Graph& shown() const { return m_shown; }
    Document& document() { return m_document; }
    const BlockRegistry& registry() const { return m_document.registry(); }
    const Appearance& appearance() const { return m_appearance; }
    const GraphLevel& level() const { return m_level; } ///< which graph is shown
    const GroupPath& path() const { return m_level.path(); }
    MovePreview& moves() { return m_moves; }
    SelectionWalk& walk() { return m_walk; }
    UnrolledCards& unrolled() { return m_unrolled; }
    /// Shows the inside of a group of the graph shown; does nothing for other nodes.
    void enter(NodeId group);
    void leave();
    /// Shows the graph at this path, or the nearest one around it. Coming out of a group, that group is selected.
    void goTo(GroupPath path);

    NodeItem* node(NodeId id) const;
    WireItem* wire(const Wire& wire) const;
    QList<NodeItem*> nodeItems() const;
    FrameItem* frame(FrameId id) const;
    QList<WireItem*> wireItems() const;
    QList<FrameItem*> frameItems() const;
    /// The middle of a port; of its node's side where the node does not show it.
    QPointF placeOf(const WireEnd& end) const;

    std::set<NodeId> selection() const; ///< the nodes alone
    void select(const std::set<NodeId>& ids) { pick({ids, {}, {}}); }
    Picked picked() const;
    void pick(const Picked& what);             ///< what is not there is skipped
    QRectF nodesRect(bool selectedOnly) const; ///< empty when there are none
    QRectF contentRect() const;                ///< of nodes, comments and cards
    QRectF pickedRect() const;                 ///< of all that is selected

    /// An edit of the graph shown. False when it was refused: the document has said why.
    bool apply(GraphEdit edit, Document::Edit kind = Document::Edit::Whole);
    bool applyAndSelect(GraphEdit edit); ///< likewise, and selects the nodes that it added

    void changeFrame(const Frame& frame); ///< a step of its own
    void deleteSelection();

    NodeExtents nodeExtents() const; ///< of the nodes shown, for a layout

    void synchronise();                             ///< every item as the document has it
    void placeWires(const std::set<NodeId>* moved); ///< to where their nodes are shown; of these nodes, or all
    void lightWire(const Wire* wire);               ///< the one that a node would be put into; nullptr: none

    /// Written on the wires from these outputs of the graph shown, in place of their shapes; empty: nothing.
    void setWireWords(std::map<PortRef, WireWords> words);
    void setZoom(double zoom); ///< that it is viewed with: such words stay large enough to be read
    /// Marks what the heat map shows, by the node's path of names in the document.
    void setWatched(const std::string& place);
    /// Marks nodes that differ from this graph; nullptr marks none.
    void setTrained(const Graph* graph);

Q_SIGNALS:
    void changing(); ///< the shown graph is about to be replaced or edited: interactions on it end
    void pathChanged();
    void pathNamesChanged(); ///< also when a group around the graph shown has another name

private:
    void startOver();
    void tellNames();
    void follow(const GraphDiff& change);
    void settle(const GraphDiff* change);
    void showGraph(const Graph& graph, const GraphDiff& changes, bool isEdit);
    void removeItems(const GraphDiff& changes);
    void refreshFaces();

    Document& m_document;
    const Appearance& m_appearance;
    Graph m_shown;
    GraphLevel m_level;
    SceneFaces m_faces;
    MovePreview m_moves;
    SelectionWalk m_walk;
    UnrolledCards m_unrolled;
    QStringList m_toldNames;
    std::map<NodeId, NodeItem*> m_nodes; ///< owned by the scene
    std::map<Wire, WireItem*> m_wires;
    std::map<FrameId, FrameItem*> m_frames;
    std::map<PortRef, WireWords> m_wireWords;
    double m_wordsSize = 1; ///< of them
};

} // namespace unroll
