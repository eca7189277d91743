// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/model/block.h"

#include <string>

namespace unroll {

/// An editor of more than what leaves a node: some nodes have to be run one step after the other, so that each starts
/// from the changed state of the one before. All others run all steps at once.
class StepEditor : public Editor {
public:
    virtual bool stepsThrough(const std::string& node) const = 0;
};

} // namespace unroll
