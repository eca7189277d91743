// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/session/run_parts.h"
#include "core/session/run_report.h"
#include "core/train/sampler.h"

#include <stop_token>

namespace unroll {

/// What the model makes of the request now, text or labels, goes into the report as a sample; or a note why there is
/// none. Nothing of it when `stop` asked for the end. `parts` are whole.
void takeSample(const RunParts& parts, const SampleRequest& request, const std::stop_token& stop, RunReport& report);

} // namespace unroll
