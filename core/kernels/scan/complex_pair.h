// SPDX-License-Identifier: GPL-3.0-or-later
// A complex number as torch lays it out in memory, for the halves of a kernel that know no torch.
#pragma once

#include "core/kernels/scan/rows.h"

namespace unroll::kernels {

template <typename T>
struct ComplexPair {
    T re;
    T im;

    ComplexPair() = default;
    UNROLL_HOST_DEVICE explicit ComplexPair(T real, T imaginary = T(0)) : re(real), im(imaginary) {}
};

template <typename T>
UNROLL_HOST_DEVICE ComplexPair<T> operator+(ComplexPair<T> a, ComplexPair<T> b)
{
    return ComplexPair<T>(a.re + b.re, a.im + b.im);
}

template <typename T>
UNROLL_HOST_DEVICE ComplexPair<T> operator*(ComplexPair<T> a, ComplexPair<T> b)
{
    return ComplexPair<T>(a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re);
}

template <typename T>
UNROLL_HOST_DEVICE ComplexPair<T> conjugate(ComplexPair<T> a)
{
    return ComplexPair<T>(a.re, -a.im);
}

UNROLL_HOST_DEVICE inline float conjugate(float a)
{
    return a;
}

UNROLL_HOST_DEVICE inline double conjugate(double a)
{
    return a;
}

/// The real numbers that one element is made of, and how many.
template <typename T>
struct Parts {
    using Real = T;
    static constexpr int count = 1;
};

template <typename T>
struct Parts<ComplexPair<T>> {
    using Real = T;
    static constexpr int count = 2;
};

} // namespace unroll::kernels
