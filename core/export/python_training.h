// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/check/check.h"
#include "core/experiment/experiment.h"
#include "core/export/python_parts.h"

namespace unroll {

/// Adds what trains in model.py: the tables TRAINING and RULES, those of penalties and constraints where a weight has
/// one, and the functions that read them.
void addTraining(PythonParts& parts, const Experiment& experiment, const CheckedGraph& checked,
                 const PythonWords& words);

} // namespace unroll
