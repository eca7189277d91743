// SPDX-License-Identifier: GPL-3.0-or-later
// Plain loops, which the compiler turns into vectors of each instruction set: sizes known when compiled for small
// matrices.
#include "core/kernels/cpu/cpu_target_choice.h"

#include "core/kernels/reflections/reflections.h"
#include "core/kernels/reflections/reflections_cpu.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "core/kernels/reflections/reflections_cpu.cpp"
#include <hwy/foreach_target.h>
// After foreach_target.
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace unroll::kernels {
namespace HWY_NAMESPACE {
namespace {

/// How many rows: known when compiled, or not.
template <int known>
struct Rows {
    std::int64_t given;
    HWY_INLINE std::int64_t count() const
    {
        if constexpr (known > 0)
            return known;
        else
            return given;
    }
};

template <typename T>
struct Reflector {
    alignas(64) T vector[kMaxReflectedRows];
    T factor; ///< 2 / v^T v; of v = 0, which turns nothing, 2
};

template <typename T, class R>
HWY_INLINE T dot(const T* a, const T* b, R rows)
{
    T sum = 0;
    for (std::int64_t i = 0; i < rows.count(); ++i)
        sum += a[i] * b[i];
    return sum;
}

/// to = left + by * right
template <typename T, class R>
HWY_INLINE void combine(const T* left, T by, const T* right, T* to, R rows)
{
    for (std::int64_t i = 0; i < rows.count(); ++i)
        to[i] = left[i] + by * right[i];
}

template <typename T, class R>
HWY_INLINE void readReflector(const T* numbers, Reflector<T>& reflector, R rows)
{
    for (std::int64_t i = 0; i < rows.count(); ++i)
        reflector.vector[i] = numbers[i];
    reflector.vector[0] += 1;
    const T square = dot(reflector.vector, reflector.vector, rows);
    reflector.factor = T{2} / (square == 0 ? T{1} : square);
}

/// M = I - a v v^T + u w^T with u = a b (v^T w) v - b w.
template <typename T>
struct Parts {
    Reflector<T> v, w;
    T along; ///< v^T w
    alignas(64) T u[kMaxReflectedRows];
};

template <typename T, class R>
HWY_INLINE void readParts(const T* numbers, Parts<T>& parts, R rows)
{
    readReflector(numbers, parts.v, rows);
    readReflector(numbers + rows.count(), parts.w, rows);
    parts.along = dot(parts.v.vector, parts.w.vector, rows);
    const T a = parts.v.factor, b = parts.w.factor, both = a * b * parts.along;
    for (std::int64_t i = 0; i < rows.count(); ++i)
        parts.u[i] = both * parts.v.vector[i] - b * parts.w.vector[i];
}

template <typename T, class R>
HWY_INLINE void writeMatrix(const Parts<T>& parts, T* m, R rows)
{
    const std::int64_t n = rows.count();
    for (std::int64_t i = 0; i < n; ++i) {
        const T scaled = -parts.v.factor * parts.v.vector[i], u = parts.u[i];
        T* row = m + i * n;
        for (std::int64_t j = 0; j < n; ++j)
            row[j] = scaled * parts.v.vector[j] + u * parts.w.vector[j];
        row[i] += 1;
    }
}

/// G v, G^T v, G w and G^T u of a gradient G.
template <typename T>
struct Passed {
    alignas(64) T v[kMaxReflectedRows], vBack[kMaxReflectedRows], w[kMaxReflectedRows], uBack[kMaxReflectedRows];
};

template <typename T, class R>
HWY_INLINE void passThrough(const T* g, const Parts<T>& parts, Passed<T>& passed, R rows)
{
    const std::int64_t n = rows.count();
    for (std::int64_t j = 0; j < n; ++j)
        passed.vBack[j] = passed.uBack[j] = 0;
    for (std::int64_t i = 0; i < n; ++i) {
        const T* row = g + i * n;
        passed.v[i] = dot(row, parts.v.vector, rows);
        passed.w[i] = dot(row, parts.w.vector, rows);
        combine(passed.vBack, parts.v.vector[i], row, passed.vBack, rows);
        combine(passed.uBack, parts.u[i], row, passed.uBack, rows);
    }
}

template <typename T, class R>
HWY_INLINE void writeGradient(const Parts<T>& parts, const Passed<T>& passed, T* dNumbers, R rows)
{
    const T *v = parts.v.vector, *w = parts.w.vector;
    const T a = parts.v.factor, b = parts.w.factor, along = parts.along;
    const T dBoth = dot(passed.w, v, rows); // of a b (v^T w)
    const T da = b * along * dBoth - dot(passed.v, v, rows), db = a * along * dBoth - dot(passed.w, w, rows);
    const T dAlong = a * b * dBoth;
    for (std::int64_t i = 0; i < rows.count(); ++i) {
        dNumbers[i] =
            a * b * along * passed.w[i] - a * (passed.v[i] + passed.vBack[i]) + dAlong * w[i] - a * a * da * v[i];
        dNumbers[rows.count() + i] = passed.uBack[i] - b * passed.w[i] + dAlong * v[i] - b * b * db * w[i];
    }
}

template <typename T, class R>
HWY_INLINE void reflectAll(const ReflectionPairs<T>& pairs, std::int64_t begin, std::int64_t end, T* m, R rows)
{
    const std::int64_t n = rows.count();
    Parts<T> parts;
    for (std::int64_t i = begin; i < end; ++i) {
        readParts(pairs.numbers + i * 2 * n, parts, rows);
        writeMatrix(parts, m + i * n * n, rows);
    }
}

template <typename T, class R>
HWY_INLINE void reflectAllBackward(const ReflectionPairs<T>& pairs, std::int64_t begin, std::int64_t end, const T* dm,
                                   T* dNumbers, R rows)
{
    const std::int64_t n = rows.count();
    Parts<T> parts;
    Passed<T> passed;
    for (std::int64_t i = begin; i < end; ++i) {
        readParts(pairs.numbers + i * 2 * n, parts, rows);
        passThrough(dm + i * n * n, parts, passed, rows);
        writeGradient(parts, passed, dNumbers + i * 2 * n, rows);
    }
}

template <class Body>
HWY_INLINE void withRows(std::int64_t n, const Body& body)
{
    switch (n) {
    case 2: return body(Rows<2>{n});
    case 4: return body(Rows<4>{n});
    case 8: return body(Rows<8>{n});
    case 16: return body(Rows<16>{n});
    default: return body(Rows<0>{n});
    }
}

template <typename T>
void reflect(const ReflectionPairs<T>& pairs, std::int64_t begin, std::int64_t end, T* m)
{
    withRows(pairs.rows, [&](auto rows) HWY_ATTR { reflectAll(pairs, begin, end, m, rows); });
}

template <typename T>
void reflectBackward(const ReflectionPairs<T>& pairs, std::int64_t begin, std::int64_t end, const T* dm, T* dNumbers)
{
    withRows(pairs.rows, [&](auto rows) HWY_ATTR { reflectAllBackward(pairs, begin, end, dm, dNumbers, rows); });
}

void floats(const ReflectionPairs<float>& pairs, std::int64_t begin, std::int64_t end, float* m)
{
    reflect(pairs, begin, end, m);
}
void doubles(const ReflectionPairs<double>& pairs, std::int64_t begin, std::int64_t end, double* m)
{
    reflect(pairs, begin, end, m);
}
void floatGradients(const ReflectionPairs<float>& pairs, std::int64_t begin, std::int64_t end, const float* dm,
                    float* to)
{
    reflectBackward(pairs, begin, end, dm, to);
}
void doubleGradients(const ReflectionPairs<double>& pairs, std::int64_t begin, std::int64_t end, const double* dm,
                     double* to)
{
    reflectBackward(pairs, begin, end, dm, to);
}

} // namespace
} // namespace HWY_NAMESPACE
} // namespace unroll::kernels
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace unroll::kernels {

HWY_EXPORT(floats);
HWY_EXPORT(doubles);
HWY_EXPORT(floatGradients);
HWY_EXPORT(doubleGradients);

void reflectOnCpu(const ReflectionPairs<float>& pairs, std::int64_t begin, std::int64_t end, float* m)
{
    HWY_DYNAMIC_DISPATCH(floats)(pairs, begin, end, m);
}

void reflectOnCpu(const ReflectionPairs<double>& pairs, std::int64_t begin, std::int64_t end, double* m)
{
    HWY_DYNAMIC_DISPATCH(doubles)(pairs, begin, end, m);
}

void reflectBackwardOnCpu(const ReflectionPairs<float>& pairs, std::int64_t begin, std::int64_t end, const float* dm,
                          float* dNumbers)
{
    HWY_DYNAMIC_DISPATCH(floatGradients)(pairs, begin, end, dm, dNumbers);
}

void reflectBackwardOnCpu(const ReflectionPairs<double>& pairs, std::int64_t begin, std::int64_t end, const double* dm,
                          double* dNumbers)
{
    HWY_DYNAMIC_DISPATCH(doubleGradients)(pairs, begin, end, dm, dNumbers);
}

} // namespace unroll::kernels
#endif
