// SPDX-License-Identifier: GPL-3.0-or-later
// What the CPU and CUDA halves of delta_scan are given: raw views, checked before. T = steps, B = batch. Of one step of
// one sequence the heads lie one behind the other: heads * n keys, heads * m values, states row by row.
#pragma once

#include "core/kernels/scan/scan_domain.h"

namespace unroll::kernels {

/// The backward pass stores the state before every so many steps, and makes those between them again.
inline constexpr std::int64_t kDeltaChunk = 16;

/// Keys or values of a head that a GPU's threads keep, at most.
inline constexpr std::int64_t kMaxDeltaColumn = 256;

/// Io: type of everything (T,B,...). State: type of everything (B,...) and of the arithmetic; wider than Io for bf16.
/// `width` counts what CUDA threads walk: columns of the states, or rows. The CPU takes heads.
template <typename Io, typename State>
struct DeltaScanInputs : ScanDomain {
    using IoType = Io;
    using StateType = State;

    std::int64_t heads = 0, keys = 1, values = 1;
    std::int64_t decays = 1;   ///< numbers of a factor: n, or 1 for all keys of a head
    Rows<const Io> q, k, z;    ///< (T,B,heads n)
    Rows<const Io> v;          ///< (T,B,heads m)
    Rows<const Io> b;          ///< (T,B,heads n), or absent: k
    Rows<const Io> w;          ///< (T,B,heads decays), or absent: 1
    Rows<const State> initial; ///< (B,heads n m), or absent: zeros

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
               ScanDomain::holds(states, q && k && v && z && sequences);
    }
};

template <typename Io, typename State>
struct DeltaScanForward : DeltaScanInputs<Io, State> {
    static constexpr bool backward = false;

    Rows<Io> y, u;    ///< (T,B,heads m), written; 0 at masked steps
    Rows<State> last; ///< (B,heads n m), written
};

/// Gradients are written, never added to.
template <typename Io, typename State>
struct DeltaScanBackward : DeltaScanInputs<Io, State> {
    static constexpr bool backward = true;

    Rows<const Io> u;             ///< (T,B,heads m) as the forward pass gave it
    Rows<const Io> gradY, gradU;  ///< (T,B,heads m), or absent: zeros
    Rows<const State> gradLast;   ///< (B,heads n m), or absent
    Rows<Io> gradQ, gradK, gradZ; ///< (T,B,heads n)
    Rows<Io> gradV;               ///< (T,B,heads m)
    Rows<Io> gradB;               ///< (T,B,heads n), or absent
    Rows<Io> gradW;               ///< (T,B,heads decays), or absent
    Rows<State> gradInitial;      ///< (B,heads n m)

    // By threads that walk alone: in the first of two passes they have columns, which give gradV, gradInitial and
    // `toU`; in the second rows, which read `toU` and give all else.
    bool rows = false;
    Rows<State> toU;     ///< (T,B,heads m) gradient of u, also by way of the state
    Rows<State> states;  ///< (chunks,B,heads n m) before every kDeltaChunk steps
    Rows<State> factors; ///< (T,B,heads n) gradients of factors of a head, of each key by itself; or absent
};

/// Whether sizes make sense and every array that the pass needs is there.
template <typename Io, typename State>
bool complete(const DeltaScanForward<Io, State>& scan)
{
    return scan.holds(bool(scan.last), scan.y && scan.u);
}

template <typename Io, typename State>
bool complete(const DeltaScanBackward<Io, State>& scan)
{
    return scan.holds(bool(scan.gradInitial), scan.u && scan.gradQ && scan.gradK && scan.gradZ && scan.gradV &&
                                                  (!scan.b || scan.gradB) && (!scan.w || scan.gradW));
}

using DeltaScanPass = CpuPass<DeltaScanForward, DeltaScanBackward, float, double>;

/// One pass over all steps of some heads, on the calling thread; a column is one head, counted batch * heads + head.
/// Different threads may take different columns of the same arrays.
void scanOnCpu(const DeltaScanPass& pass, ColumnRange columns);

} // namespace unroll::kernels
