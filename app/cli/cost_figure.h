// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/check/costs_over_steps.h"
#include "core/lens/figure.h"

#include <string>

namespace unroll::cli {

/// Curves over T on logarithmic axes: FLOPs, and where the block tells them, operations of its scan and how many of
/// these wait for each other.
Figure costFigure(const CostsOverSteps& costs, const std::string& node, const std::string& param);

} // namespace unroll::cli
