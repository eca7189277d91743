// SPDX-License-Identifier: GPL-3.0-or-later
// What the outer_scan ops are: their arguments, and how these become what the raw kernels are given.
#pragma once

#include "core/kernels/heads/head_call.h"
#include "core/kernels/outer_scan/outer_scan_params.h"

namespace unroll::kernels {

struct OuterScanArguments {
    at::Tensor q, k, v;
    MaybeTensor a, initial, mask;
    bool reverse = false;
};

struct OuterScanSpec {
    static constexpr const char* name = "outer_scan";
    using Arguments = OuterScanArguments;
    static constexpr auto fields =
        std::tuple(field::input("q", &Arguments::q), field::input("k", &Arguments::k), field::input("v", &Arguments::v),
                   field::input("a", &Arguments::a), field::initial(&Arguments::initial), field::mask(&Arguments::mask),
                   field::option("reverse", &Arguments::reverse));
    static constexpr const char* sequences[] = {"y"};

    using Elements = RealElements;
    template <typename Io, typename State>
    using Forward = OuterScanForward<Io, State>;
    template <typename Io, typename State>
    using Backward = OuterScanBackward<Io, State>;

    static SymbolicSequence symbolicSequence(const Arguments& in);
    static std::vector<c10::SymInt> symbolicState(const Arguments& in);
    struct Call;
};

struct OuterScanSpec::Call : HeadCall {
    Call(const char* op, const Arguments& in, const at::Tensor& states);

    bool isConstant() const { return a.defined() && a.dim() == 1; }
    at::Tensor constantSums() const;

    template <typename Io, typename State>
    void fillInputs(OuterScanInputs<Io, State>& pass) const
    {
        fillHeads(pass);
        if (isConstant())
            pass.constant = {a.numel() == 0 ? nullptr : static_cast<const State*>(a.const_data_ptr()), 0, 0};
        else
            pass.a = rowsOf<const Io>(a);
    }

    template <typename Io, typename State>
    void fill(OuterScanForward<Io, State>& pass, const ScanOutputs<OuterScanSpec>& out) const
    {
        fillInputs(pass);
        pass.width = sizes[2] * sizes[4];
        pass.y = rowsOf<Io>(std::get<0>(out).flatten(2));
        pass.last = rowsOf<State>(std::get<1>(out).flatten(1));
    }

    template <typename Io, typename State>
    void fill(OuterScanBackward<Io, State>& pass, const ScanBackwardTensors<OuterScanSpec>& tensors) const
    {
        const auto& [gradQ, gradK, gradV, gradA, gradInitial] = tensors.gradients;
        fillInputs(pass);
        pass.width = sizes[2] * (sizes[3] + sizes[4]);
        pass.gradY = rowsOf<const Io>(tensors.arriving[0]);
        pass.gradLast = rowsOf<const State>(tensors.arriving[1]);
        pass.gradQ = rowsOf<Io>(gradQ.flatten(2));
        pass.gradK = rowsOf<Io>(gradK.flatten(2));
        pass.gradV = rowsOf<Io>(gradV.flatten(2));
        if (pass.a)
            pass.gradA = rowsOf<Io>(gradA.flatten(2));
        pass.gradConstant = rowsOf<State>(tensors.scratch.sums);
        pass.states = rowsOf<State>(tensors.scratch.states);
        pass.factors = rowsOf<State>(tensors.scratch.factors);
        pass.gradInitial = rowsOf<State>(gradInitial.flatten(1));
    }

    /// What a pass writes besides gradients, or undefined.
    struct Scratch {
        at::Tensor sums;    ///< (B,heads decays): the gradient of a constant a, a sequence each
        at::Tensor states;  ///< by columns: (chunks,B,heads n m)
        at::Tensor factors; ///< by columns: gradients of a, of each key by itself, (T,B,heads n) or (B,heads n)
    };

    template <class Device>
    Scratch emptyScratch(const Device&) const
    {
        return Device::byColumns ? scratchOfColumns() : Scratch{constantSums(), {}, {}};
    }

    template <class Device>
    void finish(const Device& device, const ScanBackwardTensors<OuterScanSpec>& tensors) const
    {
        const at::Tensor& gradA = std::get<3>(tensors.gradients);
        if (!a.defined())
            return;
        const at::Tensor& factors = tensors.scratch.factors; // by columns
        if (isConstant())
            device.sumOverBatch(!Device::byColumns ? tensors.scratch.sums
                                : decays > 1       ? factors
                                                   : sumOverKeys(factors),
                                gradA.view({-1}));
        else if (factors.defined())
            gradA.copy_(sumOverKeys(factors).view_as(gradA));
    }

    Scratch scratchOfColumns() const;

    at::Tensor a; ///< (T,B,heads decays), (heads decays) or undefined
};

} // namespace unroll::kernels
