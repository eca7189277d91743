// SPDX-License-Identifier: GPL-3.0-or-later
// From the arguments of the sru_scan ops to what the raw kernels are given. Shared by the CPU op and the CUDA bridge.
#pragma once

#include "core/kernels/common/tensor_checks.h"
#include "core/kernels/sru_scan/sru_scan_params.h"

#include <ATen/core/Tensor.h>

#include <optional>
#include <string_view>
#include <tuple>

namespace unroll::kernels {

using SruScanOutputs = std::tuple<at::Tensor, at::Tensor, at::Tensor>; ///< h, c, last
/// of u, weight_c, bias, x (no elements where x is absent), initial
using SruScanGradients = std::tuple<at::Tensor, at::Tensor, at::Tensor, at::Tensor, at::Tensor>;

/// The tensors common to both passes, as the ops take them.
struct SruScanTensors {
    const at::Tensor& u;
    const at::Tensor& weightC;
    const at::Tensor& bias;
    const std::optional<at::Tensor>& x;
    const std::optional<at::Tensor>& initial;
    const std::optional<at::Tensor>& mask;
    const std::optional<at::Tensor>& dropout;
};

struct SruScanSettings {
    double scaleX;
    std::string_view activation;
    bool reverse;
};

/// The arguments common to both passes, checked. Holds the tensors that the raw views point into.
struct SruScanCall {
    SruScanCall(const char* op, const SruScanTensors& tensors, const SruScanSettings& settings);

    at::Tensor emptySequence() const; ///< (T,B,d)
    at::Tensor emptyState() const;    ///< (B,d)
    bool hasSkip() const { return parts == 4 || x.defined(); }

    template <typename Io, typename State>
    void fill(SruScanInputs<Io, State>& p) const
    {
        p.steps = steps;
        p.batch = batch;
        p.width = width;
        p.activation = activation;
        p.reverse = reverse;
        p.skipScale = static_cast<State>(parts == 4 ? 1.0 : scaleX);
        p.candidate = plane<const Io>(u, 0);
        p.forget = plane<const Io>(u, 1);
        p.reset = plane<const Io>(u, 2);
        p.skip = parts == 4 ? plane<const Io>(u, 3) : rowsOf<const Io>(x);
        p.forgetWeight = weightC.const_data_ptr<State>();
        p.resetWeight = p.forgetWeight + width;
        p.forgetBias = bias.const_data_ptr<State>();
        p.resetBias = p.forgetBias + width;
        p.mask = stepMask(mask);
        p.dropout = rowsOf<const State>(dropout);
        p.initial = rowsOf<const State>(initial);
    }

    /// Part number `part` of a (T,B,k,d) tensor.
    template <typename T>
    static Rows<T> plane(const at::Tensor& tensor, std::int64_t part)
    {
        return tensor.numel() == 0 ? Rows<T>{} : rowsOf<T>(tensor.select(2, part));
    }

    CallKind kind;
    std::int64_t steps = 0;
    std::int64_t batch = 0;
    std::int64_t parts = 0;
    std::int64_t width = 0;
    double scaleX = 1;
    Activation activation = Activation::Identity;
    bool reverse = false;
    at::Tensor u;
    at::Tensor weightC; ///< contiguous, and so bias
    at::Tensor bias;
    at::Tensor x; ///< may be undefined, and so the next three
    at::Tensor initial;
    at::Tensor mask;
    at::Tensor dropout;
};

/// The gradients that come in, checked; each may be undefined.
struct SruScanGradientsIn {
    SruScanGradientsIn(const SruScanCall& call, const std::optional<at::Tensor>& h, const std::optional<at::Tensor>& c,
                       const std::optional<at::Tensor>& last);
    at::Tensor gradH;
    at::Tensor gradC;
    at::Tensor gradLast;
};

template <typename Io, typename State>
SruScanForward<Io, State> forwardParams(const SruScanCall& call, const SruScanOutputs& out)
{
    SruScanForward<Io, State> p;
    call.fill(p);
    p.h = rowsOf<Io>(std::get<0>(out));
    p.c = rowsOf<Io>(std::get<1>(out));
    p.last = rowsOf<State>(std::get<2>(out));
    return p;
}

/// `partial` is (B,4,d), see SruScanBackward::gradWeights.
template <typename Io, typename State>
SruScanBackward<Io, State> backwardParams(const SruScanCall& call, const at::Tensor& c, const SruScanGradientsIn& in,
                                          const SruScanGradients& out, const at::Tensor& partial)
{
    SruScanBackward<Io, State> p;
    call.fill(p);
    p.c = rowsOf<const Io>(c);
    p.gradH = rowsOf<const Io>(in.gradH);
    p.gradC = rowsOf<const Io>(in.gradC);
    p.gradLast = rowsOf<const State>(in.gradLast);
    const at::Tensor& gradU = std::get<0>(out);
    p.gradCandidate = SruScanCall::plane<Io>(gradU, 0);
    p.gradForget = SruScanCall::plane<Io>(gradU, 1);
    p.gradReset = SruScanCall::plane<Io>(gradU, 2);
    p.gradSkip = call.parts == 4 ? SruScanCall::plane<Io>(gradU, 3) : rowsOf<Io>(std::get<3>(out));
    p.gradInitial = rowsOf<State>(std::get<4>(out));
    p.gradWeights = partial.mutable_data_ptr<State>();
    return p;
}

SruScanOutputs emptyOutputs(const SruScanCall& call);
SruScanGradients emptyGradients(const SruScanCall& call);
at::Tensor emptyPartialSums(const SruScanCall& call); ///< (B,4,d)

/// `c` as saved by the forward pass, checked, with contiguous rows.
at::Tensor checkedStates(const SruScanCall& call, const at::Tensor& c);

} // namespace unroll::kernels
