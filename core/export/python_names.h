// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/graph/graph.h"

#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

namespace unroll {

/// Columns of a line of what we write in Python.
inline constexpr std::size_t kPythonColumns = 120;

/// A parameter's value as Python writes it: True, 3, 0.5, 'tanh'.
std::string pythonLiteral(const ParamValue& value);
/// Text in single quotes; everything outside printable ASCII as an escape. Ill-formed UTF-8 becomes U+FFFD.
std::string pythonString(const std::string& text);

/// encoder_body -> EncoderBody.
std::string pythonClassName(const std::string& nodeName);

/// Names of one Python scope, each given out once.
class PythonNames {
public:
    explicit PythonNames(std::set<std::string> taken) : m_taken(std::move(taken)) {}
    bool isFree(const std::string& name) const;
    /// `wish`, with as many _ behind it as it takes to be free.
    std::string take(std::string wish);

private:
    std::set<std::string> m_taken;
};

/// What lines of Python without indentation bind: classes, functions, imports, variables.
std::set<std::string> pythonGlobals(const std::string& text);

/// The nodes of a graph as attributes of a torch module, one each. A name that Python or nn.Module keeps for itself
/// (class, train, type) gets a _, and another one where a node is called so already. Node names are unique, as in a
/// graph that can run.
class PythonAttributes {
public:
    explicit PythonAttributes(const Graph& graph);
    const std::string& of(const std::string& node) const;
    const PythonAttributes& inside(const std::string& group) const;
    /// A weight's full name as the exported model has it: "type.2.lstm.weight" -> "type_.2.lstm.weight".
    std::string weightName(const std::string& weight) const;

private:
    struct Entry {
        std::string attribute;
        std::shared_ptr<const PythonAttributes> inner; ///< of a group
        bool numbered = false;                         ///< copies with weights of their own: a number follows
    };
    std::map<std::string, Entry> m_nodes;
};

/// "head(first, second, ...)" broken before 120 columns; lines after the first begin below the first argument.
std::string pythonCall(const std::string& indent, const std::string& head, const std::vector<std::string>& arguments);

} // namespace unroll
