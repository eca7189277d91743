// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/block/registry.h"
#include "core/experiment/experiment.h"

#include <string>
#include <vector>

namespace unroll {

/// The experiment with one thing set from text: "lstm.units=128", "body.lstm.units=128" inside a group,
/// "training.steps=500". A relative path is meant from the working directory, as everything that is typed. Errors name
/// what is not there, with what is, or the value that does not fit.
Result<Experiment> withAssignment(const Experiment& experiment, const BlockRegistry& registry,
                                  const std::string& assignment);

/// The experiment reading another file: the first path parameter of its data block, looked up from the working
/// directory. An error when the data block reads no file.
Result<Experiment> withData(const Experiment& experiment, const BlockRegistry& registry, const std::string& path);

/// With other data, unless `path` is empty, and then with each of the assignments.
Result<Experiment> withChanges(Experiment experiment, const BlockRegistry& registry, const std::string& path,
                               const std::vector<std::string>& assignments);

/// The node at a path, "body.lstm"; nullptr: there is none.
const Node* findNodeAt(const Graph& graph, const std::string& path);

/// The experiment with another block at `node` (a path, "body.lstm"), under the same name and wires. Parameters that
/// are set there and that the other block knows, with values that it takes, stay; the rest are its defaults. Whether
/// its ports fit is for the check to say.
Result<Experiment> withBlock(const Experiment& experiment, const BlockRegistry& registry, const std::string& node,
                             const std::string& block);

/// Text as a value of this type. The error says what was expected.
Result<ParamValue> parseValue(ParamType type, const std::string& text);
/// Likewise for a parameter of a node, which may differ by copy of the repeated group around it: "64, 64, 128" (a comma
/// behind the only one makes a list too), "causal every 4 else none", "true first 2 else false", "0.1 last 2 else 0".
Result<ParamValue> parseNodeValue(ParamType type, const std::string& text);

} // namespace unroll
