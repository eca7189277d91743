// SPDX-License-Identifier: GPL-3.0-or-later
// The matrix_scan ops on any device (OnCpu, OnCuda): arguments checked and turned into what the raw kernels are given.
#pragma once

#include "core/kernels/common/scan_call.h"
#include "core/kernels/matrix_scan/matrix_scan_params.h"

#include <tuple>

namespace unroll::kernels {

using MatrixScanOutputs = std::tuple<at::Tensor, at::Tensor>;   ///< h, last
using MatrixScanGradients = std::tuple<at::Tensor, at::Tensor>; ///< of m, of initial

/// The arguments common to both passes, checked. Holds the tensors that the raw views point into.
struct MatrixScanCall : ScanCall {
    /// Sizes and type are those of m.
    MatrixScanCall(const char* op, const at::Tensor& matrices, const MaybeTensor& initialState,
                   const MaybeTensor& stepMask, bool reversed);

    /// sequence() and state() with the matrices joined: (T,B,heads n n), (B,heads n n).
    at::Tensor joinedSequence(const char* name, const MaybeTensor& tensor) const;
    at::Tensor joinedState(const char* name, const MaybeTensor& tensor) const;

    template <typename Io, typename State>
    void fill(MatrixScanInputs<Io, State>& p) const
    {
        ScanCall::fill(p);
        p.size = sizes.back();
        p.width = sizes[2] * sizes[3];
        p.m = rowsOf<const Io>(m);
        p.initial = rowsOf<const State>(joinedInitial);
    }

    at::Tensor m;             ///< (T,B,heads n n)
    at::Tensor joinedInitial; ///< (B,heads n n); the identity where none was given
};

/// What the backward pass is given besides: the states as the forward pass saved them, and the gradients that come in, which may be
/// undefined. All checked, matrices joined.
struct MatrixScanGradientsIn {
    at::Tensor states;
    at::Tensor h;
    at::Tensor last;
};

template <typename Io, typename State>
MatrixScanForward<Io, State> forwardParams(const MatrixScanCall& call, const MatrixScanOutputs& out)
{
    MatrixScanForward<Io, State> p;
    call.fill(p);
    p.h = rowsOf<Io>(std::get<0>(out).flatten(2));
    p.last = rowsOf<State>(std::get<1>(out).flatten(1));
    return p;
}

template <typename Io, typename State>
MatrixScanBackward<Io, State> backwardParams(const MatrixScanCall& call, const MatrixScanGradientsIn& in,
                                             const MatrixScanGradients& out)
{
    MatrixScanBackward<Io, State> p;
    call.fill(p);
    p.h = rowsOf<const Io>(in.states);
    p.gradH = rowsOf<const Io>(in.h);
    p.gradLast = rowsOf<const State>(in.last);
    p.gradM = rowsOf<Io>(std::get<0>(out).flatten(2));
    p.gradInitial = rowsOf<State>(std::get<1>(out).flatten(1));
    return p;
}

template <class Device>
MatrixScanOutputs matrixScanForward(const at::Tensor& m, const MaybeTensor& initial, const MaybeTensor& mask,
                                    bool reverse)
{
    const MatrixScanCall call("matrix_scan", m, initial, mask, reverse);
    const Device device(call.kind);
    const MatrixScanOutputs out{call.emptySequence(), call.emptyState()};
    device.run(RealElements{},
               [&]<typename Io, typename State>(CallTypes<Io, State>) { return forwardParams<Io, State>(call, out); });
    return out;
}

template <class Device>
MatrixScanGradients matrixScanBackward(const at::Tensor& m, const MaybeTensor& initial, const MaybeTensor& mask,
                                       const at::Tensor& h, const MaybeTensor& gradH, const MaybeTensor& gradLast,
                                       bool reverse)
{
    const MatrixScanCall call("matrix_scan_backward", m, initial, mask, reverse);
    const Device device(call.kind);
    const MatrixScanGradientsIn in{call.joinedSequence("h", h), call.joinedSequence("grad_h", gradH),
                                   call.joinedState("grad_last", gradLast)};
    const MatrixScanGradients out{call.emptySequence(), call.emptyState()};
    device.run(RealElements{}, [&]<typename Io, typename State>(CallTypes<Io, State>) {
        return backwardParams<Io, State>(call, in, out);
    });
    return out;
}

} // namespace unroll::kernels
