// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/result.h"
#include "core/block/spec.h"
#include "core/onnx/ops.h"

#include <map>
#include <span>
#include <string>
#include <vector>

namespace unroll::onnx {

/// The elements of a weight by its full name; data null: there is none of that name.
struct WeightData {
    std::vector<std::int64_t> dims;
    std::span<const float> elements;
};

/// What a node is, and how its weights are found.
struct StepNode {
    const BlockSpec& spec;
    const Params& params;                       ///< complete
    const std::map<std::string, Shape>& inputs; ///< of wired inputs
    const std::map<std::string, Shape>& outputs;
    std::string weights; ///< path that prefixes the names of its weights
    const std::map<std::string, WeightData>& allWeights;
};

/// One step of one block, given to its onnx.cpp: takes the inputs, weights and states as values of the graph and gives
/// outputs and the states after the step. Values are [B, width], tokens and a mask [B]. What the contract says of
/// masked steps (state kept, output 0; other rules are refused before) is added by whoever calls, so blocks ignore
/// their mask.
class Step {
public:
    Step(Graph& graph, StepNode node, std::map<std::string, Value> inputs, std::vector<Value> state);

    Graph& graph() { return *m_graph; }
    std::int64_t integer(const std::string& param) const;
    double real(const std::string& param) const;
    bool boolean(const std::string& param) const;
    const std::string& text(const std::string& param) const;
    /// Width or classes at an input; 0 where it is free.
    std::int64_t inputSize(const std::string& port) const;
    std::int64_t outputSize(const std::string& port) const;

    /// Empty where the port is free.
    Value in(const std::string& port) const;
    /// The parts of the state, each [B, width].
    const std::vector<Value>& state() const { return m_state; }
    bool hasWeight(const std::string& name) const;
    /// Empty where the node has no such weight, as a layer without bias.
    Value weight(const std::string& name);
    /// The numbers of a weight that is there.
    WeightData data(const std::string& name) const;
    /// `linear` by the weights `name`.weight and, where there is one, `name`.bias.
    Value dense(const std::string& name, const Value& x);

    void out(const std::string& port, const Value& value) { m_outputs[port] = value; }
    void next(std::vector<Value> state) { m_next = std::move(state); }

    const std::map<std::string, Value>& outputs() const { return m_outputs; }
    const std::vector<Value>& nextState() const { return m_next; }

private:
    Graph* m_graph;
    StepNode m_node;
    std::map<std::string, Value> m_inputs, m_outputs;
    std::vector<Value> m_state, m_next;
};

/// What a block's onnx.cpp defines as `step`. An error says in words why this node cannot be written.
using WriteStep = Result<void> (*)(Step& step);

/// How blocks are written as ONNX, by id.
class StepWriters {
public:
    void add(const std::string& id, WriteStep write) { m_writers[id] = write; }
    WriteStep find(const std::string& id) const
    {
        const auto found = m_writers.find(id);
        return found == m_writers.end() ? nullptr : found->second;
    }

private:
    std::map<std::string, WriteStep> m_writers;
};

/// Of every block in nodes/ with an onnx.cpp (generated; link unroll_onnx_steps).
const StepWriters& allStepWriters();

} // namespace unroll::onnx
