// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/lens/probe.h"
#include "core/lens/wires/wires.h"
#include "core/model/model.h"

#include <vector>

namespace unroll::lenses::wires {

/// One pass over the reading, from zero states, without targets. Leaves the model as it was.
std::vector<OutputNorms> outputNorms(Model& model, const ProbeText& text);

} // namespace unroll::lenses::wires
