// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>

namespace unroll::kernels {

/// Constants of exp(x) = 2^n * exp(r), n = round(x / ln 2), r = x - n ln 2 in [-ln2/2, ln2/2].
///
/// expm1(r) = r + r^2 * P(r); `tail` holds P from the constant term up. The coefficients are our own: a Remez fit that
/// minimises the relative error of expm1 on |r| <= 1.0005 * ln2/2 (float: 1.4e-8), a fit at the Chebyshev nodes for
/// double (8.3e-19). ln2High has few enough bits that n * ln2High is exact. roundMagic is 1.5 * 2^mantissaBits: adding
/// it leaves round(x) in the low bits.
template <typename T>
struct ExpConstants;

template <>
struct ExpConstants<float> {
    static constexpr int mantissaBits = 23;
    static constexpr float roundMagic = 12582912.0f;
    static constexpr float log2e = 1.44269504088896340736f;
    static constexpr float ln2High = 0.693145751953125f;
    static constexpr float ln2Low = 1.4286068203094173e-06f;
    static constexpr float smallestArgument = -87.3365f; ///< exp gives the smallest normal number
    static constexpr float largestArgument = 89.0f;      ///< exp overflows
    static constexpr float largestExponent = 127.0f;
    static constexpr float tail[] = {0.5000000062087178f, 0.1666654279362639f, 0.04166628139319196f,
                                     0.00836661062544708f, 0.0013946497465212842f};
};

template <>
struct ExpConstants<double> {
    static constexpr int mantissaBits = 52;
    static constexpr double roundMagic = 6755399441055744.0;
    static constexpr double log2e = 1.44269504088896340736;
    static constexpr double ln2High = 0.6931471803691238;
    static constexpr double ln2Low = 1.9082149292705877e-10;
    static constexpr double smallestArgument = -708.39;
    static constexpr double largestArgument = 710.0;
    static constexpr double largestExponent = 1023.0;
    static constexpr double tail[] = {0.5,
                                      0.1666666666666667,
                                      0.04166666666666667,
                                      0.008333333333326112,
                                      0.001388888888888373,
                                      0.0001984126987490126,
                                      2.4801587325605324e-05,
                                      2.7557255297969643e-06,
                                      2.755727357010214e-07,
                                      2.5105259538448494e-08,
                                      2.0914717341716378e-09};
};

} // namespace unroll::kernels
