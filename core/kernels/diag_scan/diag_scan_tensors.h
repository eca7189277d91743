// SPDX-License-Identifier: GPL-3.0-or-later
// The diag_scan ops on any device (OnCpu, OnCuda): arguments checked and turned into what the raw kernels are given.
#pragma once

#include "core/kernels/common/scan_call.h"
#include "core/kernels/diag_scan/diag_scan_params.h"

#include <tuple>

namespace unroll::kernels {

using DiagScanOutputs = std::tuple<at::Tensor, at::Tensor>;               ///< h, last
using DiagScanGradients = std::tuple<at::Tensor, at::Tensor, at::Tensor>; ///< of a, of b, of initial

/// The arguments common to both passes, checked. Holds the tensors that the raw views point into.
struct DiagScanCall : ScanCall {
    /// `sequence` is a (T,B,d) tensor called `name` that sets sizes and type: b on the way forward, h on the way back.
    DiagScanCall(const char* op, const char* name, const at::Tensor& sequence, const at::Tensor& factor,
                 const MaybeTensor& initialState, const MaybeTensor& stepMask, bool reversed);

    bool hasConstant() const { return a.dim() == 1; }

    template <typename Io, typename State>
    void fill(DiagScanInputs<Io, State>& p) const
    {
        ScanCall::fill(p);
        if (hasConstant())
            p.constant = {a.numel() == 0 ? nullptr : static_cast<const State*>(a.const_data_ptr()), 0, 0};
        else
            p.a = rowsOf<const Io>(a);
        p.initial = rowsOf<const State>(initial);
    }

    at::Tensor first; ///< the sequence that set the sizes, with contiguous rows
    at::Tensor a;     ///< (T,B,d) or (d)
};

/// The gradients that come in, checked; each may be undefined.
struct DiagScanGradientsIn {
    at::Tensor h;
    at::Tensor last;
};

template <typename Io, typename State>
DiagScanForward<Io, State> forwardParams(const DiagScanCall& call, const DiagScanOutputs& out)
{
    DiagScanForward<Io, State> p;
    call.fill(p);
    p.b = rowsOf<const Io>(call.first);
    p.h = rowsOf<Io>(std::get<0>(out));
    p.last = rowsOf<State>(std::get<1>(out));
    return p;
}

/// `sums` (B,d) takes the gradient of a constant a, a sequence each; undefined where a is one a step.
template <typename Io, typename State>
DiagScanBackward<Io, State> backwardParams(const DiagScanCall& call, const DiagScanGradientsIn& in,
                                           const DiagScanGradients& out, const at::Tensor& sums)
{
    DiagScanBackward<Io, State> p;
    call.fill(p);
    p.h = rowsOf<const Io>(call.first);
    p.gradH = rowsOf<const Io>(in.h);
    p.gradLast = rowsOf<const State>(in.last);
    if (!call.hasConstant())
        p.gradA = rowsOf<Io>(std::get<0>(out));
    p.gradConstant = rowsOf<State>(sums);
    p.gradB = rowsOf<Io>(std::get<1>(out));
    p.gradInitial = rowsOf<State>(std::get<2>(out));
    return p;
}

DiagScanOutputs emptyOutputs(const DiagScanCall& call);
DiagScanGradients emptyGradients(const DiagScanCall& call);

/// (B,d) for a constant a, else undefined.
at::Tensor emptySums(const DiagScanCall& call);

template <class Device>
DiagScanOutputs diagScanForward(const at::Tensor& a, const at::Tensor& b, const MaybeTensor& initial,
                                const MaybeTensor& mask, bool reverse)
{
    const DiagScanCall call("diag_scan", "b", b, a, initial, mask, reverse);
    const Device device(call.kind);
    const DiagScanOutputs out = emptyOutputs(call);
    device.run(RealOrComplexElements{},
               [&]<typename Io, typename State>(CallTypes<Io, State>) { return forwardParams<Io, State>(call, out); });
    return out;
}

template <class Device>
DiagScanGradients diagScanBackward(const at::Tensor& a, const MaybeTensor& initial, const MaybeTensor& mask,
                                   const at::Tensor& h, const MaybeTensor& gradH, const MaybeTensor& gradLast,
                                   bool reverse)
{
    const DiagScanCall call("diag_scan_backward", "h", h, a, initial, mask, reverse);
    const Device device(call.kind);
    const DiagScanGradientsIn in{call.sequence("grad_h", gradH), call.state("grad_last", gradLast)};
    const DiagScanGradients out = emptyGradients(call);
    const at::Tensor sums = emptySums(call);
    device.run(RealOrComplexElements{}, [&]<typename Io, typename State>(CallTypes<Io, State>) {
        return backwardParams<Io, State>(call, in, out, sums);
    });
    if (call.hasConstant())
        device.sumOverBatch(sums, std::get<0>(out));
    return out;
}

} // namespace unroll::kernels
