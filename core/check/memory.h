// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>

namespace unroll {

/// Updates that training can go back to, each with the states that were carried in and the generator of dropout.
inline constexpr std::int64_t kRememberedUpdates = 16;

} // namespace unroll
