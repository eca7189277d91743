// SPDX-License-Identifier: GPL-3.0-or-later
// Products of small square matrices that lie row by row, in Highway vectors. Included once for each CPU target.

#if defined(UNROLL_MATRIX_PRODUCT_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef UNROLL_MATRIX_PRODUCT_INL_H
#undef UNROLL_MATRIX_PRODUCT_INL_H
#else
#define UNROLL_MATRIX_PRODUCT_INL_H
#endif

#include "core/kernels/cpu/lanes_inl.h"
#include "core/kernels/cpu/transposed_inl.h"

#include <utility>

HWY_BEFORE_NAMESPACE();
namespace unroll::kernels {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

constexpr int powerOfTwoFrom(int n)
{
    int power = 1;
    while (power < n)
        power *= 2;
    return power;
}

/// A row of n numbers in vectors no longer than it needs.
template <int n, typename T>
struct MatrixRow {
    using D = hn::CappedTag<T, powerOfTwoFrom(n)>;
    static constexpr int lanes = static_cast<int>(hn::MaxLanes(D()));
    static constexpr int parts = (n + lanes - 1) / lanes;
    static constexpr int inLast = n - (parts - 1) * lanes;

    template <class Each>
    static HWY_INLINE void forParts(const Each& each)
    {
        for (int p = 0; p + 1 < parts; ++p)
            each(p, FullLanes{});
        if constexpr (inLast == lanes)
            each(parts - 1, FullLanes{});
        else
            each(parts - 1, LastLanes{inLast});
    }
    static HWY_INLINE MatrixRow load(const T* from)
    {
        MatrixRow row;
        forParts([&](int p, auto access) HWY_ATTR { row.part[p] = access.load(D(), from + p * lanes); });
        return row;
    }
    HWY_INLINE void store(T* to) const
    {
        forParts([&](int p, auto access) HWY_ATTR { access.store(D(), part[p], to + p * lanes); });
    }

    hn::Vec<D> part[parts];
};

/// How the factor on the left lies: its element (i,k) is at i * row + k * column. The transpose of what lies row by row
/// has them swapped.
struct MatrixSteps {
    std::int64_t row, column;
};

/// Products of n x n matrices, the rows of the right factor held in registers as far as there are enough. Sums run
/// along k = 0, 1, ..., so that numbers do not depend on the size of vectors.
template <int n>
struct SmallProduct {
    static constexpr std::int64_t size() { return n; }

    /// out = left right; out is neither of them.
    template <typename T>
    HWY_INLINE void operator()(const T* left, MatrixSteps steps, const T* right, T* out) const
    {
        using Row = MatrixRow<n, T>;
        const typename Row::D d;
        Row rows[n];
        for (int k = 0; k < n; ++k)
            rows[k] = Row::load(right + k * n);
        for (int i = 0; i < n; ++i) {
            const T* factors = left + i * steps.row;
            Row sum;
            for (int p = 0; p < Row::parts; ++p)
                sum.part[p] = hn::Mul(hn::Set(d, factors[0]), rows[0].part[p]);
            for (int k = 1; k < n; ++k)
                for (int p = 0; p < Row::parts; ++p)
                    sum.part[p] = hn::MulAdd(hn::Set(d, factors[k * steps.column]), rows[k].part[p], sum.part[p]);
            sum.store(out + i * n);
        }
    }
};

/// The same for any size.
struct AnyProduct {
    std::int64_t n;
    std::int64_t size() const { return n; }

    template <typename T>
    HWY_INLINE void operator()(const T* left, MatrixSteps steps, const T* right, T* out) const
    {
        const hn::ScalableTag<T> d;
        for (std::int64_t i = 0; i < n; ++i)
            forLanes(d, n, [&](auto lanes, std::int64_t j) HWY_ATTR {
                const T* factors = left + i * steps.row;
                auto sum = hn::Mul(hn::Set(d, factors[0]), lanes.load(d, right + j));
                for (std::int64_t k = 1; k < n; ++k)
                    sum = hn::MulAdd(hn::Set(d, factors[k * steps.column]), lanes.load(d, right + k * n + j), sum);
                lanes.store(d, sum, out + i * n + j);
            });
    }
};

/// Calls run(product) with a product of this size: unrolled from 2 to 16.
template <class Run, int... offsets>
HWY_INLINE void withProduct(std::int64_t n, const Run& run, std::integer_sequence<int, offsets...>)
{
    const bool small = ((n == offsets + 2 && (run(SmallProduct<offsets + 2>{}), true)) || ...);
    if (!small)
        run(AnyProduct{n});
}

template <class Run>
HWY_INLINE void withProduct(std::int64_t n, const Run& run)
{
    withProduct(n, run, std::make_integer_sequence<int, 15>{});
}

/// to = the transpose of from; in fours where there are so many, for single numbers, stored side by side, would hold up
/// the loads of whole rows that follow.
template <typename T>
HWY_INLINE void transpose(const T* from, T* to, std::int64_t n)
{
    const std::int64_t whole = n - n % kTransposedTogether;
    for (std::int64_t i = 0; i < whole; i += kTransposedTogether)
        for (std::int64_t j = 0; j < whole; j += kTransposedTogether)
            transposeFour(from + i * n + j, n, to + j * n + i, n);
    for (std::int64_t i = 0; i < n; ++i)
        for (std::int64_t j = i < whole ? whole : 0; j < n; ++j)
            to[j * n + i] = from[i * n + j];
}

} // namespace HWY_NAMESPACE
} // namespace unroll::kernels
HWY_AFTER_NAMESPACE();

#endif // UNROLL_MATRIX_PRODUCT_INL_H
