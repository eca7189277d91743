// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// Inside of the check: one graph being checked, the top one or the sub-graph of a group. The passes over it are the
// functions below, in the order in which checkLevel calls them.

#include "core/check/check.h"
#include "core/check/ports.h"

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace unroll {

/// A promoted parameter's value, and the group node where it was set: that is where a fix changes it.
struct ParamOverride {
    ParamValue value;
    GroupPath path;
    NodeId node = 0;
    std::string param;
};

struct Level;

/// What a group's input provides to an input inside.
struct Feed {
    bool wired = false;           ///< else the group's input is free, and so in truth is the inner one
    std::optional<Shape> shape;   ///< where it is known
    std::optional<PortType> type; ///< of what comes on the wire
};

/// Copies of a group that are alike; those of a group whose parameters do not differ by copy all are.
struct AlikeCopies {
    std::shared_ptr<Level> level;
    std::vector<std::int64_t> copies; ///< which, counted from 1
};

/// The copy of the innermost repeated group around a level.
struct CopyPlace {
    std::string group; ///< its name
    std::int64_t copy = 1, copies = 1;
    bool sharedWeights = false;
};

/// A node with the results of the check.
struct Item {
    const Node* node = nullptr;
    const BlockSpec* spec = nullptr;
    std::optional<NodePorts> ports;   ///< of groups, and of blocks whose ports depend on parameters
    std::vector<std::size_t> in, out; ///< indices of wires whose both ends exist
    Params params;                    ///< complete once checked
    std::optional<SourceFacts> facts;
    CheckedNode checked;
    std::vector<AlikeCopies> inside; ///< groups: the sub-graph's levels, in the order of their first copies
    bool mistaken = false;           ///< has an error, so its outputs are unknown
    std::optional<std::size_t> loop; ///< index among the level's loops

    const std::vector<PortSpec>& inputs() const { return ports ? ports->inputs : spec->inputs; }
    const std::vector<PortSpec>& outputs() const { return ports ? ports->outputs : spec->outputs; }
    /// Groups: the sub-graph's level in the first copy, and in the last; nullptr of others.
    Level* inner() const { return inside.empty() ? nullptr : inside.front().level.get(); }
    Level* innerOfLast() const;
    std::int64_t copies() const; ///< of a group that was opened, 1 where it is not repeated; 0 of others
    bool isKnown() const { return spec != nullptr || node->group != nullptr; }
    bool isData() const { return !node->group && spec != nullptr && spec->category == Category::Data; }
    const PortSpec* input(std::string_view name) const;
    const PortSpec* output(std::string_view name) const;
    bool hasInput(const std::string& name) const; ///< also true for a promoted port whose type is unknown
    bool hasOutput(const std::string& name) const;
    bool givesLoss() const;
    /// What an output carries: its port's type, or a vector where the node runs on vectors. Known once the item's
    /// shapes were inferred.
    std::optional<PortType> gives(std::string_view output) const;
};

/// A wire with the items at its ends.
struct Link {
    const Wire* wire = nullptr;
    std::size_t from = 0, to = 0; ///< indices of items
    bool usable = true;           ///< its ports exist and are of one type
    bool late = false;            ///< ends at a delayed input: what comes is needed when the step is over
    bool clashes = false;         ///< its ports may be of one type, and what comes is not; then it is not usable
    bool cut = false; ///< closes a cycle without a delay, of which a diagnostic speaks; the order passes it over
};

struct Level {
    const Graph& graph;
    const BlockRegistry& registry;
    const CheckOptions& options;
    GroupPath path;
    std::string name; ///< the path in names, dots between
    std::map<std::pair<NodeId, std::string>, ParamOverride> overrides;
    const std::vector<PromotedPort>* outputs = nullptr; ///< of the group this is the inside of; nullptr at the top
    std::map<PortRef, Feed> fed;                        ///< inner inputs that stand as inputs of the group
    std::optional<CopyPlace> copy;                      ///< nothing: no group around is repeated

    std::vector<Item> items; ///< in the order of ids
    std::vector<Link> links;
    std::vector<std::size_t> order;
    std::vector<std::vector<std::size_t>> loops; ///< items that wait for each other through a delay, in the order
    std::map<std::size_t, Shape> assumed;        ///< by late link: what comes round a loop, before it was worked out
    CheckedGraph result;
    double blocks = 0; ///< blocks in the plan, repeats written out

    bool isTop() const { return path.empty(); }
    std::optional<std::size_t> indexOf(NodeId id) const;
    Item* item(NodeId id);

    /// Adds a diagnostic at the item (nullptr: the graph as a whole). The reference holds until the next report.
    Diagnostic& report(Severity severity, Item* item, std::string where, std::string code, std::string sentence);
    Diagnostic& error(Item* item, std::string where, std::string code, std::string sentence)
    {
        return report(Severity::Error, item, std::move(where), std::move(code), std::move(sentence));
    }
    /// A fix that acts on this level's graph.
    Fix fix(std::string title, GraphEdit edit) const;
    /// A fix that gives a parameter of the node a value, at the group that sets it where one does.
    Fix paramFix(const Item& item, const std::string& param, const ParamValue& value) const;
};

/// All passes that every level takes. The caller has set what comes from outside; `result.steps` is known below the
/// top.
void checkLevel(Level& level);
/// Gathers results and diagnostics of the level and all inside into `result`.
void finishLevel(Level& level);

void indexNodes(Level& level);  ///< items, unknown blocks
void checkParams(Level& level); ///< complete parameters of every item, and the ports that hang on them
void indexWires(Level& level);  ///< links; ends and ports that do not exist, types that differ, inputs wired twice
/// The mistake of a wire that brings `given`, which the item's input does not take.
void reportType(Level& level, Item& to, const Link& link, PortType given);
void checkNames(Level& level);
void orderNodes(Level& level);               ///< order; cycles without a delay
void orderLoops(Level& level);               ///< loops, each gathered to one place of the order
void readSources(Level& level);              ///< facts of the data nodes, steps
void checkFreeInputs(Level& level);          ///< inputs that must be wired
void inferShapes(Level& level);              ///< shapes; opens groups
void settleKinds(Level& level, Item& item);  ///< whether it runs on sequences or on vectors, before its shapes
void checkTargets(Level& level, Item& item); ///< a vector is compared with one target a sequence
/// A vector at the port of a state becomes the state that the block has; what speaks against it is told.
void takeStateVector(Level& level, Item& item);
void checkGroup(Level& level, Item& item);
/// Of a reversible group: how it is drawn, or why it cannot be reversible.
void checkReversible(Level& level, Item& item);
void checkLoops(Level& level);  ///< what cannot run step by step
void addCosts(Level& level);    ///< of every node, and their sum
void checkUnused(Level& level); ///< nodes without a way to the loss, or to the group's outputs
/// Of the top level alone:
void checkEnds(Level& level);      ///< data and loss, one each
void checkCausality(Level& level); ///< non-causal nodes before a next-token loss
void checkMasks(Level& level);     ///< what reads the padding of sequences that differ in length
void checkSigns(Level& level);     ///< negative columns of the data where times are asked for
void checkMemory(Level& level);    ///< what training takes, beside what there is
void checkSize(Level& level);      ///< memory, plan size, shapes left unknown without a word

/// Bytes a token that training needs of nodes side by side: what all keep, and what one needs besides.
double bytesOf(const Level& level, const std::set<NodeId>& nodes);
/// The wire that ends at the item's port; nullptr where what comes there comes from outside of the group.
const Link* linkInto(const Level& level, const Item& item, const std::string& port);
/// A fix that brings what the wire carries to this width.
std::optional<Fix> resizing(const Level& level, const Item& item, const Link& link, std::int64_t width);

/// What turns a diagnostic's fix into one for the graph that holds the group `path`.
GraphEdit atPath(const GroupPath& path, GraphEdit edit);

inline constexpr std::int64_t kWidest = std::int64_t{1} << 24;     ///< features or classes of a wire
inline constexpr std::int64_t kLargestInt = std::int64_t{1} << 53; ///< a parameter without a maximum of its own
inline constexpr std::int64_t kMostCopies = 1024;                  ///< repeat of a group
inline constexpr double kMostBlocks = 100'000;                     ///< in the plan, repeats written out

} // namespace unroll
