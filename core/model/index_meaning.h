// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/model/plan.h"

namespace unroll {

/// Determines which indices of which weights correspond to classes or columns of the data, and fills in
/// Weight::meaning: along the wires, from the data node forwards and from what is compared with the targets backwards,
/// through blocks that keep features what they are (SameFeatures). Where that is lost on the way, indices are Unclear
/// rather than Nothing.
void findMeanings(Plan& plan);

} // namespace unroll
