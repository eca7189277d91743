// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace unroll::format {

/// Appends the shortest text that reads back as the same double, with '.' whatever the locale; whole numbers below 2^53
/// as plain digits. Not-finite values are "NaN", "Infinity" and "-Infinity", which Python, pandas and JavaScript read.
void appendNumber(std::string& out, double value);

/// The double that all of `text` spells, in the forms that appendNumber writes and the usual ones; nothing when it is
/// no number.
std::optional<double> numberFrom(std::string_view text);

} // namespace unroll::format
