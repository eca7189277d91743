// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/graph/edit.h"

#include <optional>
#include <string>
#include <vector>

namespace unroll {

enum class Severity { Error, Warning, Note };

/// A training setting by its name, and the value to set it to.
struct SettingChange {
    std::string name;
    ParamValue value;
};

/// A one-click fix of a diagnostic: of the graph, or of a training setting.
struct Fix {
    std::string title; ///< as on the button: "Insert Embedding"
    GraphEdit edit;    ///< not used where a setting is changed
    std::optional<SettingChange> setting{};
};

/// A user error as a value: where, what was expected, what was found.
struct Diagnostic {
    Severity severity = Severity::Error;
    GroupPath group;       ///< the sub-graph the node is in; empty: the top
    std::string groupName; ///< the same in names, dots between: "encoder.body"
    NodeId node = 0;       ///< 0: the graph as a whole
    std::string nodeName;
    std::string where;    ///< port or parameter; empty: the node
    std::string code;     ///< stable word for tests and filters: "type-mismatch"
    std::string sentence; ///< complete: "lstm.x expects a sequence; text.tokens gives tokens: insert Embedding"
    std::optional<Fix> fix;
};

/// The node's path, dots between the names: "body.lstm". Empty: the graph as a whole.
std::string nodePath(const Diagnostic& diagnostic);
/// The path of the port or parameter, as far as the diagnostic goes: "body.lstm.units".
std::string placeOf(const Diagnostic& diagnostic);

bool hasErrors(const std::vector<Diagnostic>& diagnostics);

} // namespace unroll
