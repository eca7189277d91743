// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/lens/lens.h"

#include <string>

namespace unroll {

/// What a lens is compared with.
struct SecondSide {
    enum class Kind {
        None,
        Run,        ///< another run, from its folder: its newest checkpoint
        Checkpoint, ///< of this run
        Node,       ///< of this network: another copy of a repeated group's
        Touched     ///< the same reading under edits
    };
    Kind kind = Kind::None;
    std::string folder = {};     ///< of Run and Checkpoint
    std::string checkpoint = {}; ///< of Checkpoint: its step
    std::string node = {};       ///< of Node: its path
    std::string edit = {};       ///< of Touched, as parseEdits() takes it

    bool isOnDisk() const { return kind == Kind::Run || kind == Kind::Checkpoint; }
    bool operator==(const SecondSide&) const = default;
};

/// The node that is shown: the query's, or that of the setting `node` of a lens of the whole network; empty: all.
std::string nodeOf(const LensQuery& query);

} // namespace unroll
