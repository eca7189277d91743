// SPDX-License-Identifier: GPL-3.0-or-later
// From the arguments of the gated_scan ops to what the raw kernels are given. Shared by the CPU op and the CUDA bridge.
#pragma once

#include "core/kernels/common/tensor_checks.h"
#include "core/kernels/gated_scan/gated_scan_params.h"

#include <ATen/core/Tensor.h>

#include <array>
#include <optional>
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
struct GatedScanCall {
    GatedScanCall(const char* op, at::TensorList gateTensors, const std::optional<at::Tensor>& initialState,
                  const std::optional<at::Tensor>& stepMask, std::string_view candidateWord, bool outputGate,
                  bool reversed);

    at::Tensor emptySequence() const; ///< (T,B,d)
    at::Tensor emptyState() const;    ///< (B,d)

    /// Sizes, flags and inputs; Params is GatedScanForward<Io, State> or GatedScanBackward<Io, State>.
    template <template <typename, typename> class Params, typename Io, typename State>
    Params<Io, State> params() const
    {
        Params<Io, State> p;
        p.steps = steps;
        p.batch = batch;
        p.width = width;
        p.candidate = candidate;
        p.reverse = reverse;
        p.forget = part<const Io>(gates, 0);
        p.candidates = part<const Io>(gates, 1);
        p.output = part<const Io>(gates, 2);
        p.mask = kernels::stepMask(mask);
        p.initial = rowsOf<const State>(initial);
        return p;
    }

    /// Gate number `gate` (forget, candidate, output) in tensors laid out like the gates.
    template <typename T>
    Rows<T> part(const std::vector<at::Tensor>& tensors, std::size_t gate) const
    {
        return gate < parts.size() ? rowsOf<T>(tensors[parts[gate].tensor], parts[gate].offset) : Rows<T>{};
    }

    CallKind kind;
    std::int64_t steps = 0;
    std::int64_t batch = 0;
    std::int64_t width = 0;
    Activation candidate = Activation::Silu;
    bool reverse = false;
    std::vector<at::Tensor> gates;
    std::vector<GatePart> parts; ///< 2, or 3 with an output gate
    at::Tensor initial;          ///< may be undefined
    at::Tensor mask;             ///< may be undefined
};

/// The gradients that come in, checked; each may be undefined.
struct GatedScanGradientsIn {
    GatedScanGradientsIn(const GatedScanCall& call, const std::optional<at::Tensor>& u,
                         const std::optional<at::Tensor>& h, const std::optional<at::Tensor>& last);
    at::Tensor gradU;
    at::Tensor gradH;
    at::Tensor gradLast;
};

template <typename Io, typename State>
GatedScanForward<Io, State> forwardParams(const GatedScanCall& call, const GatedScanOutputs& out)
{
    auto p = call.params<GatedScanForward, Io, State>();
    p.u = rowsOf<Io>(std::get<0>(out));
    p.h = rowsOf<Io>(std::get<1>(out));
    p.last = rowsOf<State>(std::get<2>(out));
    return p;
}

template <typename Io, typename State>
GatedScanBackward<Io, State> backwardParams(const GatedScanCall& call, const at::Tensor& h,
                                            const GatedScanGradientsIn& in, const GatedScanGradients& out)
{
    auto p = call.params<GatedScanBackward, Io, State>();
    p.h = rowsOf<const Io>(h);
    p.gradU = rowsOf<const Io>(in.gradU);
    p.gradH = rowsOf<const Io>(in.gradH);
    p.gradLast = rowsOf<const State>(in.gradLast);
    p.gradForget = call.part<Io>(std::get<0>(out), 0);
    p.gradCandidates = call.part<Io>(std::get<0>(out), 1);
    p.gradOutput = call.part<Io>(std::get<0>(out), 2);
    p.gradInitial = rowsOf<State>(std::get<1>(out));
    return p;
}

GatedScanOutputs emptyOutputs(const GatedScanCall& call);
GatedScanGradients emptyGradients(const GatedScanCall& call);

/// `h` as saved by the forward pass, checked, with contiguous rows.
at::Tensor checkedStates(const GatedScanCall& call, const at::Tensor& h);

} // namespace unroll::kernels
