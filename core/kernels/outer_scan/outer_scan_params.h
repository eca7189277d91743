// SPDX-License-Identifier: GPL-3.0-or-later
// What the CPU and CUDA halves of outer_scan are given: raw views, checked before. Heads lie as in HeadDomain.
#pragma once

#include "core/kernels/heads/head_domain.h"

namespace unroll::kernels {

/// Io: type of everything (T,B,...). State: type of everything (B,...), of decays without a time and of the arithmetic;
/// wider than Io for bf16. CUDA threads walk columns on the way forward, columns and rows on the way back.
template <typename Io, typename State>
struct OuterScanInputs : HeadDomain {
    using IoType = Io;
    using StateType = State;

    Rows<const Io> q, k;        ///< (T,B,heads n)
    Rows<const Io> v;           ///< (T,B,heads m)
    Rows<const Io> a;           ///< (T,B,heads decays), or absent
    Rows<const State> constant; ///< (heads decays) for every step and sequence, or absent; both absent: 1
    Rows<const State> initial;  ///< (B,heads n m), or absent: zeros
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
    Rows<State> states; ///< (chunks,B,heads n m) before every kHeadChunk steps
    /// (T,B,heads n) gradients of factors of a head, of each key by itself; (B,heads n) of constant factors.
    Rows<State> factors;
};

/// Whether sizes make sense and every array that the pass needs is there.
template <typename Io, typename State>
bool complete(const OuterScanForward<Io, State>& scan)
{
    return scan.holds(bool(scan.last), scan.q && scan.k && scan.v && scan.y);
}

template <typename Io, typename State>
bool complete(const OuterScanBackward<Io, State>& scan)
{
    return scan.holds(scan.gradInitial && (!scan.constant || scan.gradConstant),
                      scan.q && scan.k && scan.v && scan.gradQ && scan.gradK && scan.gradV && (!scan.a || scan.gradA));
}

using OuterScanPass = CpuPass<OuterScanForward, OuterScanBackward, float, double>;

/// One pass over all steps of some heads, on the calling thread; a column is one head, counted batch * heads + head.
/// Different threads may take different columns of the same arrays.
void scanOnCpu(const OuterScanPass& pass, ColumnRange columns);

} // namespace unroll::kernels
