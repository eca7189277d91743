// SPDX-License-Identifier: GPL-3.0-or-later
// What the cfc_steps ops are: their arguments, checked and turned into what the raw kernels are given.
#pragma once

#include "core/kernels/cfc_steps/cfc_steps.h"
#include "core/kernels/cfc_steps/cfc_steps_params.h"
#include "core/kernels/op/scan_op.h"
#include "core/kernels/op/weight_gradient.h"

namespace unroll::kernels {

struct CfcStepsSpec {
    static constexpr const char* name = "cfc_steps";
    using Arguments = CfcStepsArguments;
    static constexpr auto fields =
        std::tuple(field::forwardInput("u", &Arguments::u), field::input("weight", &Arguments::weight),
                   field::input("heads", &Arguments::heads), field::input("bias", &Arguments::bias),
                   field::input("time", &Arguments::time), field::initial(&Arguments::initial),
                   field::mask(&Arguments::mask), field::option("activation", &Arguments::activation),
                   field::option("gated", &Arguments::gated), field::option("reverse", &Arguments::reverse));
    static constexpr const char* sequences[] = {"h", "walked"};

    /// Of the output of that index.
    static SymbolicSequence symbolicSequence(const Arguments& in, std::size_t output);
    static std::vector<c10::SymInt> symbolicState(const Arguments& in, const at::Tensor& sequence);
    /// Sizes of u.
    static std::vector<c10::SymInt> symbolicForwardInput(const Arguments& in, const at::Tensor& walked);
};

using CfcStepsOutputs = ScanOutputs<CfcStepsSpec>;         ///< h, walked, last
using CfcStepsGradients = ScanOp<CfcStepsSpec>::Gradients; ///< of u, weight, heads, bias, time, initial
using CfcStepsBackwardArguments = ScanOp<CfcStepsSpec>::BackwardArguments;

/// The arguments common to both passes, checked. Holds the tensors that the raw views point into. `like` is u, or
/// walked in the backward pass, and sets the type, the steps and the batch.
struct CfcStepsCall {
    CfcStepsCall(const char* op, const char* likeName, const at::Tensor& like, const CfcStepsArguments& in);

    /// Packs both weights, each as it is or transposed: before fill().
    void pack(bool transposed);

    /// One by one, as they are given.
    std::vector<at::Tensor> gradientsOfHeads(const at::Tensor& gradSums, const at::Tensor& features) const;

    std::int64_t width() const { return scan.width(); }
    std::int64_t headsWidth() const { return kCfcHeads * width(); }
    std::int64_t walkedWidth() const { return width() + backbone + headsWidth(); }

    template <typename Io, typename State>
    void fill(CfcStepsInputs<Io, State>& p) const
    {
        scan.fill(p);
        p.backbone = backbone;
        p.activation = activation;
        p.isGated = isGated;
        p.initial = rowsOf<const State>(scan.initial);
        p.time = rowsOf<const Io>(time);
        p.ofState = packedWeight.view<State>();
        p.heads = packedHeads.view<State>();
    }

    std::int64_t backbone;
    CfcActivation activation;
    bool isGated;
    ScanCall scan; ///< steps, batch and the state's width
    at::Tensor weight;
    std::vector<at::Tensor> heads;
    at::Tensor bias;
    at::Tensor time; ///< may be undefined
    PackedWeight packedWeight, packedHeads;
};

class OnCpu;

template <>
CfcStepsOutputs scanForward<CfcStepsSpec, OnCpu>(const CfcStepsArguments& in);
template <>
CfcStepsGradients scanBackward<CfcStepsSpec, OnCpu>(const CfcStepsBackwardArguments& in);

} // namespace unroll::kernels
