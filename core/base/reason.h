// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>

namespace unroll {

/// The system's words for an errno value, e.g. "No space left on device".
std::string reasonOf(int errnoValue);

/// What an error says first: its text up to the first line break.
std::string firstLine(const std::string& text);

} // namespace unroll
