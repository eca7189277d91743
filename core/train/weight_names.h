// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/train/weight_match.h"

#include <map>
#include <string>
#include <vector>

namespace unroll {

/// The key in a file's metadata under which it says a weight's form, and that under which it says the name in the model
/// of a weight that the file calls otherwise.
std::string formKey(const std::string& weight);
std::string nameKey(const std::string& there);

struct FoundNames {
    std::map<std::string, std::string> names; ///< of what is wanted: what it is called there
    std::vector<std::string> notes;           ///< what names were read for, as sentences
};

/// Under its own name, under one that the file gives it; in anybody's file also behind what wrappers put into names
/// ("module._orig_mod."), or behind any one prefix.
FoundNames findNames(const TensorFile& file, const std::vector<WantedTensor>& wanted, const MatchRules& rules);

} // namespace unroll
