// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/kernels/matrix_scan/matrix_scan.h"

#include "core/kernels/common/on_cpu.h"
#include "core/kernels/matrix_scan/matrix_scan_cpu.h"
#include "core/kernels/matrix_scan/matrix_scan_tensors.h"

#include <ATen/core/LegacyTypeDispatch.h>
#include <torch/csrc/autograd/autograd_not_implemented_fallback.h>
#include <torch/csrc/autograd/custom_function.h>
#include <torch/library.h>

namespace unroll::kernels {
namespace {

using at::Tensor;
using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

using ForwardOp = MatrixScanOutputs(const Tensor&, const MaybeTensor&, const MaybeTensor&, bool);
using BackwardOp = MatrixScanGradients(const Tensor&, const MaybeTensor&, const MaybeTensor&, const Tensor&,
                                       const MaybeTensor&, const MaybeTensor&, bool);

const auto& forwardOp()
{
    static const auto op = opNamed<ForwardOp>("unroll::matrix_scan");
    return op;
}

const auto& backwardOp()
{
    static const auto op = opNamed<BackwardOp>("unroll::matrix_scan_backward");
    return op;
}

// Shapes only, and those may be symbols: what tracing asks for.

MatrixScanOutputs emptyMeta(const Tensor& m)
{
    TORCH_CHECK(m.dim() == 5, "matrix_scan: m has shape ", m.sym_sizes(), ", expected [steps, batch, heads, n, n]");
    return {emptySymbolicLike(m), emptySymbolicState(m, m.sym_sizes().slice(1))};
}

MatrixScanOutputs forwardMeta(const Tensor& m, const MaybeTensor&, const MaybeTensor&, bool)
{
    return emptyMeta(m);
}

MatrixScanGradients backwardMeta(const Tensor& m, const MaybeTensor&, const MaybeTensor&, const Tensor&,
                                 const MaybeTensor&, const MaybeTensor&, bool)
{
    return emptyMeta(m);
}

class MatrixScanFunction : public torch::autograd::Function<MatrixScanFunction> {
public:
    static variable_list forward(AutogradContext* context, const Tensor& m, const MaybeTensor& initial,
                                 const MaybeTensor& mask, bool reverse)
    {
        at::AutoDispatchBelowADInplaceOrView below;
        auto [h, last] = forwardOp().call(m, initial, mask, reverse);
        context->save_for_backward({m, orUndefined(initial), orUndefined(mask), h});
        context->saved_data["reverse"] = reverse;
        context->set_materialize_grads(false);
        return {h, last};
    }

    static variable_list backward(AutogradContext* context, const variable_list& grads)
    {
        const variable_list saved = context->get_saved_variables();
        const auto [m, initial] =
            backwardOp().call(saved[0], ifDefined(saved[1]), ifDefined(saved[2]), saved[3], ifDefined(grads[0]),
                              ifDefined(grads[1]), context->saved_data["reverse"].toBool());
        return {m, saved[1].defined() ? initial : Tensor(), Tensor(), Tensor()};
    }
};

MatrixScanOutputs forwardAutograd(const Tensor& m, const MaybeTensor& initial, const MaybeTensor& mask, bool reverse)
{
    const variable_list out = MatrixScanFunction::apply(m, initial, mask, reverse);
    return {out[0], out[1]};
}

} // namespace

MatrixScanResult matrixScan(const Tensor& m, const MaybeTensor& initial, const MaybeTensor& mask, bool reverse)
{
    auto [h, last] = forwardOp().call(m, initial, mask, reverse);
    return {h, last};
}

TORCH_LIBRARY_FRAGMENT(unroll, m)
{
    m.def("matrix_scan(Tensor m, Tensor? initial=None, Tensor? mask=None, *, bool reverse=False) "
          "-> (Tensor h, Tensor last)");
    m.def("matrix_scan_backward(Tensor m, Tensor? initial, Tensor? mask, Tensor h, Tensor? grad_h, Tensor? grad_last, "
          "*, bool reverse=False) -> (Tensor grad_m, Tensor grad_initial)");
}

TORCH_LIBRARY_IMPL(unroll, CPU, m)
{
    m.impl("matrix_scan", &matrixScanForward<OnCpu>);
    m.impl("matrix_scan_backward", &matrixScanBackward<OnCpu>);
}

TORCH_LIBRARY_IMPL(unroll, Meta, m)
{
    m.impl("matrix_scan", &forwardMeta);
    m.impl("matrix_scan_backward", &backwardMeta);
}

TORCH_LIBRARY_IMPL(unroll, Autograd, m)
{
    m.impl("matrix_scan", &forwardAutograd);
    m.impl("matrix_scan_backward", torch::autograd::autogradNotImplementedFallback());
}

} // namespace unroll::kernels
