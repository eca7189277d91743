// SPDX-License-Identifier: GPL-3.0-or-later
// What the CPU and CUDA halves of delta_scan are given: raw views, checked before. Heads lie as in HeadDomain.
#pragma once

#include "core/kernels/heads/head_domain.h"

namespace unroll::kernels {

/// Io: type of everything (T,B,...). State: type of everything (B,...) and of the arithmetic; wider than Io for bf16.
template <typename Io, typename State>
struct DeltaScanInputs : HeadDomain {
    using IoType = Io;
    using StateType = State;

    Rows<const Io> q, k, z;    ///< (T,B,heads n)
    Rows<const Io> v;          ///< (T,B,heads m)
    Rows<const Io> b;          ///< (T,B,heads n), or absent: k
    Rows<const Io> w;          ///< (T,B,heads decays), or absent: 1
    Rows<const State> initial; ///< (B,heads n m), or absent: zeros
};

template <typename Io, typename State>
bool hasInputs(const DeltaScanInputs<Io, State>& scan)
{
    return scan.q && scan.k && scan.v && scan.z;
}

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
    Rows<State> states;  ///< (chunks,B,heads n m) before every kHeadChunk steps
    Rows<State> factors; ///< (T,B,heads n) gradients of factors of a head, of each key by itself; or absent
};

/// Whether sizes make sense and every array that the pass needs is there.
template <typename Io, typename State>
bool complete(const DeltaScanForward<Io, State>& scan)
{
    return scan.holds(bool(scan.last), hasInputs(scan) && scan.y && scan.u);
}

template <typename Io, typename State>
bool complete(const DeltaScanBackward<Io, State>& scan)
{
    return scan.holds(bool(scan.gradInitial), hasInputs(scan) && scan.u && scan.gradQ && scan.gradK && scan.gradZ &&
                                                  scan.gradV && (!scan.b || scan.gradB) && (!scan.w || scan.gradW));
}

using DeltaScanPass = CpuPass<DeltaScanForward, DeltaScanBackward, float, double>;

/// One pass over all steps of some heads, on the calling thread; a column is one head, counted batch * heads + head.
/// Different threads may take different columns of the same arrays.
void scanOnCpu(const DeltaScanPass& pass, ColumnRange columns);

} // namespace unroll::kernels
