// SPDX-License-Identifier: GPL-3.0-or-later
// The sru_scan ops on any device (OnCpu, OnCuda): arguments checked and turned into what the raw kernels are given.
#pragma once

#include "core/kernels/common/scan_call.h"
#include "core/kernels/sru_scan/sru_scan_params.h"

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
    const MaybeTensor& x;
    const MaybeTensor& initial;
    const MaybeTensor& mask;
    const MaybeTensor& dropout;
};

struct SruScanSettings {
    double scaleX;
    std::string_view activation;
    bool reverse;
};

/// The arguments common to both passes, checked. Holds the tensors that the raw views point into.
struct SruScanCall : ScanCall {
    SruScanCall(const char* op, const SruScanTensors& tensors, const SruScanSettings& settings);

    template <typename Io, typename State>
    void fill(SruScanInputs<Io, State>& p) const
    {
        ScanCall::fill(p);
        p.activation = activation;
        p.skipScale = static_cast<State>(parts == 4 ? 1.0 : scaleX);
        p.candidate = plane<const Io>(u, 0);
        p.forget = plane<const Io>(u, 1);
        p.reset = plane<const Io>(u, 2);
        p.skip = parts == 4 ? plane<const Io>(u, 3) : rowsOf<const Io>(x);
        p.forgetWeight = weightC.const_data_ptr<State>();
        p.resetWeight = p.forgetWeight + width();
        p.forgetBias = bias.const_data_ptr<State>();
        p.resetBias = p.forgetBias + width();
        p.dropout = rowsOf<const State>(dropout);
        p.initial = rowsOf<const State>(initial);
    }

    /// Part number `part` of a (T,B,k,d) tensor.
    template <typename T>
    static Rows<T> plane(const at::Tensor& tensor, std::int64_t part)
    {
        return tensor.numel() == 0 ? Rows<T>{} : rowsOf<T>(tensor.select(2, part));
    }

    std::int64_t parts = 0; ///< k
    double scaleX = 1;
    Activation activation = Activation::Identity;
    at::Tensor u;
    at::Tensor weightC; ///< contiguous, and so bias
    at::Tensor bias;
    at::Tensor x; ///< may be undefined, and so dropout
    at::Tensor dropout;
};

/// What the backward pass is given besides: the states as the forward pass saved them, and the gradients that come in, which may be
/// undefined. All checked.
struct SruScanGradientsIn {
    at::Tensor states;
    at::Tensor h;
    at::Tensor c;
    at::Tensor last;
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
SruScanBackward<Io, State> backwardParams(const SruScanCall& call, const SruScanGradientsIn& in,
                                          const SruScanGradients& out, const at::Tensor& partial)
{
    SruScanBackward<Io, State> p;
    call.fill(p);
    p.c = rowsOf<const Io>(in.states);
    p.gradH = rowsOf<const Io>(in.h);
    p.gradC = rowsOf<const Io>(in.c);
    p.gradLast = rowsOf<const State>(in.last);
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

template <class Device>
SruScanOutputs sruScanForward(const at::Tensor& u, const at::Tensor& weightC, const at::Tensor& bias,
                              const MaybeTensor& x, const MaybeTensor& initial, const MaybeTensor& mask,
                              const MaybeTensor& dropout, double scaleX, std::string_view activation, bool reverse)
{
    const SruScanCall call("sru_scan", {u, weightC, bias, x, initial, mask, dropout}, {scaleX, activation, reverse});
    const Device device(call.kind);
    const SruScanOutputs out = emptyOutputs(call);
    device.run(RealElements{},
               [&]<typename Io, typename State>(CallTypes<Io, State>) { return forwardParams<Io, State>(call, out); });
    return out;
}

template <class Device>
SruScanGradients sruScanBackward(const at::Tensor& u, const at::Tensor& weightC, const at::Tensor& bias,
                                 const MaybeTensor& x, const MaybeTensor& initial, const MaybeTensor& mask,
                                 const MaybeTensor& dropout, const at::Tensor& c, const MaybeTensor& gradH,
                                 const MaybeTensor& gradC, const MaybeTensor& gradLast, double scaleX,
                                 std::string_view activation, bool reverse)
{
    const SruScanCall call("sru_scan_backward", {u, weightC, bias, x, initial, mask, dropout},
                           {scaleX, activation, reverse});
    const Device device(call.kind);
    const SruScanGradientsIn in{call.sequence("c", c), call.sequence("grad_h", gradH), call.sequence("grad_c", gradC),
                                call.state("grad_last", gradLast)};
    const SruScanGradients out = emptyGradients(call);
    const at::Tensor partial = emptyPartialSums(call);
    device.run(RealElements{}, [&]<typename Io, typename State>(CallTypes<Io, State>) {
        return backwardParams<Io, State>(call, in, out, partial);
    });
    device.sumOverBatch(partial.narrow(1, 0, 2), std::get<1>(out));
    device.sumOverBatch(partial.narrow(1, 2, 2), std::get<2>(out));
    return out;
}

} // namespace unroll::kernels
