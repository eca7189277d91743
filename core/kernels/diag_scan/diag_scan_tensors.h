// SPDX-License-Identifier: GPL-3.0-or-later
// From the arguments of the diag_scan ops to what the raw kernels are given. Shared by the CPU op and the CUDA bridge.
#pragma once

#include "core/kernels/common/tensor_checks.h"
#include "core/kernels/diag_scan/diag_scan_params.h"

#include <ATen/core/Tensor.h>

#include <optional>
#include <tuple>

namespace unroll::kernels {

using DiagScanOutputs = std::tuple<at::Tensor, at::Tensor>;               ///< h, last
using DiagScanGradients = std::tuple<at::Tensor, at::Tensor, at::Tensor>; ///< of a, of b, of initial

/// The arguments common to both passes, checked. Holds the tensors that the raw views point into.
struct DiagScanCall {
    /// `sequence` is a (T,B,d) tensor called `name` that sets sizes and type: b on the way forward, h on the way back.
    DiagScanCall(const char* op, const char* name, const at::Tensor& sequence, const at::Tensor& factor,
                 const std::optional<at::Tensor>& initialState, const std::optional<at::Tensor>& stepMask,
                 bool reversed);

    at::Tensor emptySequence() const; ///< (T,B,d)
    at::Tensor emptyState() const;    ///< (B,d)
    bool hasConstant() const { return a.dim() == 1; }

    /// Sizes, flags and inputs; Params is DiagScanForward<Io, State> or DiagScanBackward<Io, State>.
    template <template <typename, typename> class Params, typename Io, typename State>
    Params<Io, State> params() const
    {
        Params<Io, State> p;
        p.steps = steps;
        p.batch = batch;
        p.width = width;
        p.reverse = reverse;
        if (hasConstant())
            p.constant = {a.numel() == 0 ? nullptr : static_cast<const State*>(a.const_data_ptr()), 0, 0};
        else
            p.a = rowsOf<const Io>(a);
        p.mask = kernels::stepMask(mask);
        p.initial = rowsOf<const State>(initial);
        return p;
    }

    CallKind kind;
    std::int64_t steps = 0;
    std::int64_t batch = 0;
    std::int64_t width = 0;
    bool reverse = false;
    at::Tensor first;   ///< the sequence that set the sizes, with contiguous rows
    at::Tensor a;       ///< (T,B,d) or (d)
    at::Tensor initial; ///< may be undefined
    at::Tensor mask;    ///< may be undefined
};

/// The gradients that come in, checked; each may be undefined.
struct DiagScanGradientsIn {
    DiagScanGradientsIn(const DiagScanCall& call, const std::optional<at::Tensor>& h,
                        const std::optional<at::Tensor>& last);
    at::Tensor gradH;
    at::Tensor gradLast;
};

template <typename Io, typename State>
DiagScanForward<Io, State> forwardParams(const DiagScanCall& call, const DiagScanOutputs& out)
{
    auto p = call.params<DiagScanForward, Io, State>();
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
    auto p = call.params<DiagScanBackward, Io, State>();
    p.h = rowsOf<const Io>(call.first);
    p.gradH = rowsOf<const Io>(in.gradH);
    p.gradLast = rowsOf<const State>(in.gradLast);
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

} // namespace unroll::kernels
