// SPDX-License-Identifier: GPL-3.0-or-later
// What the CPU and CUDA halves of outer_scan are given: raw views, checked before. T = steps, B = batch. Of one step of
// one sequence the heads lie one behind the other: heads * n keys, heads * m values, states row by row.
#pragma once

#include "core/kernels/scan/scan_domain.h"

namespace unroll::kernels {

/// Steps whose products are made together. A chunk costs half its length times n + m for what its steps are to each
/// other, and saves all but one of its walks over the n * m numbers of the state.
inline constexpr std::int64_t kOuterChunk = 16;

/// Keys or values of a head that a GPU's threads keep, at most.
inline constexpr std::int64_t kMaxOuterColumn = 256;

/// Io: type of everything (T,B,...). State: type of everything (B,...), of decays without a time and of the arithmetic;
/// wider than Io for bf16. `width` counts what CUDA threads walk: columns of the states on the way forward, columns and
/// rows on the way back. The CPU takes heads.
template <typename Io, typename State>
struct OuterScanInputs : ScanDomain {
    using IoType = Io;
    using StateType = State;

    std::int64_t heads = 0, keys = 1, values = 1;
    std::int64_t decays = 1;    ///< numbers of a decay: n, or 1 for all keys of a head
    Rows<const Io> q, k;        ///< (T,B,heads n)
    Rows<const Io> v;           ///< (T,B,heads m)
    Rows<const Io> a;           ///< (T,B,heads decays), or absent
    Rows<const State> constant; ///< (heads decays) for every step and sequence, or absent; both absent: 1
    Rows<const State> initial;  ///< (B,heads n m), or absent: zeros

    std::int64_t cpuColumns() const { return heads; }
    std::int64_t elementsAColumn() const { return keys * values; }

    UNROLL_HOST_DEVICE std::int64_t firstKey(std::int64_t head) const { return head * keys; }
    UNROLL_HOST_DEVICE std::int64_t firstValue(std::int64_t head) const { return head * values; }
    UNROLL_HOST_DEVICE std::int64_t firstDecay(std::int64_t head) const { return head * decays; }
    UNROLL_HOST_DEVICE std::int64_t firstState(std::int64_t head) const { return head * keys * values; }

    /// ScanDomain's, with heads that can be.
    bool holds(bool states, bool sequences) const
    {
        return heads >= 0 && keys >= 1 && values >= 1 && (decays == 1 || decays == keys) &&
               ScanDomain::holds(states, q && k && v && sequences);
    }
};

template <typename Io, typename State>
struct OuterScanForward : OuterScanInputs<Io, State> {
    static constexpr bool backward = false;

    Rows<Io> y;       ///< (T,B,heads m), written; 0 at masked steps
    Rows<State> last; ///< (B,heads n m), written
};

/// Gradients are written, never added to.
template <typename Io, typename State>
struct OuterScanBackward : OuterScanInputs<Io, State> {
    static constexpr bool backward = true;

    Rows<const Io> gradY;       ///< (T,B,heads m), or absent: zeros
    Rows<const State> gradLast; ///< (B,heads n m), or absent
    Rows<Io> gradQ, gradK;      ///< (T,B,heads n)
    Rows<Io> gradV;             ///< (T,B,heads m)
    Rows<Io> gradA;             ///< (T,B,heads decays), or absent
    Rows<State> gradConstant;   ///< (B,heads decays): that of `constant`, a sequence each; or absent
    Rows<State> gradInitial;    ///< (B,heads n m)

    // Of the columns alone.
    Rows<State> states; ///< (chunks,B,heads n m) before every kOuterChunk steps
    /// (T,B,heads n) gradients of factors of a head, of each key by itself; (B,heads n) of constant factors.
    Rows<State> factors;
};

/// Whether sizes make sense and every array that the pass needs is there.
template <typename Io, typename State>
bool complete(const OuterScanForward<Io, State>& scan)
{
    return scan.holds(bool(scan.last), bool(scan.y));
}

template <typename Io, typename State>
bool complete(const OuterScanBackward<Io, State>& scan)
{
    return scan.holds(scan.gradInitial && (!scan.constant || scan.gradConstant),
                      scan.gradQ && scan.gradK && scan.gradV && (!scan.a || scan.gradA));
}

using OuterScanPass = CpuPass<OuterScanForward, OuterScanBackward, float, double>;

/// One pass over all steps of some heads, on the calling thread; a column is one head, counted batch * heads + head.
/// Different threads may take different columns of the same arrays.
void scanOnCpu(const OuterScanPass& pass, ColumnRange columns);

} // namespace unroll::kernels
