// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/lens/lens.h"

#include <cstdint>
#include <string>
#include <vector>

namespace unroll {

/// The size of what leaves one output of a node: every wire from this output carries it.
struct OutputNorms {
    std::string node;       ///< path of the node, as SignalFrame::node; of numbers that are read the data node
    std::string port;       ///< of the node's block: "y", "state"
    std::int64_t width = 0; ///< numbers that cross at once; of a state those of all its parts
    bool once =
        false; ///< they cross once for the whole reading: a state, after its last step; a vector; a table of weights
    /// L2 norm of these numbers, in double precision: of each step of the reading, or one value. NaN or infinite where
    /// a number is; NaN too at steps where the data ask for nothing.
    std::vector<double> norm;
    std::int64_t missing = 0; ///< steps whose norm is not finite, without those where nothing is asked

    std::string name() const { return node + "." + port; }
    /// At a step of the reading; NaN where there is none. What crosses once has one value whatever the step.
    double at(std::int64_t step) const;
};

/// The norms of all outputs that carry numbers; classes and masks have none, and the loss crosses no wire.
struct WiresData : LensData {
    std::vector<OutputNorms> outputs;    ///< one at least, in the order of execution, the data node's first
    std::int64_t steps = 0;              ///< of the reading
    std::int64_t cursor = -1;            ///< the step that the table is about; -1: the last
    bool shared = false;                 ///< drawn on one scale; false: each output by its largest norm
    std::vector<std::string> characters; ///< as ProbeFrame::characters
    std::string of;                      ///< as ProbeFrame::of

    /// nullptr: this output carries no numbers, or there is none.
    const OutputNorms* find(const std::string& node, const std::string& port) const;
    Figure figure() const override;
};

/// Of the whole network, at no step in particular.
LensQuery wiresQuery();

} // namespace unroll
