// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/runs/environment.h"

#include <map>
#include <string>
#include <vector>

namespace unroll {

class Dataset;

/// What the classes or columns of some data are called, in their order: by it weights that are indexed by them are
/// matched with those of a model of other data.
struct Legend {
    bool numbers = false;           ///< columns, not classes
    std::vector<std::string> read;  ///< classes of the tokens, or columns of the features
    std::vector<std::string> asked; ///< the same of the targets
    bool labels = false;            ///< targets are classes of their own, whatever is read

    bool said() const { return !read.empty() || !asked.empty(); }
    bool operator==(const Legend&) const = default;
};

Legend legendOf(const Dataset& data);
/// As far as a run remembers it: none where its classes are bytes.
Legend legendOf(const RunEnvironment& environment);

/// In the metadata of a file of weights: "alphabet" (and "target_alphabet" where that is another), or "columns" and
/// "target_columns", or, for either, "labels" of what is asked for, each a JSON list of texts.
void addLegend(const Legend& legend, std::map<std::string, std::string>& metadata);
/// What is not there, or is no such list, is not said.
Legend legendFrom(const std::map<std::string, std::string>& metadata);

} // namespace unroll
