// SPDX-License-Identifier: GPL-3.0-or-later
// What the CPU and CUDA halves of matrix_scan are given: raw views, checked before. T = steps, B = batch. The matrices
// of one step of one sequence lie one behind the other, row by row: heads * n * n numbers.
#pragma once

#include "core/kernels/scan/scan_domain.h"

namespace unroll::kernels {

/// Rows and columns of a state that the kernels take, at most.
inline constexpr std::int64_t kMaxMatrixSize = 64;

/// A GPU's kernel cuts the steps of matrices up to this size into chunks by itself: products of larger ones do not fit
/// into registers.
inline constexpr std::int64_t kMaxChunkedMatrix = 16;

/// Io: type of everything (T,B,...). State: type of everything (B,...) and of the arithmetic; wider than Io for bf16.
/// `width` counts the rows of all matrices, heads * n: CUDA threads walk rows, the CPU matrices.
template <typename Io, typename State>
struct MatrixScanInputs : ScanDomain {
    using IoType = Io;
    using StateType = State;

    std::int64_t size = 1;     ///< n
    Rows<const Io> m;          ///< (T,B,heads n n)
    Rows<const State> initial; ///< (B,heads n n)

    std::int64_t cpuColumns() const { return this->width / size; }
    std::int64_t elementsAColumn() const { return size * size; }

    /// ScanDomain's, with matrices that can be.
    bool holds(bool states, bool sequences) const
    {
        return size >= 1 && size <= kMaxMatrixSize && this->width % size == 0 &&
               ScanDomain::holds(initial && states, m && sequences);
    }
};

template <typename Io, typename State>
struct MatrixScanForward : MatrixScanInputs<Io, State> {
    static constexpr bool backward = false;

    Rows<Io> h;       ///< (T,B,heads n n), written
    Rows<State> last; ///< (B,heads n n), written
};

/// Gradients are written, never added to.
template <typename Io, typename State>
struct MatrixScanBackward : MatrixScanInputs<Io, State> {
    static constexpr bool backward = true;

    Rows<const Io> h;           ///< as the forward pass wrote it
    Rows<const Io> gradH;       ///< (T,B,heads n n), or absent: zeros
    Rows<const State> gradLast; ///< (B,heads n n), or absent
    Rows<Io> gradM;             ///< (T,B,heads n n)
    Rows<State> gradInitial;    ///< (B,heads n n), written; on the CPU it carries the state's gradient meanwhile
};

/// Whether sizes make sense and every array that the pass needs is there.
template <typename Io, typename State>
bool complete(const MatrixScanForward<Io, State>& scan)
{
    return scan.holds(bool(scan.last), bool(scan.h));
}

template <typename Io, typename State>
bool complete(const MatrixScanBackward<Io, State>& scan)
{
    return scan.holds(bool(scan.gradInitial), scan.h && scan.gradM);
}

using MatrixScanPass = CpuPass<MatrixScanForward, MatrixScanBackward, float, double>;

/// One pass over all steps of some matrices, on the calling thread; a column is one matrix, counted batch * heads +
/// head. Different threads may take different columns of the same arrays.
void scanOnCpu(const MatrixScanPass& pass, ColumnRange columns);

} // namespace unroll::kernels
