// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/runs/metrics.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace unroll {

// samples.txt of a run: texts one after the other, each under a line with its step and its length.

/// One sample as it stands in the file. The length stands before the text, so that a text may hold anything, a line
/// like this one too.
std::string sampleRecord(const Sample& sample);

/// The samples of a file in their order; what follows a torn record is left out.
std::vector<Sample> samplesIn(std::string_view file);

/// The part of a file that holds the samples up to `lastStep`.
std::string samplesUpTo(std::string_view file, std::int64_t lastStep);

} // namespace unroll
