// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/data/column_scale.h"
#include "core/experiment/experiment.h"
#include "core/export/python_graph.h"

#include <cstdint>
#include <string>
#include <vector>

namespace unroll {

/// What model.py contains besides the network.
struct PythonNotes {
    std::string version;   ///< of Unroll
    std::int64_t step = 0; ///< updates behind the weights
    std::vector<std::string>
        alphabet;        ///< text of every class, so that the file can read and write text; empty: classes stay numbers
    SeriesScales scales; ///< columns of a table, so that the file can read one; empty: the data are not a table
    std::vector<std::string> labels = {}; ///< names of the predicted classes, where each sequence has one label
    bool words = false;                   ///< the alphabet is one of words
};

/// The text of model.py: imports, the classes of the blocks used (their reference.py), the groups, Model, and functions
/// that load, verify, train and sample. Needs torch alone. Errors name the node that has no Python side. The graph must
/// be runnable.
Result<std::string> pythonSource(const Experiment& experiment, const CheckedGraph& checked, const PythonNotes& notes);

} // namespace unroll
