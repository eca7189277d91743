// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/result.h"
#include "core/graph/graph.h"

#include <deque>
#include <functional>
#include <set>
#include <string>
#include <vector>

namespace unroll {

/// The enclosing group of an edited graph, as changed by the edit.
struct Enclosing : Group {
    /// Inputs that the edit added, by the input whose source they share: they are wired outside as that one is.
    std::map<std::string, std::string> fedAs;
    Params set; ///< what counts for the parameters that the group shows, set by it or by one further out
};

/// A named pure function Graph -> Graph. Undo keeps the graph from before; no edit has an inverse.
/// An impossible edit (a missing id, a name in use) returns an Error and changes nothing.
struct GraphEdit {
    std::string name; ///< as the undo menu reads: "Add LSTM", "Set units"
    std::function<Result<Graph>(const Graph&)> apply;
    /// Edits with equal, non-empty keys that follow each other become one undo step (a drag, typing in one field).
    std::string mergeKey;
    /// For edits that move ports to other nodes (making, unpacking and unrolling groups) within a group: as `apply`,
    /// and also changes the enclosing group's promoted ports and parameters so that they follow. Empty: nothing moves.
    /// Set by the edits below.
    std::function<Result<Graph>(const Graph&, Enclosing& enclosing)> applyInGroup;
};

/// From one copy of an unrolled group to the next, where nobody knows how wide it is; scene units.
inline constexpr double kUnrollStep = 380;
/// Groups that are repeated more often are not unrolled.
inline constexpr std::int64_t kMostUnrolled = 1024;

/// Edits inside a group name it by the path of group nodes from the top; an empty path is the top graph.
using GroupPath = std::vector<NodeId>;

namespace edits {

/// Adds a node; id 0 takes the next free one; a taken or empty name gets a number: lstm, lstm_2, lstm_3.
GraphEdit addNode(Node node);
GraphEdit removeNodes(std::set<NodeId> ids); ///< with their wires
GraphEdit removeAndHeal(NodeId id); ///< joins what feeds its input (x, else the first) with what its output (y) fed
GraphEdit removeAndHeal(NodeId id, std::string input, std::string output); ///< likewise between these ports
GraphEdit moveNodes(std::map<NodeId, Place> places);
GraphEdit renameNode(NodeId id, std::string name);
GraphEdit setParam(NodeId id, std::string param, ParamValue value);
GraphEdit resetParam(NodeId id, std::string param); ///< back to the default
GraphEdit setBlock(NodeId id, std::string block);   ///< another block in its place; name, parameters and wires stay
GraphEdit connect(Wire wire);                       ///< replaces what the input had
GraphEdit disconnect(Wire wire);
GraphEdit insertOnWire(Node node, Wire wire, std::string input, std::string output);
GraphEdit setFrame(Frame frame); ///< adds (id 0) or replaces
GraphEdit removeFrame(FrameId id);
/// Ids renewed, names made free, inner wires kept. With `keepInputs` wires from nodes of the document that stand in the
/// fragment's wires but not among its nodes (see fragment) are kept too.
GraphEdit paste(Graph fragment, Place offset, bool keepInputs = false);
GraphEdit makeGroup(std::set<NodeId> ids, std::string name); ///< crossing wires become promoted ports
/// Puts what is inside in the group's place; of a repeated group as often as it is repeated, one copy after the other.
/// Copies that share their weights are refused, as by unrollGroup.
GraphEdit unpackGroup(NodeId id);
/// A group of its own for every copy of a repeated group, in a chain: body_1, body_2, ... They compute what the
/// repeated group does, with weights under body_1 in place of body.1. Each stands `step` to the right of the one
/// before, and has its own value where one differed by copy. Refused where copies share their weights: groups of their
/// own cannot.
GraphEdit unrollGroup(NodeId id, double step = kUnrollStep);
GraphEdit setRepeat(NodeId id, std::int64_t repeat, bool sharedWeights);
GraphEdit setReversible(NodeId id, bool reversible);
GraphEdit promoteParam(NodeId group, PromotedParam param);
GraphEdit demoteParam(NodeId group, PromotedParam param); ///< a value that the group set becomes the inner node's
GraphEdit promoteInput(NodeId group, PromotedPort port);
GraphEdit promoteOutput(NodeId group, PromotedPort port);
GraphEdit demoteInput(NodeId group, PromotedPort port); ///< with its wire, when no other input has the name
GraphEdit demoteOutput(NodeId group, PromotedPort port);
/// Ports and parameters that a group exposes.
enum class Promoted { Input, Output, Param };
/// Wires, values and what the group around shows follow. A parameter may take the name of another: one value then sets
/// both.
GraphEdit renamePromoted(NodeId group, Promoted kind, std::string name, std::string to);
/// By so many places, to the end of the list at most. The first output of a repeated group feeds the first input of the
/// next copy.
GraphEdit movePromoted(NodeId group, Promoted kind, std::string name, int by);
GraphEdit sequence(std::string name, std::vector<GraphEdit> parts); ///< all or nothing
GraphEdit inside(GroupPath path, GraphEdit edit);                   ///< applies `edit` to the sub-graph at `path`

} // namespace edits

/// The nodes as a graph of their own, for the clipboard: with the wires among them and, if wished, those that come in.
Graph fragment(const Graph& graph, const std::set<NodeId>& ids, bool withInputs = false);

/// Difference of two graphs of one document, for redrawing views.
struct GraphDiff {
    std::vector<NodeId> added, removed, changed;
    std::vector<Wire> wiresAdded, wiresRemoved;
    std::vector<FrameId> framesAdded, framesRemoved, framesChanged;
    struct Inside;
    std::vector<Inside>
        inside; ///< of the changed nodes that are groups before and after: what differs in their graphs, if anything

