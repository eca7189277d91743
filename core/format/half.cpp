// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/format/half.h"

#include <bit>
#include <cmath>

namespace unroll::format {

/// Below the smallest normal half an addition of 0.5 rounds to the right place; else the mantissa is rounded as an
/// integer, a carry raises the exponent.
std::uint16_t halfOf(float value)
{
    constexpr std::uint32_t kSign = 0x80000000u, kInfinity = 0x7f800000u;
    constexpr std::uint32_t kTooLarge = 0x47800000u; // 65,536
    constexpr std::uint32_t kNormal = 0x38800000u;   // 2^-14
    const auto all = std::bit_cast<std::uint32_t>(value);
    const std::uint32_t size = all & ~kSign;
    std::uint32_t half;
    if (size >= kTooLarge)
        half = size > kInfinity ? 0x7e00u : 0x7c00u;
    else if (size < kNormal)
        half = std::bit_cast<std::uint32_t>(std::bit_cast<float>(size) + 0.5f) - std::bit_cast<std::uint32_t>(0.5f);
    else
        half = (size - (112u << 23) + 0xfffu + ((size >> 13) & 1u)) >> 13;
    return static_cast<std::uint16_t>(half | ((all & kSign) >> 16));
}

float fromHalf(std::uint16_t bits)
{
    const std::uint32_t sign = (bits & 0x8000u) << 16, mantissa = bits & 0x3ffu;
    const std::uint32_t exponent = (bits >> 10) & 0x1fu;
    if (exponent == 0) {
        const float size = std::ldexp(static_cast<float>(mantissa), -24);
        return sign != 0 ? -size : size;
    }
    const std::uint32_t wide = exponent == 0x1fu ? 0xffu : exponent + 112u;
    return std::bit_cast<float>(sign | (wide << 23) | (mantissa << 13));
}

} // namespace unroll::format
