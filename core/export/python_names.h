// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/graph/value.h"

#include <set>
#include <string>
#include <vector>

namespace unroll {

/// A node's name as an attribute of a torch module: a name that Python or nn.Module keeps for itself (class, train, type) gets a _.
std::string pythonAttribute(const std::string& nodeName);

/// A weight's full name as the exported model has it: every node on the way as pythonAttribute.
std::string pythonWeightName(const std::string& weight);

/// A parameter's value as Python writes it: True, 3, 0.5, 'tanh'.
std::string pythonLiteral(const ParamValue& value);
/// Text in single quotes; everything outside printable ASCII as an escape. Ill-formed UTF-8 becomes U+FFFD.
std::string pythonString(const std::string& text);

/// encoder_body -> EncoderBody.
std::string pythonClassName(const std::string& nodeName);

/// Local names of one Python scope, each given out once.
class PythonNames {
public:
    explicit PythonNames(std::set<std::string> taken) : m_taken(std::move(taken)) {}
    /// `wish`, with as many _ behind it as it takes to be free.
    std::string take(std::string wish);

private:
    std::set<std::string> m_taken;
};

/// "head(first, second, ...)" broken before 120 columns; lines after the first begin below the first argument.
std::string pythonCall(const std::string& indent, const std::string& head, const std::vector<std::string>& arguments);

} // namespace unroll
