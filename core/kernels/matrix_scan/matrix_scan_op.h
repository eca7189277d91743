// SPDX-License-Identifier: GPL-3.0-or-later
// What the matrix_scan ops are: their arguments, and how these become what the raw kernels are given.
#pragma once

#include "core/kernels/matrix_scan/matrix_scan_params.h"
#include "core/kernels/op/scan_op.h"

namespace unroll::kernels {

struct MatrixScanArguments {
    at::Tensor m;
    MaybeTensor initial, mask;
    bool reverse = false;
};

struct MatrixScanSpec {
    static constexpr const char* name = "matrix_scan";
    using Arguments = MatrixScanArguments;
    static constexpr auto fields =
        std::tuple(field::input("m", &Arguments::m), field::initial(&Arguments::initial), field::mask(&Arguments::mask),
                   field::option("reverse", &Arguments::reverse));
    static constexpr const char* sequences[] = {"h"};

    using Elements = RealElements;
    template <typename Io, typename State>
    using Forward = MatrixScanForward<Io, State>;
    template <typename Io, typename State>
    using Backward = MatrixScanBackward<Io, State>;

    static SymbolicSequence symbolicSequence(const Arguments& in);
    struct Call;
};

struct MatrixScanSpec::Call : ScanCall {
    Call(const char* op, const Arguments& in, const at::Tensor& states);

    /// ScanCall's with the matrices joined: (T,B,heads n n), (B,heads n n).
    at::Tensor sequence(const char* name, const MaybeTensor& tensor) const;
    at::Tensor state(const char* name, const MaybeTensor& tensor) const;

    template <typename Io, typename State>
    void fillInputs(MatrixScanInputs<Io, State>& pass) const
    {
        ScanCall::fill(pass);
        pass.size = sizes.back();
        pass.width = sizes[2] * sizes[3];
        pass.m = rowsOf<const Io>(m);
        pass.initial = rowsOf<const State>(joinedInitial);
    }

    template <typename Io, typename State>
    void fill(MatrixScanForward<Io, State>& pass, const ScanOutputs<MatrixScanSpec>& out) const
    {
        fillInputs(pass);
        pass.h = rowsOf<Io>(std::get<0>(out).flatten(2));
        pass.last = rowsOf<State>(std::get<1>(out).flatten(1));
    }

    template <typename Io, typename State>
    void fill(MatrixScanBackward<Io, State>& pass, const ScanBackwardTensors<MatrixScanSpec>& tensors) const
    {
        fillInputs(pass);
        pass.h = rowsOf<const Io>(tensors.states);
        pass.gradH = rowsOf<const Io>(tensors.arriving[0]);
        pass.gradLast = rowsOf<const State>(tensors.arriving[1]);
        pass.gradM = rowsOf<Io>(std::get<0>(tensors.gradients).flatten(2));
        pass.gradInitial = rowsOf<State>(std::get<1>(tensors.gradients).flatten(1));
    }

    at::Tensor m;             ///< (T,B,heads n n)
    at::Tensor joinedInitial; ///< (B,heads n n); the identity where none was given
};

} // namespace unroll::kernels
