// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/onnx/value.h"

#include <cstdint>
#include <map>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace unroll::onnx {

/// As onnx.proto's TensorProto.DataType counts them.
enum class Type : std::int32_t { Float = 1, Int64 = 7, Bool = 9 };

struct Attribute {
    std::string name;
    std::variant<std::int64_t, double, std::vector<std::int64_t>> value; ///< a real is stored as float
};

struct NodeOp {
    std::string op;   ///< of the standard domain, at kOpset
    std::string name; ///< unique
    std::vector<std::string> inputs, outputs;
    std::vector<Attribute> attributes;
};

struct Initializer {
    std::string name;
    Type type = Type::Float;
    std::vector<std::int64_t> dims;
    std::string bytes; ///< row-major, little endian
};

/// An input or output of one step: its first dimension is B, the number of sequences.
struct StepPort {
    std::string name;
    Type type = Type::Float;
    std::vector<std::int64_t> rest; ///< dimensions behind B
    bool state = false;             ///< carried to the next step, else one value of each step
};

/// One step of a model as operators. What depends on weights alone is kept apart (`ready`), so that a whole sequence
/// computes it once.
class Graph {
public:
    /// Prefix of the names of what is added from here on: the path of a node.
    void enter(std::string scope) { m_scope = std::move(scope); }

    Value input(StepPort port);
    void output(StepPort port, const Value& value);

    /// A weight by its name; one of the same name is the same.
    Value weight(const std::string& name, std::vector<std::int64_t> dims, std::span<const float> elements);
    /// float32 of this shape, named after the node that is entered.
    Value constant(const std::string& name, std::vector<std::int64_t> dims, const std::vector<double>& elements);
    Value number(double value);                    ///< a float32 scalar
    Value whole(std::vector<std::int64_t> values); ///< int64, one dimension
    Value wholeNumber(std::int64_t value);         ///< an int64 scalar

    Value apply(const std::string& op, const std::vector<Value>& inputs, std::vector<Attribute> attributes = {});
    std::vector<Value> applySplit(const std::string& op, const std::vector<Value>& inputs,
                                  std::vector<Attribute> attributes, std::size_t outputs);

    /// Drops what no output depends on.
    void prune();

    const std::vector<Initializer>& initializers() const { return m_initializers; }
    const std::vector<NodeOp>& ready() const { return m_ready; }
    const std::vector<NodeOp>& step() const { return m_step; }
    const std::vector<StepPort>& inputs() const { return m_inputs; }
    const std::vector<StepPort>& outputs() const { return m_outputs; }

private:
    Value stored(Initializer initializer);
    std::string nameFor(const std::string& word);

    std::string m_scope;
    std::set<std::string> m_names;
    std::map<std::string, std::string> m_stored; ///< key of an initializer's contents, or its name: its name
    std::vector<Initializer> m_initializers;
    std::vector<NodeOp> m_ready, m_step;
    std::vector<StepPort> m_inputs, m_outputs;
};

} // namespace unroll::onnx
