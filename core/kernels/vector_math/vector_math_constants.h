// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>

namespace unroll::kernels {

/// Constants of exp(x) = 2^n * exp(r), n = round(x / ln 2), r = x - n ln 2 in [-ln2/2, ln2/2].
///
/// expm1(r) = r + r^2 * P(r); `tail` holds P from the constant term up. The coefficients are our own: a Remez fit that minimises the
/// relative error of expm1 on |r| <= 1.0005 * ln2/2 (float: 1.4e-8), a fit at the Chebyshev nodes for double (8.3e-19).
/// ln2High has few enough bits that n * ln2High is exact. roundMagic is 1.5 * 2^mantissaBits: adding it leaves round(x) in the low bits.
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

/// Constants of the normal distribution's tail, P(-a) = exp(-a²/2) t Q(s) with t = 1 / (1 + slope a) and s = (1 - fall a) t, which runs from -1 to 1
/// while a runs from `largest` to 0. `q` holds Q from the constant term up: our own fits at the Chebyshev nodes, within 4.2e-9 and 1.1e-17 of
/// the tail. Beyond `largest` it is below the smallest normal number. `coarse` are the bits of a that are left when its square is to be exact.
template <typename T>
struct TailConstants;

template <>
struct TailConstants<float> {
    static constexpr std::uint32_t coarse = 0xfffff000U;
    static constexpr float largest = 13.2f;
    static constexpr float slope = 0.3f;
    static constexpr float fall = 0.45094339622641509f;
    static constexpr float q[] = {0.25877636971588702f,    0.16201729954621652f,     0.066087161484486889f,
                                  0.014366727654406581f,   -0.00035780985785935478f, -0.00092678807949125269f,
                                  -3.0126700013092548e-5f, 7.1903929964659205e-5f,   6.5773660318292526e-7f,
                                  -5.3971384498834853e-6f};
};

template <>
struct TailConstants<double> {
    static constexpr std::uint64_t coarse = 0xfffffffff8000000ULL;
    static constexpr double largest = 37.6;
    static constexpr double slope = 0.2;
    static constexpr double fall = 0.25298013245033112;
    static constexpr double q[] = {
        0.17086502760587703,     0.14044481057671093,     0.096694624248680869,    0.05520533728976431,
        0.0255205306156194,      0.0090724360927790313,   0.0021681494307064063,   0.00016499004161484033,
        -0.00010303090105221896, -3.7325991070788962e-5,  1.0030544689886949e-6,   3.4335055756710878e-6,
        3.4009918199279806e-7,   -3.046600169640511e-7,   -5.4275391546152496e-8,  3.0696108651764781e-8,
        6.3262720686316279e-9,   -3.5596678182247901e-9,  -6.1945945339604266e-10, 4.11412193014881e-10,
        4.5464828871644947e-11,  -3.1897698143620554e-11, -1.6807195186516865e-12};
};

} // namespace unroll::kernels
