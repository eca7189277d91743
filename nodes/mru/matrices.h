// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <string>

namespace unroll::nodes::mru {

/// M of every step and head, [T, B, heads, n, n], made by a maker of this name from its numbers, [T, B, heads, count]:
/// count is n n for ldu and identity, n (n - 1) / 2 for cayley, 2 n for householder. M is I where they are 0. `old`
/// adds I to numbers that come as matrices.
at::Tensor makeMatrices(const std::string& maker, const at::Tensor& numbers, std::int64_t n);

} // namespace unroll::nodes::mru
