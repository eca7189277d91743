// SPDX-License-Identifier: GPL-3.0-or-later
// What the diag_scan ops are: their arguments, and how these become what the raw kernels are given.
#pragma once

#include "core/kernels/diag_scan/diag_scan_params.h"
#include "core/kernels/op/scan_op.h"

namespace unroll::kernels {

struct DiagScanArguments {
    at::Tensor a, b;
    MaybeTensor initial, mask;
    bool reverse = false;
};

struct DiagScanSpec {
    static constexpr const char* name = "diag_scan";
    using Arguments = DiagScanArguments;
    static constexpr auto fields = std::tuple(field::input("a", &Arguments::a), field::forwardInput("b", &Arguments::b),
                                              field::initial(&Arguments::initial), field::mask(&Arguments::mask),
                                              field::option("reverse", &Arguments::reverse));
    static constexpr const char* sequences[] = {"h"};

    using Elements = RealOrComplexElements;
    template <typename Io, typename State>
    using Forward = DiagScanForward<Io, State>;
    template <typename Io, typename State>
    using Backward = DiagScanBackward<Io, State>;

    static SymbolicSequence symbolicSequence(const Arguments& in);
    struct Call;
};

/// Sizes and type are those of b on the way forward, of h on the way back.
struct DiagScanSpec::Call : ScanCall {
    Call(const char* op, const Arguments& in, const at::Tensor& states);

    bool hasConstant() const { return a.dim() == 1; }

    template <typename Io, typename State>
    void fillInputs(DiagScanInputs<Io, State>& pass) const
    {
        ScanCall::fill(pass);
        if (hasConstant())
            pass.constant = {a.numel() == 0 ? nullptr : static_cast<const State*>(a.const_data_ptr()), 0, 0};
        else
            pass.a = rowsOf<const Io>(a);
        pass.initial = rowsOf<const State>(initial);
    }

    template <typename Io, typename State>
    void fill(DiagScanForward<Io, State>& pass, const ScanOutputs<DiagScanSpec>& out) const
    {
        fillInputs(pass);
        pass.b = rowsOf<const Io>(b);
        pass.h = rowsOf<Io>(std::get<0>(out));
        pass.last = rowsOf<State>(std::get<1>(out));
    }

    template <typename Io, typename State>
    void fill(DiagScanBackward<Io, State>& pass, const ScanBackwardTensors<DiagScanSpec>& tensors) const
    {
        const auto& [gradA, gradB, gradInitial] = tensors.gradients;
        fillInputs(pass);
        pass.h = rowsOf<const Io>(tensors.states);
        pass.gradH = rowsOf<const Io>(tensors.arriving[0]);
        pass.gradLast = rowsOf<const State>(tensors.arriving[1]);
        if (!hasConstant())
            pass.gradA = rowsOf<Io>(gradA);
        pass.gradConstant = rowsOf<State>(tensors.sums);
        pass.gradB = rowsOf<Io>(gradB);
        pass.gradInitial = rowsOf<State>(gradInitial);
    }

    /// (B,d) takes the gradient of a constant a, a sequence each; undefined where a is one a step.
    at::Tensor emptySums() const { return hasConstant() ? emptyState() : at::Tensor(); }

    template <class Device>
    void sum(const Device& device, const at::Tensor& sums, const ScanOp<DiagScanSpec>::Gradients& gradients) const
    {
        if (hasConstant())
            device.sumOverBatch(sums, std::get<0>(gradients));
    }

    at::Tensor b; ///< with contiguous rows; on the way forward alone
    at::Tensor a; ///< (T,B,d) or (d)
};

} // namespace unroll::kernels
