// SPDX-License-Identifier: GPL-3.0-or-later
// Included by tests only.
#pragma once

#include <cstdint>
#include <string>

namespace unroll::kernels::test {

/// Of a product: x (rows, in), weight (out, in).
struct TernarySize {
    std::int64_t rows, in, out;
};

inline std::string named(const TernarySize& size)
{
    return std::to_string(size.rows) + " x " + std::to_string(size.in) + " x " + std::to_string(size.out);
}

} // namespace unroll::kernels::test
