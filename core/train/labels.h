// SPDX-License-Identifier: GPL-3.0-or-later
// What a model that predicts one label a sequence makes of sequences, in words and tables.
#pragma once

#include "core/base/result.h"
#include "core/data/dataset.h"
#include "core/model/model.h"

#include <cstdint>
#include <string>
#include <vector>

namespace unroll {

/// The likeliest labels of a text with their chances: "fox 0.97, hen 0.02". Errors: a character that the alphabet
/// lacks, no character at all (place "prompt"), scores that are not finite.
Result<std::string> labelOfText(Model& model, const Vocabulary& vocabulary, const std::vector<std::string>& labels,
                                const std::string& text);

/// The same of some sequences of the validation part, a line each, with what is right: which ones, `seed` says.
Result<std::string> labelsInValidation(Model& model, const Dataset& data, std::uint64_t seed);

/// How often each label was predicted for each, as CSV: "step,split,label,predicted fox,predicted hen". `confusion` as
/// in Evaluation.
std::string confusionCsv(std::int64_t step, Split split, const std::vector<std::string>& labels,
                         const std::vector<std::int64_t>& confusion);

} // namespace unroll
