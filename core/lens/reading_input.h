// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/lens/probe.h"
#include "core/model/model.h"

#include <cstdint>

namespace unroll {

/// Steps of the text that the model takes: all of them, unless a node limits the length.
std::int64_t stepsOf(const Model& model, const ProbeText& text);

/// Steps `from` .. `from + count` - 1 of the text as one sequence on the device: [count, 1] classes or [count, 1,
/// inputs] numbers.
ModelInput readingInput(const ProbeText& text, std::int64_t from, std::int64_t count, at::Device device);

} // namespace unroll
