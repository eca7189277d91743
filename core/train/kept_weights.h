// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/format/tensor_view.h"

#include <map>
#include <string>
#include <vector>

namespace unroll {

/// A copy of a run's weights, for another run to begin with. Plain values: any thread may hold and drop them.
struct KeptWeights {
    std::string origin; ///< for people: "runs/fable-1, step 120"
    std::vector<format::OwnedTensor> tensors;
    std::map<std::string, std::string> metadata; ///< as a file has it: what the numbers of some mean
};

} // namespace unroll
