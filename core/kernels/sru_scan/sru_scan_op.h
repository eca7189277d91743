// SPDX-License-Identifier: GPL-3.0-or-later
// What the sru_scan ops are: their arguments, and how these become what the raw kernels are given.
#pragma once

#include "core/kernels/op/scan_op.h"
#include "core/kernels/sru_scan/sru_scan_params.h"

namespace unroll::kernels {

/// As the schema has them: sru_scan.h says what they are.
struct SruScanOpArguments {
    at::Tensor u, weightC, bias;
    MaybeTensor x, initial, mask, dropout;
    double scaleX = 1;
    std::string activation = "identity";
    bool reverse = false;
};

struct SruScanSpec {
    static constexpr const char* name = "sru_scan";
    using Arguments = SruScanOpArguments;
    static constexpr auto fields =
        std::tuple(field::input("u", &Arguments::u), field::input("weight_c", &Arguments::weightC),
                   field::input("bias", &Arguments::bias), field::input("x", &Arguments::x),
                   field::initial(&Arguments::initial), field::mask(&Arguments::mask),
                   field::constant("dropout", &Arguments::dropout), field::option("scale_x", &Arguments::scaleX),
                   field::option("activation", &Arguments::activation), field::option("reverse", &Arguments::reverse));
    static constexpr const char* sequences[] = {"h", "c"};

    using Elements = RealElements;
    template <typename Io, typename State>
    using Forward = SruScanForward<Io, State>;
    template <typename Io, typename State>
    using Backward = SruScanBackward<Io, State>;

    static SymbolicSequence symbolicSequence(const Arguments& in);
    struct Call;
};

struct SruScanSpec::Call : ScanCall {
    Call(const char* op, const Arguments& in, const at::Tensor& states);

    template <typename Io, typename State>
    void fillInputs(SruScanInputs<Io, State>& pass) const
    {
        ScanCall::fill(pass);
        pass.activation = activation;
        pass.skipScale = static_cast<State>(parts == 4 ? 1.0 : scaleX);
        pass.candidate = plane<const Io>(u, 0);
        pass.forget = plane<const Io>(u, 1);
        pass.reset = plane<const Io>(u, 2);
        pass.skip = parts == 4 ? plane<const Io>(u, 3) : rowsOf<const Io>(x);
        pass.forgetWeight = weightC.const_data_ptr<State>();
        pass.resetWeight = pass.forgetWeight + width();
        pass.forgetBias = bias.const_data_ptr<State>();
        pass.resetBias = pass.forgetBias + width();
        pass.dropout = rowsOf<const State>(dropout);
        pass.initial = rowsOf<const State>(initial);
    }

    template <typename Io, typename State>
    void fill(SruScanForward<Io, State>& pass, const ScanOutputs<SruScanSpec>& out) const
    {
        fillInputs(pass);
        pass.h = rowsOf<Io>(std::get<0>(out));
        pass.c = rowsOf<Io>(std::get<1>(out));
        pass.last = rowsOf<State>(std::get<2>(out));
    }

    template <typename Io, typename State>
    void fill(SruScanBackward<Io, State>& pass, const ScanBackwardTensors<SruScanSpec>& tensors) const
    {
        const at::Tensor &gradU = std::get<0>(tensors.gradients), &gradX = std::get<3>(tensors.gradients);
        fillInputs(pass);
        pass.c = rowsOf<const Io>(tensors.states);
        pass.gradH = rowsOf<const Io>(tensors.arriving[0]);
        pass.gradC = rowsOf<const Io>(tensors.arriving[1]);
        pass.gradLast = rowsOf<const State>(tensors.arriving[2]);
        pass.gradCandidate = plane<Io>(gradU, 0);
        pass.gradForget = plane<Io>(gradU, 1);
        pass.gradReset = plane<Io>(gradU, 2);
        pass.gradSkip = parts == 4 ? plane<Io>(gradU, 3) : rowsOf<Io>(gradX);
        pass.gradInitial = rowsOf<State>(std::get<4>(tensors.gradients));
        pass.gradWeights = tensors.sums.mutable_data_ptr<State>();
    }

    /// Part number `part` of a (T,B,k,d) tensor.
    template <typename T>
    static Rows<T> plane(const at::Tensor& tensor, std::int64_t part)
    {
        return tensor.numel() == 0 ? Rows<T>{} : rowsOf<T>(tensor.select(2, part));
    }

    /// (B,4,d), see SruScanBackward::gradWeights.
    at::Tensor emptySums() const { return at::empty({batch(), 4, width()}, weightC.options()); }

    template <class Device>
    void sum(const Device& device, const at::Tensor& sums, const ScanOp<SruScanSpec>::Gradients& gradients) const
    {
        device.sumOverBatch(sums.narrow(1, 0, 2), std::get<1>(gradients));
        device.sumOverBatch(sums.narrow(1, 2, 2), std::get<2>(gradients));
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

} // namespace unroll::kernels
