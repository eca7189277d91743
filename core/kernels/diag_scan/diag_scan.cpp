// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/kernels/diag_scan/diag_scan.h"

#include "core/kernels/common/batch_sum.h"
#include "core/kernels/common/parallel_columns.h"
#include "core/kernels/diag_scan/diag_scan_cpu.h"
#include "core/kernels/diag_scan/diag_scan_tensors.h"

#include <ATen/core/LegacyTypeDispatch.h>
#include <ATen/ops/empty.h>
#include <torch/csrc/autograd/autograd_not_implemented_fallback.h>
#include <torch/csrc/autograd/custom_function.h>
#include <torch/library.h>

namespace unroll::kernels {
namespace {

using at::Tensor;
using MaybeTensor = std::optional<Tensor>;
using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

using ForwardOp = DiagScanOutputs(const Tensor&, const Tensor&, const MaybeTensor&, const MaybeTensor&, bool);
using BackwardOp = DiagScanGradients(const Tensor&, const MaybeTensor&, const MaybeTensor&, const Tensor&,
                                     const MaybeTensor&, const MaybeTensor&, bool);

const auto& forwardOp()
{
    static const auto op = c10::Dispatcher::singleton().findSchemaOrThrow("unroll::diag_scan", "").typed<ForwardOp>();
    return op;
}

const auto& backwardOp()
{
    static const auto op =
        c10::Dispatcher::singleton().findSchemaOrThrow("unroll::diag_scan_backward", "").typed<BackwardOp>();
    return op;
}

/// Calls run(T{}) with the element type of a call.
template <class Run>
void withElement(at::ScalarType type, const Run& run)
{
    switch (type) {
    case at::kDouble: return run(double{});
    case at::kComplexFloat: return run(ComplexPair<float>{});
    case at::kComplexDouble: return run(ComplexPair<double>{});
    default: return run(float{});
    }
}

DiagScanOutputs forwardCpu(const Tensor& a, const Tensor& b, const MaybeTensor& initial, const MaybeTensor& mask,
                           bool reverse)
{
    const DiagScanCall call("diag_scan", "b", b, a, initial, mask, reverse);
    const DiagScanOutputs out = emptyOutputs(call);
    withElement(call.kind.io, [&]<typename T>(T) {
        const auto params = forwardParams<T, T>(call, out);
        parallelColumns(call.batch, call.width, call.steps,
                        [&](ColumnRange columns) { diagScanForwardCpu(params, columns); });
    });
    return out;
}

/// The gradient of a constant a: the sequences' sums, joined.
template <typename T>
void joinSums(const DiagScanCall& call, const Tensor& sums, const Tensor& gradA)
{
    using Real = typename Parts<T>::Real;
    const std::int64_t count = Parts<T>::count * call.width;
    sumOverBatch(static_cast<const Real*>(sums.const_data_ptr()), call.batch, count, count,
                 static_cast<Real*>(gradA.mutable_data_ptr()));
}

DiagScanGradients backwardCpu(const Tensor& a, const MaybeTensor& initial, const MaybeTensor& mask, const Tensor& h,
                              const MaybeTensor& gradH, const MaybeTensor& gradLast, bool reverse)
{
    const DiagScanCall call("diag_scan_backward", "h", h, a, initial, mask, reverse);
    const DiagScanGradientsIn in(call, gradH, gradLast);
    const DiagScanGradients out = emptyGradients(call);
    const Tensor sums = emptySums(call);
    withElement(call.kind.io, [&]<typename T>(T) {
        const auto params = backwardParams<T, T>(call, in, out, sums);
        parallelColumns(call.batch, call.width, call.steps,
                        [&](ColumnRange columns) { diagScanBackwardCpu(params, columns); });
        if (call.hasConstant())
            joinSums<T>(call, sums, std::get<0>(out));
    });
    return out;
}

// Shapes only, and those may be symbols: what tracing asks for.

at::TensorOptions stateOptions(const Tensor& sequence)
{
    return sequence.options().dtype(sequence.scalar_type() == at::kBFloat16 ? at::kFloat : sequence.scalar_type());
}

Tensor emptyLikeSequence(const Tensor& sequence)
{
    return at::empty_symint(sequence.sym_sizes(), sequence.options());
}

Tensor emptyStateOf(const Tensor& sequence)
{
    return at::empty_symint({sequence.sym_size(1), sequence.sym_size(2)}, stateOptions(sequence));
}

DiagScanOutputs forwardMeta(const Tensor&, const Tensor& b, const MaybeTensor&, const MaybeTensor&, bool)
{
    TORCH_CHECK(b.dim() == 3, "diag_scan: b has shape ", b.sym_sizes(), ", expected [steps, batch, width]");
    return {emptyLikeSequence(b), emptyStateOf(b)};
}

DiagScanGradients backwardMeta(const Tensor& a, const MaybeTensor&, const MaybeTensor&, const Tensor& h,
                               const MaybeTensor&, const MaybeTensor&, bool)
{
    return {emptyLikeSequence(a), emptyLikeSequence(h), emptyStateOf(h)};
}

class DiagScanFunction : public torch::autograd::Function<DiagScanFunction> {
public:
    static variable_list forward(AutogradContext* context, const Tensor& a, const Tensor& b, const MaybeTensor& initial,
                                 const MaybeTensor& mask, bool reverse)
    {
        at::AutoDispatchBelowADInplaceOrView below;
        auto [h, last] = forwardOp().call(a, b, initial, mask, reverse);
        context->save_for_backward({a, orUndefined(initial), orUndefined(mask), h});
        context->saved_data["reverse"] = reverse;
        context->set_materialize_grads(false);
        return {h, last};
    }

