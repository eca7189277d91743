// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/check/check.h"
#include "core/train/experiment.h"

#include <string>
#include <vector>

namespace unroll {

/// What trains in model.py: the tables TRAINING and RULES, those of penalties and constraints where a weight has one, and
/// the functions that read them. Each part ends with a newline; the signs of python_text.h are left in.
std::vector<std::string> trainingParts(const Experiment& experiment, const CheckedGraph& checked);

} // namespace unroll
