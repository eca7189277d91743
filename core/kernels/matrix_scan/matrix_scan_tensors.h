// SPDX-License-Identifier: GPL-3.0-or-later
// From the arguments of the matrix_scan ops to what the raw kernels are given. Shared by the CPU op and the CUDA bridge.
#pragma once

#include "core/kernels/common/tensor_checks.h"
#include "core/kernels/matrix_scan/matrix_scan_params.h"

#include <ATen/core/Tensor.h>

#include <optional>
#include <tuple>

namespace unroll::kernels {

using MatrixScanOutputs = std::tuple<at::Tensor, at::Tensor>;   ///< h, last
using MatrixScanGradients = std::tuple<at::Tensor, at::Tensor>; ///< of m, of initial

/// The arguments common to both passes, checked. Holds the tensors that the raw views point into.
struct MatrixScanCall {
    /// Sizes and type are those of m.
    MatrixScanCall(const char* op, const at::Tensor& matrices, const std::optional<at::Tensor>& initialState,
                   const std::optional<at::Tensor>& stepMask, bool reversed);

    at::Tensor emptySequence() const; ///< (T,B,heads,n,n)
    at::Tensor emptyState() const;    ///< (B,heads,n,n)
    /// Checks an optional argument of that shape and joins its matrices: (T,B,heads n n) or (B,heads n n). Undefined where absent.
    at::Tensor sequenceRows(const char* name, const std::optional<at::Tensor>& tensor) const;
    at::Tensor stateRows(const char* name, const std::optional<at::Tensor>& tensor) const;

    /// Sizes, flags and inputs; Params is MatrixScanForward<Io, State> or MatrixScanBackward<Io, State>.
    template <template <typename, typename> class Params, typename Io, typename State>
    Params<Io, State> params() const
    {
        Params<Io, State> p;
        p.steps = steps;
        p.batch = batch;
        p.width = heads * size;
        p.size = size;
        p.reverse = reverse;
        p.m = rowsOf<const Io>(m);
        p.mask = kernels::stepMask(mask);
        p.initial = rowsOf<const State>(initial);
        return p;
    }

    CallKind kind;
    std::int64_t steps = 0;
    std::int64_t batch = 0;
    std::int64_t heads = 0;
    std::int64_t size = 0; ///< n
    bool reverse = false;
    at::Tensor m;       ///< (T,B,heads n n)
    at::Tensor initial; ///< (B,heads n n); the identity where none was given
    at::Tensor mask;    ///< may be undefined
};

/// The tensors of the way back, checked; gradients may be undefined.
struct MatrixScanBackwardIn {
    MatrixScanBackwardIn(const MatrixScanCall& call, const at::Tensor& states,
                         const std::optional<at::Tensor>& gradStates, const std::optional<at::Tensor>& gradLastState);
    at::Tensor h;
    at::Tensor gradH;
    at::Tensor gradLast;
};

template <typename Io, typename State>
MatrixScanForward<Io, State> forwardParams(const MatrixScanCall& call, const MatrixScanOutputs& out)
{
    auto p = call.params<MatrixScanForward, Io, State>();
    p.h = rowsOf<Io>(std::get<0>(out).flatten(2));
    p.last = rowsOf<State>(std::get<1>(out).flatten(1));
    return p;
}

template <typename Io, typename State>
MatrixScanBackward<Io, State> backwardParams(const MatrixScanCall& call, const MatrixScanBackwardIn& in,
                                             const MatrixScanGradients& out)
{
    auto p = call.params<MatrixScanBackward, Io, State>();
    p.h = rowsOf<const Io>(in.h);
    p.gradH = rowsOf<const Io>(in.gradH);
    p.gradLast = rowsOf<const State>(in.gradLast);
    p.gradM = rowsOf<Io>(std::get<0>(out).flatten(2));
    p.gradInitial = rowsOf<State>(std::get<1>(out).flatten(1));
    return p;
}

/// Outputs of the one way, and gradients of the other: a sequence and a state.
std::tuple<at::Tensor, at::Tensor> emptyPair(const MatrixScanCall& call);

} // namespace unroll::kernels
