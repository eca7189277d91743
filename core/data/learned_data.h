// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/data/column_scale.h"

#include <string>
#include <vector>

namespace unroll {

/// What a trained model remembers of its data: how a text or a table becomes what it reads. Empty parts: the data's
/// own.
struct LearnedData {
    std::string alphabet; // UTF-8, one character a class
    SeriesScales scales;
    std::vector<std::string> labels = {}; // of the classes that are asked for, where they are not the alphabet's
    std::vector<std::string> words = {};  // by class, where classes are words
};

} // namespace unroll
