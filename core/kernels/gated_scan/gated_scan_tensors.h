// SPDX-License-Identifier: GPL-3.0-or-later
// The gated_scan ops on any device (OnCpu, OnCuda): arguments checked and turned into what the raw kernels are given.
#pragma once

#include "core/kernels/common/scan_call.h"
#include "core/kernels/gated_scan/gated_scan_params.h"

#include <string_view>
#include <tuple>
#include <vector>

namespace unroll::kernels {

using GatedScanOutputs = std::tuple<at::Tensor, at::Tensor, at::Tensor>;    ///< u, h, last
using GatedScanGradients = std::tuple<std::vector<at::Tensor>, at::Tensor>; ///< of gates, of initial

/// Where one gate lies: a tensor (T,B,n*d) and the offset of the gate's part in its rows.
struct GatePart {
    std::size_t tensor = 0;
    std::int64_t offset = 0;
};

/// The arguments common to both passes, checked. Holds the tensors that the raw views point into.
struct GatedScanCall : ScanCall {
    GatedScanCall(const char* op, at::TensorList gateTensors, const MaybeTensor& initialState,
                  const MaybeTensor& stepMask, std::string_view candidateWord, bool outputGate, bool reversed);

    template <typename Io, typename State>
    void fill(GatedScanInputs<Io, State>& p) const
    {
        ScanCall::fill(p);
        p.candidate = candidate;
        p.forget = part<const Io>(gates, 0);
        p.candidates = part<const Io>(gates, 1);
        p.output = part<const Io>(gates, 2);
        p.initial = rowsOf<const State>(initial);
    }

    /// Gate number `gate` (forget, candidate, output) in tensors laid out like the gates.
    template <typename T>
    Rows<T> part(const std::vector<at::Tensor>& tensors, std::size_t gate) const
    {
        return gate < parts.size() ? rowsOf<T>(tensors[parts[gate].tensor], parts[gate].offset) : Rows<T>{};
    }

    Activation candidate = Activation::Silu;
    std::vector<at::Tensor> gates;
    std::vector<GatePart> parts; ///< 2, or 3 with an output gate
};

/// What the backward pass is given besides: the states as the forward pass saved them, and the gradients that come in, which may be
/// undefined. All checked.
struct GatedScanGradientsIn {
    at::Tensor states;
    at::Tensor u;
    at::Tensor h;
    at::Tensor last;
};

template <typename Io, typename State>
GatedScanForward<Io, State> forwardParams(const GatedScanCall& call, const GatedScanOutputs& out)
{
    GatedScanForward<Io, State> p;
    call.fill(p);
    p.u = rowsOf<Io>(std::get<0>(out));
    p.h = rowsOf<Io>(std::get<1>(out));
    p.last = rowsOf<State>(std::get<2>(out));
    return p;
}

template <typename Io, typename State>
GatedScanBackward<Io, State> backwardParams(const GatedScanCall& call, const GatedScanGradientsIn& in,
                                            const GatedScanGradients& out)
{
    GatedScanBackward<Io, State> p;
    call.fill(p);
    p.h = rowsOf<const Io>(in.states);
    p.gradU = rowsOf<const Io>(in.u);
    p.gradH = rowsOf<const Io>(in.h);
    p.gradLast = rowsOf<const State>(in.last);
    p.gradForget = call.part<Io>(std::get<0>(out), 0);
    p.gradCandidates = call.part<Io>(std::get<0>(out), 1);
    p.gradOutput = call.part<Io>(std::get<0>(out), 2);
    p.gradInitial = rowsOf<State>(std::get<1>(out));
    return p;
}

GatedScanOutputs emptyOutputs(const GatedScanCall& call);
GatedScanGradients emptyGradients(const GatedScanCall& call);

template <class Device>
GatedScanOutputs gatedScanForward(at::TensorList gates, const MaybeTensor& initial, const MaybeTensor& mask,
                                  std::string_view candidate, bool outputGate, bool reverse)
{
    const GatedScanCall call("gated_scan", gates, initial, mask, candidate, outputGate, reverse);
    const Device device(call.kind);
    const GatedScanOutputs out = emptyOutputs(call);
    device.run(RealElements{},
               [&]<typename Io, typename State>(CallTypes<Io, State>) { return forwardParams<Io, State>(call, out); });
    return out;
}

template <class Device>
GatedScanGradients gatedScanBackward(at::TensorList gates, const MaybeTensor& initial, const MaybeTensor& mask,
                                     const at::Tensor& h, const MaybeTensor& gradU, const MaybeTensor& gradH,
                                     const MaybeTensor& gradLast, std::string_view candidate, bool outputGate,
                                     bool reverse)
{
    const GatedScanCall call("gated_scan_backward", gates, initial, mask, candidate, outputGate, reverse);
    const Device device(call.kind);
    const GatedScanGradientsIn in{call.sequence("h", h), call.sequence("grad_u", gradU), call.sequence("grad_h", gradH),
                                  call.state("grad_last", gradLast)};
    const GatedScanGradients out = emptyGradients(call);
    device.run(RealElements{}, [&]<typename Io, typename State>(CallTypes<Io, State>) {
        return backwardParams<Io, State>(call, in, out);
    });
    return out;
}

} // namespace unroll::kernels
