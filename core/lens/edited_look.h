// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/result.h"
#include "core/lens/edits.h"
#include "core/lens/probe.h"

#include <cstdint>
#include <stop_token>
#include <vector>

namespace unroll {

/// As look(), with what the network makes of the reading under edits. A step whose values differ from the untouched
/// ones by no more than rounding has those, to the bit. `data`: null where it is not available. A signal that a network
/// cannot show step by step is left out where edits make it run so. Errors: edits that this network has no place for,
/// the end asked for.
Result<ProbeFrame> editedLook(Model& model, const Dataset* data, ProbeText text, const LensNeeds& needs,
                              std::int64_t step, const std::vector<Edit>& edits, const std::stop_token& end = {});

} // namespace unroll
