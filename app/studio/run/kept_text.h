// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/train/weight_report.h"

#include <QString>

namespace unroll {

/// What a run took over from the one before or from a file, in a line: "Reused 6 of 8 tensors: embedding, lstm.
/// Re-initialised: head.weight (65 × 256 became 65 × 128)." A node stands for all its tensors; long lists end in a
/// number.
QString keptSentence(const WeightReport& report);

/// Every tensor by name, a line each, under headings: plain text.
QString keptDetails(const WeightReport& report);

} // namespace unroll