    static variable_list backward(AutogradContext* context, const variable_list& grads)
    {
        const variable_list saved = context->get_saved_variables();
        const auto [a, b, initial] =
            backwardOp().call(saved[0], ifDefined(saved[1]), ifDefined(saved[2]), saved[3], ifDefined(grads[0]),
                              ifDefined(grads[1]), context->saved_data["reverse"].toBool());
        return {a, b, saved[1].defined() ? initial : Tensor(), Tensor(), Tensor()};
    }
};

DiagScanOutputs forwardAutograd(const Tensor& a, const Tensor& b, const MaybeTensor& initial, const MaybeTensor& mask,
                                bool reverse)
{
    const variable_list out = DiagScanFunction::apply(a, b, initial, mask, reverse);
    return {out[0], out[1]};
}

} // namespace

DiagScanResult diagScan(const Tensor& a, const Tensor& b, const MaybeTensor& initial, const MaybeTensor& mask,
                        bool reverse)
{
    auto [h, last] = forwardOp().call(a, b, initial, mask, reverse);
    return {h, last};
}

TORCH_LIBRARY_FRAGMENT(unroll, m)
{
    m.def("diag_scan(Tensor a, Tensor b, Tensor? initial=None, Tensor? mask=None, *, bool reverse=False) "
          "-> (Tensor h, Tensor last)");
    m.def("diag_scan_backward(Tensor a, Tensor? initial, Tensor? mask, Tensor h, Tensor? grad_h, Tensor? grad_last, "
          "*, bool reverse=False) -> (Tensor grad_a, Tensor grad_b, Tensor grad_initial)");
}

TORCH_LIBRARY_IMPL(unroll, CPU, m)
{
    m.impl("diag_scan", &forwardCpu);
    m.impl("diag_scan_backward", &backwardCpu);
}

TORCH_LIBRARY_IMPL(unroll, Meta, m)
{
    m.impl("diag_scan", &forwardMeta);
    m.impl("diag_scan_backward", &backwardMeta);
}

TORCH_LIBRARY_IMPL(unroll, Autograd, m)
{
    m.impl("diag_scan", &forwardAutograd);
    m.impl("diag_scan_backward", torch::autograd::autogradNotImplementedFallback());
}

} // namespace unroll::kernels
