// SPDX-License-Identifier: GPL-3.0-or-later
// What the delta_scan ops are: their arguments, and how these become what the raw kernels are given.
#pragma once

#include "core/kernels/delta_scan/delta_scan_params.h"
#include "core/kernels/heads/head_call.h"

namespace unroll::kernels {

struct DeltaScanArguments {
    at::Tensor q, k, v, z;
    MaybeTensor b, w, initial, mask;
    bool reverse = false;
};

struct DeltaScanSpec {
    static constexpr const char* name = "delta_scan";
    using Arguments = DeltaScanArguments;
    static constexpr auto fields =
        std::tuple(field::input("q", &Arguments::q), field::input("k", &Arguments::k), field::input("v", &Arguments::v),
                   field::input("z", &Arguments::z), field::input("b", &Arguments::b), field::input("w", &Arguments::w),
                   field::initial(&Arguments::initial), field::mask(&Arguments::mask),
                   field::option("reverse", &Arguments::reverse));
    static constexpr const char* sequences[] = {"y", "u"};

    using Elements = RealElements;
    template <typename Io, typename State>
    using Forward = DeltaScanForward<Io, State>;
    template <typename Io, typename State>
    using Backward = DeltaScanBackward<Io, State>;

    static SymbolicSequence symbolicSequence(const Arguments& in);
    static std::vector<c10::SymInt> symbolicState(const Arguments& in);
    struct Call;
};

struct DeltaScanSpec::Call : HeadCall {
    Call(const char* op, const Arguments& in, const at::Tensor& u);

    template <typename Io, typename State>
    void fillInputs(DeltaScanInputs<Io, State>& pass) const
    {
        fillHeads(pass);
        pass.width = sizes[2] * sizes[4];
        pass.z = rowsOf<const Io>(z);
        pass.b = rowsOf<const Io>(b);
        pass.w = rowsOf<const Io>(w);
    }

    template <typename Io, typename State>
    void fill(DeltaScanForward<Io, State>& pass, const ScanOutputs<DeltaScanSpec>& out) const
    {
        fillInputs(pass);
        pass.y = rowsOf<Io>(std::get<0>(out).flatten(2));
        pass.u = rowsOf<Io>(std::get<1>(out).flatten(2));
        pass.last = rowsOf<State>(std::get<2>(out).flatten(1));
    }

    template <typename Io, typename State>
    void fill(DeltaScanBackward<Io, State>& pass, const ScanBackwardTensors<DeltaScanSpec>& tensors) const
    {
        const auto& [gradQ, gradK, gradV, gradZ, gradB, gradW, gradInitial] = tensors.gradients;
        fillInputs(pass);
        pass.u = rowsOf<const Io>(tensors.states);
        pass.gradY = rowsOf<const Io>(tensors.arriving[0]);
        pass.gradU = rowsOf<const Io>(tensors.arriving[1]);
        pass.gradLast = rowsOf<const State>(tensors.arriving[2]);
        pass.gradQ = rowsOf<Io>(gradQ.flatten(2));
        pass.gradK = rowsOf<Io>(gradK.flatten(2));
        pass.gradV = rowsOf<Io>(gradV.flatten(2));
        pass.gradZ = rowsOf<Io>(gradZ.flatten(2));
        if (pass.b)
            pass.gradB = rowsOf<Io>(gradB.flatten(2));
        if (pass.w)
            pass.gradW = rowsOf<Io>(gradW.flatten(2));
        pass.gradInitial = rowsOf<State>(gradInitial.flatten(1));
        pass.toU = rowsOf<State>(tensors.scratch.toU);
        pass.states = rowsOf<State>(tensors.scratch.states);
        pass.factors = rowsOf<State>(tensors.scratch.factors);
    }

    /// What threads that walk alone write besides gradients (DeltaScanBackward), or undefined.
    struct Scratch {
        at::Tensor toU, states, factors;
    };

    template <class Device>
    Scratch emptyScratch(const Device&) const
    {
        return Device::byColumns ? scratchOfThreads() : Scratch{};
    }

    /// The second pass of threads that walk alone.
    template <class Device>
    void finish(const Device& device, const ScanBackwardTensors<DeltaScanSpec>& tensors) const
    {
        if constexpr (Device::byColumns) {
            device.run(Elements{}, [&]<typename Io, typename State>(CallTypes<Io, State>) {
                DeltaScanBackward<Io, State> pass;
                fill(pass, tensors);
                pass.rows = true;
                pass.width = sizes[2] * sizes[3];
                return pass;
            });
            const at::Tensor& gradW = std::get<5>(tensors.gradients);
            if (tensors.scratch.factors.defined())
                gradW.copy_(sumOverKeys(tensors.scratch.factors).view_as(gradW));
        }
    }

    Scratch scratchOfThreads() const;

    at::Tensor z, b, w; ///< (T,B,heads n), likewise, (T,B,heads decays); b and w may be undefined
};

} // namespace unroll::kernels