    bool empty() const;
    /// What differs in the graph at this path; empty where nothing does, or a group on the way is new.
    const GraphDiff& at(const GroupPath& path) const;
};
struct GraphDiff::Inside {
    NodeId group;
    GraphDiff change;
};
GraphDiff diff(const Graph& before, const Graph& after);

/// A name built from `wish` that no node of the graph has: lstm, lstm_2, ...
std::string freeName(const Graph& graph, const std::string& wish);

/// Whether a name can prefix weight names: a letter, then letters, digits and _.
bool isValidName(const std::string& name);

/// The document with its undo stack. Not a QObject; views listen through `changed`.
class History {
public:
    explicit History(Graph graph);

    const Graph& graph() const { return m_states[m_at].graph; }
    /// Applies the edit; merges it into the newest step when the keys say so. One that changes nothing is not a step.
    Result<GraphDiff> apply(const GraphEdit& edit);
    bool canUndo() const { return m_at > 0; }
    bool canRedo() const { return m_at + 1 < m_states.size(); }
    std::string undoName() const; ///< name of the step that undo takes back; empty when there is none
    std::string redoName() const;
    GraphDiff undo();
    GraphDiff redo();
    /// Writes all states again, for what holds of the document as a whole, as where its files lie. No step of its own;
    /// ids must stay.
    void rewrite(const std::function<Graph(const Graph&)>& change);
    /// Ends merging: the next edit is a step of its own (a mouse was released, a field lost focus).
    void endMerge();
    /// Names the state shown: undo and redo come back to the number it had, an edit makes a new one. For "modified
    /// since the last save".
    std::uint64_t revision() const { return m_states[m_at].revision; }

private:
    struct State {
        Graph graph;
        std::string name;
        std::string mergeKey;
        std::uint64_t revision = 0;
    };
    GraphDiff goTo(std::size_t state);
    void forgetOldest();

    std::deque<State> m_states;
    std::size_t m_at = 0;
    std::size_t m_entries = 0; ///< nodes, wires and frames over all states; bounds what undo keeps
    bool m_mergeable = false;
    std::uint64_t m_lastRevision = 0; ///< given to a state
};

} // namespace unroll
