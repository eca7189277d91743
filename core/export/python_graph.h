// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/result.h"
#include "core/check/check.h"

#include <set>
#include <string>
#include <vector>

namespace unroll {

/// A graph as Python classes: one for each group, innermost first, then the model. The text of the blocks' own classes
/// comes from their specs and is not in here.
struct PythonClasses {
    std::string text;                     ///< the classes, two empty lines between them
    std::vector<const BlockSpec*> blocks; ///< used, each once, in execution order
    bool carriesGroups = false;           ///< the text calls within()
    bool loops = false;                   ///< the text calls each_step()
    bool onVectors = false;               ///< the text calls one_each()
    bool beginsAtWeights = false;         ///< the text calls begun() and moved()
};

/// Names of the model's input and output, in model.py and in golden.safetensors.
struct ModelPorts {
    std::string input;         ///< tokens, or features where numbers are read
    std::string prediction;    ///< the loss node's: logits, prediction
    bool numbers = false;      ///< numbers are read, not classes
    bool tellsNumbers = false; ///< numbers are predicted
    bool perSequence = false;  ///< one prediction per sequence, without T
};
/// The graph must be runnable.
ModelPorts modelPorts(const CheckedGraph& checked);

/// `modelName` is the class of the graph itself; `docstring` its first lines; no group's class gets a name that is
/// `taken` by the text around it. Errors (place: the node) name a block that has no Python
/// side. The graph must be runnable.
Result<PythonClasses> pythonClasses(const Graph& graph, const CheckedGraph& checked, const std::string& modelName,
                                    const std::string& docstring, std::set<std::string> taken);

} // namespace unroll
