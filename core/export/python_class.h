// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// Inside of pythonClasses.

#include "core/export/python_graph.h"
#include "core/export/python_names.h"

#include <map>
#include <set>
#include <string>
#include <vector>

namespace unroll {

/// Inside a method of a class.
inline const std::string kPythonBody = "        ";

/// What the classes of one model share.
struct PythonShared {
    PythonNames classNames;
    std::vector<const BlockSpec*> blocks;
    std::vector<std::string> classes;
    bool carriesGroups = false;
    bool loops = false;
    bool onVectors = false;
    bool beginsAtWeights = false;
};

/// Writes the class of one graph: the model, or one copy of a group.
class ClassWriter {
public:
    ClassWriter(const Graph& graph, const CheckedGraph& checked, const PythonAttributes& attributes,
                PythonShared& shared);

    Result<void> writeModel(const std::string& name, const std::string& docstring);
    /// `copies` says which of the group's copies the class is, behind the group's name; empty: it has one.
    Result<void> writeGroup(const std::string& name, const Node& node, const std::string& copies);

private:
    Result<void> nodes();
    Result<void> addNode(const CheckedNode& checked);
    Result<void> addSource(const Node& node, const CheckedNode& checked);
    Result<void> addBlock(const Node& node, const CheckedNode& checked);
    Result<void> addGroup(const Node& node, const CheckedNode& checked);
    Result<void> addAlike(const Node& node, const CheckedNode& checked);
    Result<void> addUnlike(const Node& node, const CheckedNode& checked);
    void callOnce(const Node& node, const std::vector<std::string>& outputs, bool recurrent);
    void callRepeated(const Node& node, const std::vector<std::string>& outputs, bool recurrent);
    std::string inputOf(const Node& node, const std::string& port) const;
    std::string outputVariable(const Node& node, const std::string& port, bool first);
    bool isRead(const PortRef& output) const;
    std::string groupArgument(const Node& node, const std::string& port) const;
    std::string argumentFor(const Node& node, const BlockSpec& spec, const std::string& port) const;
    std::string stateTarget(const Node& node);
    std::string startOf(const Node& node) const;
    void carryState(const Node& node);
    Result<void> addLoop(const std::vector<NodeId>& loop);
    std::string beginLoop(const std::vector<NodeId>& loop);
    std::vector<PortRef> enteringLoop(const std::vector<NodeId>& loop, bool perStep) const;
    std::vector<PortRef> leavingLoop(const std::vector<NodeId>& loop) const;
    void giveDelayed(const Node& node, const BlockSpec& spec);
    void takeDelayed(const Node& node, const BlockSpec& spec);
    void line(const std::string& text) { m_forward.push_back(m_indent + text); }
    void finish(const std::string& name, const std::string& docstring, const std::string& signature,
                const std::string& results);

    const Graph& m_graph;
    const CheckedGraph& m_checked;
    const PythonAttributes& m_attributes;
    PythonShared& m_shared;
    bool m_recurrent;
    bool m_top = false;
    bool m_looping = false;             ///< within a loop over the steps
    std::string m_sequences;            ///< there: how many sequences there are
    std::string m_indent = kPythonBody; ///< of lines in forward
    PythonNames m_names;
    std::map<PortRef, std::string> m_outputs;  ///< variable of each output port
    std::map<PortRef, std::string> m_entering; ///< variable of each input port that the group brings in
    std::set<PortRef> m_leaving;               ///< output ports that the group hands out
    std::vector<std::string> m_init;
    std::vector<std::string> m_forward;
};

/// Whether the block is called twice a step in a loop: it has a delayed input.
bool closesLoop(const BlockSpec& spec);
/// Whether what comes to the node's input begins a state instead of one that is carried: its own, or in a group that of
/// a node inside.
bool beginsState(const Node& node, const CheckedNode& checked, const std::string& port);

} // namespace unroll
