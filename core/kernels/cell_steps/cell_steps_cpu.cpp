// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/kernels/cpu/cpu_target_choice.h"

#include "core/kernels/cell_steps/cell_steps_params.h"

#include "core/kernels/cpu/scan_on_cpu.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "core/kernels/cell_steps/cell_steps_cpu.cpp"
#include <hwy/foreach_target.h>
// After foreach_target.
#include "core/kernels/cell_steps/cells_inl.h"
#include "core/kernels/cpu/step_rows_inl.h"

HWY_BEFORE_NAMESPACE();
namespace unroll::kernels {
namespace HWY_NAMESPACE {
namespace {

/// The units of one head at one step and sequence: parts or gates, `apart` from one to the next.
template <typename T>
struct Parts {
    T* data = nullptr; ///< nullptr: absent, zeros
    std::int64_t apart = 0;
};

template <std::size_t count, class D, class Lanes, typename T, class V = hn::Vec<D>>
HWY_INLINE void loadParts(D d, Lanes lanes, Parts<T> from, std::int64_t j, V (&to)[count])
{
    HWY_UNROLL(4)
    for (std::size_t i = 0; i < count; ++i)
        to[i] = from.data != nullptr ? lanes.load(d, from.data + static_cast<std::int64_t>(i) * from.apart + j)
                                     : hn::Zero(d);
}

template <std::size_t count, class D, class Lanes, typename T, class V = hn::Vec<D>>
HWY_INLINE void storeParts(D d, Lanes lanes, const V (&from)[count], Parts<T> to, std::int64_t j)
{
    HWY_UNROLL(4)
    for (std::size_t i = 0; i < count; ++i)
        lanes.store(d, from[i], to.data + static_cast<std::int64_t>(i) * to.apart + j);
}

/// One head of some sequences: its units of rows (B,parts d), and its gates.
template <StepCell cell, typename T>
class Head {
public:
    static constexpr CellSizes sizes = cellSizes(cell);
    static constexpr auto gates = static_cast<std::size_t>(sizes.gates), parts = static_cast<std::size_t>(sizes.parts);

    Head(const CellStepsInputs<T, T>& scan, Sequences some, std::int64_t head)
        : m_scan(scan), m_some(some), m_units(scan.width / scan.heads), m_head(head)
    {}

    std::int64_t units() const { return m_units; }
    std::int64_t unit() const { return m_head * m_units; }
    /// The first gate's units among those of all heads, (G d).
    std::int64_t gate() const { return m_head * sizes.gates * m_units; }

    Parts<const T> state(StepRows<const T> rows, std::int64_t b) const
    {
        const T* row = rows.rowOrNull(b);
        return {row != nullptr ? row + unit() : nullptr, m_scan.width};
    }
    Parts<T> state(StepRows<T> rows, std::int64_t b) const { return {rows.row(b) + unit(), m_scan.width}; }
    /// The head's sums in rows of walked; nullptr where these are absent or keep none.
    template <typename U>
    U* sums(StepRows<U> rows, std::int64_t b) const
    {
        return sizes.keepsSums && rows.data != nullptr ? rows.row(b) + sizes.parts * m_scan.width + gate() : nullptr;
    }
    /// The head's units of rows (B,d); nullptr where these are absent.
    template <typename U>
    U* shown(StepRows<U> rows, std::int64_t b) const
    {
        return rows.data != nullptr ? rows.row(b) + unit() : nullptr;
    }

    /// sums = inputs + what the weight makes of h before.
    void addProducts(StepRows<const T> inputs, StepRows<const T> before, StepRows<T> sums) const
    {
        const StepRows<const T> h = before.data != nullptr ? before.from(unit()) : before;
        if (m_scan.diagonal == nullptr)
            return addProductTo(inputs, h, m_some.count, m_scan.weights[m_head], sums);
        copyRowsOrZero(inputs, m_some.count, sums, m_units);
        if (h.data != nullptr)
            for (std::int64_t b = 0; b < m_some.count; ++b)
                addTimes(h.row(b), sums.row(b));
    }

