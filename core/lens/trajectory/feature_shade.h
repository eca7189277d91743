// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/result.h"

#include <string>
#include <vector>

namespace unroll {
class Dataset;
struct ProbeText;
} // namespace unroll

namespace unroll::lenses::trajectory {

/// A feature of what is read, as a colour.
struct FeatureShade {
    std::vector<double> values; ///< of each step; NaN where it is not known
    std::vector<double> shade;  ///< the same from 0 to 1, the least and the greatest of the reading
    std::string words;          ///< "quotations: 1 inside quotations, else 0"; "bracket depth, 0 to 3"
};

/// The feature with this name or id, as core/data/features has them; empty: the first that changes. An error says which
/// there are, or that it is known at no step.
Result<FeatureShade> featureShade(const ProbeText& text, const Dataset& data, const std::string& asked);

} // namespace unroll::lenses::trajectory
