// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/block/spec.h"

#include <string>
#include <vector>

namespace unroll {

/// What is known of an optimiser without torch: core/train/optimizers/<id>/spec.cpp says it.
struct OptimizerSpec {
    std::string id;      ///< the folder's name, as in files
    std::string summary; ///< a sentence, shown at the choice
    /// Its training settings besides the learning rate, all of them real. Two optimisers that have one name mean the
    /// same: default, range, help.
    std::vector<ParamSpec> settings;
    std::vector<std::string>
        slots;           ///< what it keeps of every weight, in its shape, from zeros on; as in checkpoints: "first"
    bool counts = false; ///< it keeps the number of each weight's updates too: "count"
    std::string python =
        {}; ///< optimizer.py of the folder: update_rule(groups), which reads TRAINING; filled in from there
};

inline constexpr const char* kDefaultOptimizer = "adamw";

/// Every folder of core/train/optimizers (generated), the default first, the others by name.
const std::vector<OptimizerSpec>& optimizerSpecs();
/// Null where there is none of that name.
const OptimizerSpec* findOptimizer(const std::string& id);

/// A setting of an optimiser.
ParamSpec realSetting(const char* name, double fallback, double least, double most, const char* help);
ParamSpec weightDecaySetting(); ///< "weight_decay": what the trainer gives its groups

} // namespace unroll
