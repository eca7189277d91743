// SPDX-License-Identifier: GPL-3.0-or-later
// Walking a row of any width in Highway vectors. Included once for each CPU target.

#if defined(UNROLL_LANES_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef UNROLL_LANES_INL_H
#undef UNROLL_LANES_INL_H
#else
#define UNROLL_LANES_INL_H
#endif

#include "core/kernels/scan/rows.h"

#include <hwy/cache_control.h>
#include <hwy/highway.h>

#include <cstddef>
#include <cstdint>

HWY_BEFORE_NAMESPACE();
namespace unroll::kernels {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

/// A row of a long array that is read once. What is read next of that array lies `ahead` elements from here, too far
/// for the processor to see it coming: it is asked for now. 0: nothing comes.
template <typename T>
struct ReadRow {
    const T* data; ///< nullptr: absent
    std::int64_t ahead;
};

/// A row of a long array that is written once and not read in this pass. `streamed`: it goes to memory past the caches,
/// which would have to read its lines first and would drop them again before anyone asks for them. Such rows begin
/// where a line begins.
template <typename T>
struct WrittenRow {
    T* data; ///< nullptr: absent
    bool streamed;
};

/// Access to one whole vector.
struct FullLanes {
    template <class D, typename T>
    HWY_INLINE hn::Vec<D> load(D d, const T* from) const
    {
        return hn::LoadU(d, from);
    }
    template <class D, typename T>
    HWY_INLINE hn::Vec<D> load(D d, const ReadRow<T>& row, std::int64_t offset) const
    {
        hwy::Prefetch(row.data + offset + row.ahead);
        return hn::LoadU(d, row.data + offset);
    }
    template <class D, typename T>
    HWY_INLINE void store(D d, hn::Vec<D> value, T* to) const
    {
        hn::StoreU(value, d, to);
    }
    template <class D, typename T>
    HWY_INLINE void store(D d, hn::Vec<D> value, const WrittenRow<T>& row, std::int64_t offset) const
    {
        if (row.streamed)
            hn::Stream(value, d, row.data + offset);
        else
            hn::StoreU(value, d, row.data + offset);
    }
};

/// Access to the last `count` elements of a row, fewer than a vector: nothing beyond them is read or written; the other
/// lanes hold 0. The lanes compute what whole vectors compute, so a value does not depend on where a row was cut.
struct LastLanes {
    std::size_t count;

    template <class D, typename T>
    HWY_INLINE hn::Vec<D> load(D d, const T* from) const
    {
#if HWY_TARGET == HWY_AVX2 || HWY_TARGET == HWY_AVX3 || HWY_TARGET == HWY_AVX3_DL
        return hn::MaskedLoad(hn::FirstN(d, count), d, from);
#else
        HWY_ALIGN T lanes[HWY_MAX_BYTES / sizeof(T)] = {};
        for (std::size_t i = 0; i < count; ++i)
            lanes[i] = from[i];
        return hn::Load(d, lanes);
#endif
    }
    template <class D, typename T>
    HWY_INLINE hn::Vec<D> load(D d, const ReadRow<T>& row, std::int64_t offset) const
    {
        return load(d, row.data + offset);
    }
    template <class D, typename T>
    HWY_INLINE void store(D d, hn::Vec<D> value, T* to) const
    {
#if HWY_TARGET == HWY_AVX2 || HWY_TARGET == HWY_AVX3 || HWY_TARGET == HWY_AVX3_DL
        hn::BlendedStore(value, hn::FirstN(d, count), d, to);
#else
        HWY_ALIGN T lanes[HWY_MAX_BYTES / sizeof(T)];
        hn::Store(value, d, lanes);
        for (std::size_t i = 0; i < count; ++i)
            to[i] = lanes[i];
#endif
    }
    template <class D, typename T>
    HWY_INLINE void store(D d, hn::Vec<D> value, const WrittenRow<T>& row, std::int64_t offset) const
    {
        store(d, value, row.data + offset);
    }
};

/// The lanes of a row that may be absent (nullptr): zeros then.
template <class D, class Lanes, typename T>
HWY_INLINE hn::Vec<D> loadOrZero(D d, Lanes lanes, const T* row, std::int64_t offset)
{
    return row != nullptr ? lanes.load(d, row + offset) : hn::Zero(d);
}

template <class D, class Lanes, typename T>
HWY_INLINE hn::Vec<D> loadOrZero(D d, Lanes lanes, const ReadRow<T>& row, std::int64_t offset)
{
    return row.data != nullptr ? lanes.load(d, row, offset) : hn::Zero(d);
}

/// Calls body(lanes, offset) for each vector of a row of `count` elements, the last one with LastLanes where the row
/// does not fill it.
template <class D, class Body>
HWY_INLINE void forLanes(D d, std::int64_t count, const Body& body)
{
    const auto step = static_cast<std::int64_t>(hn::Lanes(d));
    std::int64_t offset = 0;
    for (; offset + step <= count; offset += step)
        body(FullLanes{}, offset);
    if (offset < count)
        body(LastLanes{static_cast<std::size_t>(count - offset)}, offset);
}

/// Calls body(batch, offset, count) for each row, or piece of a row, that the columns cover.
template <class Body>
HWY_INLINE void forRows(ColumnRange columns, std::int64_t width, const Body& body)
{
    std::int64_t batch = columns.begin / width;
    std::int64_t offset = columns.begin % width;
    for (std::int64_t left = columns.end - columns.begin; left > 0; ++batch, offset = 0) {
        const std::int64_t count = left < width - offset ? left : width - offset;
        body(batch, offset, count);
        left -= count;
    }
}

template <typename T>
HWY_INLINE void copyRow(const T* from, T* to, std::int64_t count)
{
    const hn::ScalableTag<T> d;
    forLanes(d, count, [&](auto lanes, std::int64_t j) HWY_ATTR { lanes.store(d, lanes.load(d, from + j), to + j); });
}

template <typename T>
HWY_INLINE void zeroRow(T* to, std::int64_t count)
{
    const hn::ScalableTag<T> d;
    forLanes(d, count, [&](auto lanes, std::int64_t j) HWY_ATTR { lanes.store(d, hn::Zero(d), to + j); });
}

template <typename T>
HWY_INLINE void copyRowOrZero(const T* from, T* to, std::int64_t count)
{
    from != nullptr ? copyRow(from, to, count) : zeroRow(to, count);
}

/// to += from
template <typename T>
HWY_INLINE void addRow(const T* from, T* to, std::int64_t count)
{
    const hn::ScalableTag<T> d;
    forLanes(d, count, [&](auto lanes, std::int64_t j) HWY_ATTR {
        lanes.store(d, hn::Add(lanes.load(d, to + j), lanes.load(d, from + j)), to + j);
    });
}

} // namespace HWY_NAMESPACE
} // namespace unroll::kernels
HWY_AFTER_NAMESPACE();

#endif // UNROLL_LANES_INL_H