    /// carry += what the weight makes of the gradients of the sums.
    void addProductsBack(StepRows<const T> gradSums, StepRows<T> carry) const
    {
        if (m_scan.diagonal == nullptr)
            return addProduct(gradSums, m_some.count, m_scan.weights[m_head], carry);
        for (std::int64_t b = 0; b < m_some.count; ++b)
            addTimes(gradSums.row(b), carry.row(b));
    }

private:
    /// to += diagonal ∘ from
    void addTimes(const T* from, T* to) const
    {
        const hn::ScalableTag<T> d;
        forLanes(d, m_units, [&](auto lanes, std::int64_t j) HWY_ATTR {
            const auto factor = lanes.load(d, m_scan.diagonal + j);
            lanes.store(d, hn::MulAdd(factor, lanes.load(d, from + j), lanes.load(d, to + j)), to + j);
        });
    }

    const CellStepsInputs<T, T>& m_scan;
    Sequences m_some;
    std::int64_t m_units, m_head;
};

template <typename T>
HWY_INLINE void copyParts(std::int64_t parts, Parts<const T> from, Parts<T> to, std::int64_t units)
{
    for (std::int64_t part = 0; part < parts; ++part)
        copyRowOrZero(from.data != nullptr ? from.data + part * from.apart : nullptr, to.data + part * to.apart, units);
}

template <StepCell cell>
struct CellOf;
template <>
struct CellOf<StepCell::Tanh> : ElmanCell<true> {};
template <>
struct CellOf<StepCell::Relu> : ElmanCell<false> {};
template <>
struct CellOf<StepCell::Lstm> : LstmCell {};
template <>
struct CellOf<StepCell::Janet> : JanetCell {};
template <>
struct CellOf<StepCell::LiGruTanh> : LiGruCell<true> {};
template <>
struct CellOf<StepCell::LiGruRelu> : LiGruCell<false> {};
template <>
struct CellOf<StepCell::SlstmSigmoid> : SlstmCell<false> {};
template <>
struct CellOf<StepCell::SlstmExp> : SlstmCell<true> {};

template <StepCell cell, typename T>
HWY_INLINE void forwardRow(T beta, const T* sums, Parts<const T> before, Parts<T> after, T* h, T* kept,
                           std::int64_t units)
{
    const hn::ScalableTag<T> d;
    using V = hn::Vec<decltype(d)>;
    constexpr CellSizes sizes = cellSizes(cell);
    forLanes(d, units, [&](auto lanes, std::int64_t j) HWY_ATTR {
        V a[sizes.gates], state[sizes.parts], next[sizes.parts];
        loadParts(d, lanes, Parts<const T>{sums, units}, j, a);
        loadParts(d, lanes, before, j, state);
        CellOf<cell>::forward(d, hn::Set(d, beta), a, state, next);
        storeParts(d, lanes, next, after, j);
        lanes.store(d, next[0], h + j);
        if constexpr (sizes.keepsSums)
            storeParts(d, lanes, a, Parts<T>{kept, units}, j);
    });
}

/// A masked step hands the state on.
template <StepCell cell, typename T>
HWY_INLINE void holdRow(const T* sums, Parts<const T> before, Parts<T> after, T* h, T* kept, std::int64_t units)
{
    constexpr CellSizes sizes = cellSizes(cell);
    copyParts(sizes.parts, before, after, units);
    copyRow(static_cast<const T*>(after.data), h, units);
    if constexpr (sizes.keepsSums)
        copyRow(sums, kept, sizes.gates * units);
}

template <StepCell cell, typename T>
void scanHead(const CellStepsForward<T, T>& scan, Sequences some, std::int64_t index)
{
    using H = Head<cell, T>;
    const H head(scan, some, index);
    const std::int64_t units = head.units();
    ScratchRows<T> sums(some.count, H::sizes.gates * units);
    StepRows<const T> before = some.of(scan.initial, 0);
    for (std::int64_t position = 0; position < scan.steps; ++position) {
        const WalkStep walk = scan.at(position);
        const StepRows<T> walked = some.of(scan.walked, walk.step), h = some.of(scan.h, walk.step);
        head.addProducts(some.of(scan.u, walk.step).from(head.gate()), before, sums.rows());
        for (std::int64_t b = 0; b < some.count; ++b) {
            T *shown = head.shown(h, b), *kept = head.sums(walked, b);
            if (some.real(scan, walk, b))
                forwardRow<cell>(scan.beta, sums.row(b), head.state(before, b), head.state(walked, b), shown, kept,
                                 units);
            else
                holdRow<cell>(sums.row(b), head.state(before, b), head.state(walked, b), shown, kept, units);
        }
        before = walked;
    }
    const StepRows<T> last = some.of(scan.last, 0);
    for (std::int64_t b = 0; b < some.count; ++b)
        copyParts(H::sizes.parts, head.state(before, b), head.state(last, b), units);
}

/// What one sequence's way back reads and writes at a step.
template <typename T>
struct BackwardRow {
    const T* sums;
    Parts<const T> before, after;
    const T* gradH;           ///< nullptr: zeros
    Parts<const T> gradState; ///< of walked; absent: zeros
    const T* gradSums;        ///< of walked; nullptr: zeros
    T* gradU;
    Parts<T> carry; ///< gradient of the state after the step, then of that before it, but for what the products add
};

/// What arrives on the state after the step: from later steps and from the outputs.
template <std::size_t parts, class D, class Lanes, typename T, class V = hn::Vec<D>>
HWY_INLINE void loadArriving(D d, Lanes lanes, const BackwardRow<T>& row, std::int64_t j, V (&on)[parts])
{
    V given[parts];
    loadParts(d, lanes, Parts<const T>{row.carry.data, row.carry.apart}, j, on);
    loadParts(d, lanes, row.gradState, j, given);
    for (std::size_t i = 0; i < parts; ++i)
        on[i] = hn::Add(on[i], given[i]);
    on[0] = hn::Add(on[0], loadOrZero(d, lanes, row.gradH, j));
}

template <StepCell cell, typename T>
HWY_INLINE void backwardRow(T beta, const BackwardRow<T>& row, std::int64_t units)
{
    const hn::ScalableTag<T> d;
    using V = hn::Vec<decltype(d)>;
    constexpr CellSizes sizes = cellSizes(cell);
    forLanes(d, units, [&](auto lanes, std::int64_t j) HWY_ATTR {
        V a[sizes.gates], state[sizes.parts], next[sizes.parts], on[sizes.parts], sums[sizes.gates], parts[sizes.parts];
        loadParts(d, lanes, Parts<const T>{row.sums, units}, j, a);
        loadParts(d, lanes, row.before, j, state);
        loadParts(d, lanes, row.after, j, next);
        loadArriving(d, lanes, row, j, on);
        CellOf<cell>::backward(d, hn::Set(d, beta), a, state, next, on, sums, parts);
        if (row.gradSums != nullptr) {
            V given[sizes.gates];
            loadParts(d, lanes, Parts<const T>{row.gradSums, units}, j, given);
            for (std::int64_t i = 0; i < sizes.gates; ++i)
                sums[i] = hn::Add(sums[i], given[i]);
        }
        storeParts(d, lanes, sums, Parts<T>{row.gradU, units}, j);
        storeParts(d, lanes, parts, row.carry, j);
    });
}

template <StepCell cell, typename T>
HWY_INLINE void backwardHeldRow(const BackwardRow<T>& row, std::int64_t units)
{
    const hn::ScalableTag<T> d;
    using V = hn::Vec<decltype(d)>;
    constexpr CellSizes sizes = cellSizes(cell);
    copyRowOrZero(row.gradSums, row.gradU, sizes.gates * units);
    forLanes(d, units, [&](auto lanes, std::int64_t j) HWY_ATTR {
        V on[sizes.parts];
        loadArriving(d, lanes, row, j, on);
        storeParts(d, lanes, on, row.carry, j);
    });
}

template <StepCell cell, typename T>
void scanHead(const CellStepsBackward<T, T>& scan, Sequences some, std::int64_t index)
{
    using H = Head<cell, T>;
    const H head(scan, some, index);
    const std::int64_t units = head.units();
    // In a row the head's parts lie side by side, h last: a product writes whole panels.
    const std::int64_t ofH = (H::sizes.parts - 1) * units;
    ScratchRows<T> carry(some.count, ofH + wholePanels(units));
    const StepRows<T> carryH = carry.rows().from(ofH);
    const auto carryOf = [&](std::int64_t b) { return Parts<T>{carryH.row(b), -units}; };
    const StepRows<const T> initial = some.of(scan.initial, 0), onLast = some.of(scan.gradLast, 0);
    for (std::int64_t b = 0; b < some.count; ++b)
        copyParts(H::sizes.parts, head.state(onLast, b), carryOf(b), units);
    for (std::int64_t position = scan.steps - 1; position >= 0; --position) {
        const WalkStep walk = scan.at(position);
        const StepRows<const T> before = some.before(walk, initial, scan.walked);
        const StepRows<const T> walked = some.of(scan.walked, walk.step);
        const StepRows<const T> gradH = some.of(scan.gradH, walk.step);
        const StepRows<const T> gradWalked = some.of(scan.gradWalked, walk.step);
        const StepRows<T> gradU = some.of(scan.gradU, walk.step).from(head.gate());
        for (std::int64_t b = 0; b < some.count; ++b) {
            const BackwardRow<T> row{.sums = head.sums(walked, b),
                                     .before = head.state(before, b),
                                     .after = head.state(walked, b),
                                     .gradH = head.shown(gradH, b),
                                     .gradState = head.state(gradWalked, b),
                                     .gradSums = head.sums(gradWalked, b),
                                     .gradU = gradU.row(b),
                                     .carry = carryOf(b)};
            if (some.real(scan, walk, b))
                backwardRow<cell>(scan.beta, row, units);
            else
                backwardHeldRow<cell>(row, units);
        }
        head.addProductsBack(gradU, carryH);
    }
    const StepRows<T> gradInitial = some.of(scan.gradInitial, 0);
    for (std::int64_t b = 0; b < some.count; ++b) {
        const Parts<T> left = carryOf(b);
        copyParts(H::sizes.parts, Parts<const T>{left.data, left.apart}, head.state(gradInitial, b), units);
    }
}

template <StepCell cell, class Scan>
void scanWith(const Scan& scan, Sequences some)
{
    for (std::int64_t head = 0; head < scan.heads; ++head)
        scanHead<cell>(scan, some, head);
}

template <class Scan>
void scanAs(const Scan& scan, Sequences some)
{
    switch (scan.cell) {
    case StepCell::Tanh: return scanWith<StepCell::Tanh>(scan, some);
    case StepCell::Relu: return scanWith<StepCell::Relu>(scan, some);
    case StepCell::Lstm: return scanWith<StepCell::Lstm>(scan, some);
    case StepCell::Janet: return scanWith<StepCell::Janet>(scan, some);
    case StepCell::LiGruTanh: return scanWith<StepCell::LiGruTanh>(scan, some);
    case StepCell::LiGruRelu: return scanWith<StepCell::LiGruRelu>(scan, some);
    case StepCell::SlstmSigmoid: return scanWith<StepCell::SlstmSigmoid>(scan, some);
    case StepCell::SlstmExp: return scanWith<StepCell::SlstmExp>(scan, some);
    }
}

void scanAny(const CellStepsPass& pass, ColumnRange sequences)
{
    scanSequences(pass, sequences, [](const auto& scan, Sequences some) HWY_ATTR { scanAs(scan, some); });
}

} // namespace
} // namespace HWY_NAMESPACE
} // namespace unroll::kernels
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
UNROLL_SCAN_ON_CPU(CellStepsPass)
#endif
