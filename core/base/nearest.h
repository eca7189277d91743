// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace unroll {

/// Those of the names that a user may have meant by the word, the nearest first, at most three: one or two letters off,
/// or the word is part of them.
std::vector<std::string> nearestNames(std::string_view word, const std::vector<std::string>& names);

/// What goes behind "there is no block called lsmt": "; did you mean lstm?", and where nothing is near "; there are
/// gru, lru and 40 more". Empty where there are no names.
std::string suggestion(std::string_view word, const std::vector<std::string>& names);

} // namespace unroll
