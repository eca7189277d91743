// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/studio/canvas/frame_item.h"
#include "app/studio/canvas/insertion.h"
#include "app/studio/canvas/node_item.h"
#include "app/studio/canvas/wire_item.h"
#include "app/studio/document/problems.h"
#include "core/check/wiring.h"

#include <QGraphicsScene>
#include <functional>
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

/// The picture of one graph of the document: the top one, or the inside of a group. Follows the document by what differs; every gesture ends
/// in a GraphEdit. Between press and release of a drag the nodes are shown elsewhere than the document has them, and at no other time.
class GraphScene : public QGraphicsScene {
    Q_OBJECT
public:
    GraphScene(Document& document, const Problems& problems, const Appearance& appearance, QObject* parent = nullptr);
    ~GraphScene() override;

    const Graph& shown() const { return m_shown; }
    const BlockRegistry& registry() const { return m_document.registry(); }
    const GroupPath& path() const { return m_path; }
    /// Shows the inside of a group of the graph shown; does nothing for other nodes.
    void enter(NodeId group);
    void leave();
    /// Shows the graph at this path, or the nearest one around it. Coming out of a group, that group is selected.
    void goTo(GroupPath path);
    /// Names of the groups from the top to the graph shown.
    QStringList pathNames() const;

    std::string pathPrefix() const; ///< the same for node paths: "encoder." inside the group encoder
    /// What the check says of the graph shown; nullptr before the first check.
    const CheckedGraph* checkedLevel() const;
    /// What the check says of a node shown; nullptr until it has seen that node: the check comes after the edit, and an id comes again once an
    /// addition is undone.
    const CheckedNode* checkedNode(const Node& node) const;

    NodeItem* node(NodeId id) const;
    WireItem* wire(const Wire& wire) const;
    NodeItem* nodeAt(const QPointF& at) const;
    QList<NodeItem*> nodeItems() const;
    /// The nearest port within `reach` (scene units) that `fits`; every port fits where that is empty.
    std::optional<WireEnd> portAt(const QPointF& at, double reach,
                                  const std::function<bool(const WireEnd&)>& fits = {}) const;
    WireItem* wireAt(const QPointF& at, double reach) const;
    FrameItem* frame(FrameId id) const;
    QList<FrameItem*> frameItems() const;
    /// Of the smallest comment that can be taken hold of there.
    std::optional<FrameGrip> gripAt(const QPointF& at, double reach) const;
    /// The middle of a port; of its node's side where the node does not show it.
    QPointF placeOf(const WireEnd& end) const;

    std::set<NodeId> selection() const; ///< the nodes alone
    void select(const std::set<NodeId>& ids) { pick({ids, {}, {}}); }
    Picked picked() const;
    void pick(const Picked& what);             ///< what is not there is passed over
    QRectF nodesRect(bool selectedOnly) const; ///< empty when there are none
    QRectF contentRect() const;                ///< of nodes and comments
    QRectF pickedRect() const;                 ///< of all that is selected
    /// Selects the node that comes next in this direction (a unit step along x or y) from the selected ones; the first node where none is. From
    /// a wire, the node at that end of it.
    void selectTowards(const QPointF& direction);
    /// Goes round the wires of the nodes that are selected, or of all; and round the comments.
    void selectNextWire();
    void selectNextFrame();

    /// An edit of the graph shown. False when it was refused: the document has said why.
    bool apply(GraphEdit edit, Document::Edit kind = Document::Edit::Whole);
    bool applyAndSelect(GraphEdit edit); ///< likewise, and selects the nodes that it added

    /// Shows what is selected moved by this much, with the nodes and comments that lie in selected comments; `anchor`, a place that moves along,
    /// is snapped to the grid unless `free`.
    void previewMove(const QPointF& anchor, const QPointF& offset, bool free);
    void previewFrame(const Frame& frame); ///< shows a comment of another place and size
    void commitMove(const std::optional<Insertion>& into = {});
    void cancelMove();
    void changeFrame(const Frame& frame); ///< a step of its own
    void nudgeSelection(const QPointF& offset);
    void deleteSelection();

    /// A new node of this block with its top left corner at `at`, selected. With an end it stands so that its port is there, and is wired;
    /// with an insertion it goes into that wire, and its neighbours make room.
    void addBlock(const std::string& block, const QPointF& at, const Params& params = {});
    void addBlock(const std::string& block, const QPointF& at, const WireEnd& end);
    void addBlock(const std::string& block, const QPointF& at, const Insertion& into);
    /// What a new node of this block covers with its top left corner at `at`, on the grid.
    QRectF bodyOf(const std::string& block, const QPointF& at) const;
    /// A top left corner for it at `at`, or further down where other nodes stand there.
    QPointF freePlace(const std::string& block, const QPointF& at) const;
    /// How it would go into this wire; nothing where its ports do not fit.
    std::optional<Insertion> insertionInto(const std::string& block, const Wire& wire) const;
    /// The wire that it would go into, with its top left corner at `at`.
    std::optional<Insertion> insertionOf(const std::string& block, const QPointF& at) const;
    NodeExtents nodeExtents() const;     ///< of the nodes shown, for a layout
    void breakWires(const WireEnd& end); ///< every wire at this port
    /// Whether the group around shows the port outside.
    bool isPromoted(const WireEnd& end) const;
    /// Has it show it, in place of the wire that an input has, or no more. Does nothing at the top.
    void setPromoted(const WireEnd& end, bool promoted);

    /// While a wire is drawn: the ports that take it are lit, all others but `end` dim.
    void lightPorts(const WireEnd& end, const std::set<PortRef>& partners);
    void lightAllPorts();
    void lightWire(const Wire* wire); ///< the one that a node would be put into; nullptr: none

    /// Marks what the heat map shows, by the node's path of names in the document.
    void setWatched(const std::string& place);
    /// Marks nodes that differ from this graph; nullptr marks none.
    void setTrained(const Graph* graph);

Q_SIGNALS:
    void changing(); ///< the shown graph is about to be replaced or edited: interactions on it end
    void pathChanged();
    void pathNamesChanged(); ///< also when a group around the graph shown has another name

private:
    struct Moved {
        std::set<NodeId> nodes;
        std::set<FrameId> frames;
    };
    Moved movedAlong() const; ///< what is selected, and what lies in selected comments
    void commitMoved(std::map<NodeId, Place> places, const std::map<FrameId, Frame>& frames);
    void startOver();
    Node newNode(const std::string& block, const QPointF& at) const;
    NodeFace faceOf(const Node& node) const;
    void synchronise();
    void tellNames();
    void showGraph(const Graph& graph);
    void removeItems(const GraphDiff& changes);
    void refreshFaces();
    void refreshWires();
    void placeWires(const std::set<NodeId>* moved);
    void writeShapes();
    const Group* groupAround() const; ///< whose inside is shown; nullptr at the top
    const Graph* graphAt(const Graph& top, const GroupPath& path) const;

    Document& m_document;
    const Problems& m_problems;
    const Appearance& m_appearance;
    Graph m_shown;
    GroupPath m_path;
    QStringList m_toldNames;
    std::map<NodeId, NodeItem*> m_nodes; ///< owned by the scene
    std::map<Wire, WireItem*> m_wires;
    std::map<FrameId, FrameItem*> m_frames;
    std::set<NodeId> m_wiresOf; ///< whose wires selectNextWire goes round
    std::string m_watched;
    std::optional<Graph> m_trained;
    std::map<NodeId, Place> m_preview;       ///< where a drag shows nodes; empty when none is under way
    std::map<FrameId, Frame> m_framePreview; ///< likewise comments
};

} // namespace unroll
