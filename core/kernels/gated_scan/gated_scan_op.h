// SPDX-License-Identifier: GPL-3.0-or-later
// What the gated_scan ops are: their arguments, and how these become what the raw kernels are given.
#pragma once

#include "core/kernels/gated_scan/gated_scan_params.h"
#include "core/kernels/op/scan_op.h"

namespace unroll::kernels {

struct GatedScanArguments {
    std::vector<at::Tensor> gates;
    MaybeTensor initial, mask;
    std::string candidate = "silu";
    bool outputGate = true, reverse = false;
};

struct GatedScanSpec {
    static constexpr const char* name = "gated_scan";
    using Arguments = GatedScanArguments;
    static constexpr auto fields =
        std::tuple(field::input("gates", &Arguments::gates), field::initial(&Arguments::initial),
                   field::mask(&Arguments::mask), field::option("candidate", &Arguments::candidate),
                   field::option("output_gate", &Arguments::outputGate), field::option("reverse", &Arguments::reverse));
    static constexpr const char* sequences[] = {"u", "h"};

    using Elements = RealElements;
    template <typename Io, typename State>
    using Forward = GatedScanForward<Io, State>;
    template <typename Io, typename State>
    using Backward = GatedScanBackward<Io, State>;

    static SymbolicSequence symbolicSequence(const Arguments& in);
    struct Call;
};

/// Where one gate lies: a tensor (T,B,n*d) and the offset of the gate's part in its rows.
struct GatePart {
    std::size_t tensor = 0;
    std::int64_t offset = 0;
};

struct GatedScanSpec::Call : ScanCall {
    Call(const char* op, const Arguments& in, const at::Tensor& states);

    template <typename Io, typename State>
    void fillInputs(GatedScanInputs<Io, State>& pass) const
    {
        ScanCall::fill(pass);
        pass.candidate = candidate;
        pass.forget = part<const Io>(gates, 0);
        pass.candidates = part<const Io>(gates, 1);
        pass.output = part<const Io>(gates, 2);
        pass.initial = rowsOf<const State>(initial);
    }

    template <typename Io, typename State>
    void fill(GatedScanForward<Io, State>& pass, const ScanOutputs<GatedScanSpec>& out) const
    {
        fillInputs(pass);
        pass.u = rowsOf<Io>(std::get<0>(out));
        pass.h = rowsOf<Io>(std::get<1>(out));
        pass.last = rowsOf<State>(std::get<2>(out));
    }

    template <typename Io, typename State>
    void fill(GatedScanBackward<Io, State>& pass, const ScanBackwardTensors<GatedScanSpec>& tensors) const
    {
        const auto& [gradGates, gradInitial] = tensors.gradients;
        fillInputs(pass);
        pass.h = rowsOf<const Io>(tensors.states);
        pass.gradU = rowsOf<const Io>(tensors.arriving[0]);
        pass.gradH = rowsOf<const Io>(tensors.arriving[1]);
        pass.gradLast = rowsOf<const State>(tensors.arriving[2]);
        pass.gradForget = part<Io>(gradGates, 0);
        pass.gradCandidates = part<Io>(gradGates, 1);
        pass.gradOutput = part<Io>(gradGates, 2);
        pass.gradInitial = rowsOf<State>(gradInitial);
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

} // namespace unroll::kernels
