// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/kernels/ternary/ternary.h"

#include "core/kernels/op/scan_call.h"
#include "core/kernels/ternary/ternary_gradients.h"
#include "core/kernels/ternary/ternary_shares.h"
#include "core/kernels/ternary/ternary_tensors.h"

#include <ATen/TensorOperators.h>
#include <ATen/core/LegacyTypeDispatch.h>
#include <ATen/ops/empty.h>
#include <torch/csrc/autograd/autograd_not_implemented_fallback.h>
#include <torch/csrc/autograd/custom_function.h>
#include <torch/library.h>

#include <string>

namespace unroll::kernels {
namespace {

using at::Tensor;
using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

template <class Signature>
using Op = c10::TypedOperatorHandle<Signature>;

/// The ops that the layer is made of.
struct Parts {
    using Rows = decltype(ternaryRowsOn<TernaryOnCpu>);
    using Pack = decltype(ternaryPackOn<TernaryOnCpu>);
    using Unpack = decltype(ternaryUnpackOn<TernaryOnCpu>);
    using Product = decltype(ternaryProductOn<TernaryOnCpu>);
    using Layer = decltype(ternaryLayerOn<TernaryOnCpu>);
    using NormBackward = decltype(ternaryNormBackwardOn<TernaryOnCpu>);

    Op<Rows> rows = opNamed<Rows>("ternary_rows");
    Op<Pack> pack = opNamed<Pack>("ternary_pack");
    Op<Unpack> unpack = opNamed<Unpack>("ternary_unpack");
    Op<Product> product = opNamed<Product>("ternary_product");
    Op<Layer> layer = opNamed<Layer>("ternary_layer");
    Op<NormBackward> normBackward = opNamed<NormBackward>("ternary_norm_backward");
};

const Parts& parts()
{
    static const Parts found;
    return found;
}

Tensor emptyRows(const Tensor& like, const c10::SymInt& last, at::ScalarType type)
{
    c10::SymDimVector sizes(like.sym_sizes().begin(), like.sym_sizes().end());
    sizes.back() = last;
    return at::empty_symint(sizes, like.options().dtype(type));
}

ThreeTensors rowsMeta(const Tensor& x, const Tensor&, double)
{
    return {emptyRows(x, x.sym_size(-1), at::kChar), emptyRows(x, 1, at::kFloat), emptyRows(x, 1, at::kFloat)};
}

TwoTensors packMeta(const Tensor& weight, std::int64_t scales)
{
    TORCH_CHECK(weight.dim() == 2, "ternary_pack: weight has shape ", weight.sym_sizes(),
                ", expected [outputs, inputs]");
    const PackedShape shape{weight.size(0), weight.size(1)};
    return {at::empty({shape.panels(), shape.groups(), kPanelBytes}, weight.options().dtype(at::kByte)),
            at::empty({scales}, weight.options())};
}

Tensor unpackMeta(const Tensor&, const Tensor& scale, std::int64_t out, std::int64_t in)
{
    return at::empty({out, in}, scale.options());
}

Tensor productMeta(const Tensor& codes, const Tensor&, const Tensor&, const Tensor&, const MaybeTensor&,
                   std::int64_t out)
{
    return emptyRows(codes, out, at::kFloat);
}

FourTensors layerMeta(const Tensor& x, const Tensor& gain, const Tensor&, const Tensor&, const MaybeTensor&,
                      std::int64_t out, double epsilon)
{
    auto [codes, step, inverseRms] = rowsMeta(x, gain, epsilon);
    return {emptyRows(x, out, at::kFloat), codes, step, inverseRms};
}

TwoTensors normBackwardMeta(const Tensor&, const Tensor& x, const Tensor&, const Tensor& gain)
{
    return {emptyRows(x, x.sym_size(-1), at::kFloat), emptyRows(gain, gain.sym_size(-1), at::kFloat)};
}

class TernaryDenseFunction : public torch::autograd::Function<TernaryDenseFunction> {
public:
    static Tensor forward(AutogradContext* context, const Tensor& x, const Tensor& gain, const Tensor& weight,
                          const MaybeTensor& bias, const TernaryForm& form)
    {
        at::AutoDispatchBelowADInplaceOrView below;
        const TernaryWeight ternary = packTernary(weight, form.scales);
        const auto [y, rows] = ternaryLayer(x, gain, ternary, bias, form.epsilon);
        context->save_for_backward(
            {x, gain, weight, rows.codes, rows.step, rows.inverseRms, ternary.packed, ternary.scale});
        context->saved_data["bias"] = bias && bias->defined();
        context->saved_data["gradient"] = static_cast<std::int64_t>(form.gradient);
        return y;
    }

    static variable_list backward(AutogradContext* context, const variable_list& grads)
    {
        const variable_list saved = context->get_saved_variables();
        const Tensor &x = saved[0], &gain = saved[1], &weight = saved[2];
        const std::int64_t out = weight.size(0), in = weight.size(1);
        const Tensor dy = grads[0].reshape({-1, out});
        const TernaryFactors factors{{saved[6], saved[7], out, in}, saved[3], saved[4]};
        Tensor dx, dGain, dWeight, dBias;
        if (context->needs_input_grad(0) || context->needs_input_grad(1)) {
            const Tensor dn = gradientOfTernaryRows(dy, factors).view_symint(x.sym_sizes());
            std::tie(dx, dGain) = parts().normBackward.call(dn, x, saved[5], gain);
        }
        const bool wantsBias = context->saved_data["bias"].toBool() && context->needs_input_grad(3);
        if (context->needs_input_grad(2)) {
            const TernaryForm form = {.gradient = static_cast<TernaryGradient>(context->saved_data["gradient"].toInt()),
                                      .scales = saved[7].size(0)};
            const bool isKeras = form.gradient == TernaryGradient::Keras;
            const Tensor effective = gradientOfTernaryWeight(dy, factors, wantsBias ? &dBias : nullptr);
            dWeight = ternaryWeightGradient(effective, isKeras ? unpackTernary(factors.weight) : Tensor(), saved[7],
                                            weight, form);
        } else if (wantsBias) {
            dBias = dy.sum(0);
        }
        return {dx, dGain, dWeight, dBias, Tensor()};
    }
};

TernaryGradient gradientNamed(const std::string& name)
{
    TORCH_CHECK(name == "straight_through" || name == "keras", "ternary_dense: gradient is \"", name,
                "\", expected straight_through or keras");
    return name == "keras" ? TernaryGradient::Keras : TernaryGradient::StraightThrough;
}

Tensor ternaryDenseOp(const Tensor& x, const Tensor& gain, const Tensor& weight, const MaybeTensor& bias,
                      c10::string_view gradient, std::int64_t scales, double epsilon)
{
    const TernaryForm form = {gradientNamed(std::string(gradient)), scales, epsilon};
    return ternaryDense(x, gain, weight, bias, form);
}

} // namespace

Tensor ternaryDense(const Tensor& x, const Tensor& gain, const Tensor& weight, const MaybeTensor& bias,
                    const TernaryForm& form)
{
    TORCH_CHECK(weight.dim() == 2 && x.dim() >= 1 && weight.sym_size(1) == x.sym_size(-1),
                "ternary_dense: weight has shape ", weight.sym_sizes(), " and x ", x.sym_sizes(),
                ", expected [outputs, inputs] and [..., inputs]");
    return TernaryDenseFunction::apply(x, gain, weight, bias, form);
}

TernaryRows ternaryRows(const Tensor& x, const Tensor& gain, double epsilon)
{
    auto [codes, step, inverseRms] = parts().rows.call(x, gain, epsilon);
    return {codes, step, inverseRms};
}

TernaryWeight packTernary(const Tensor& weight, std::int64_t scales)
{
    auto [packed, scale] = parts().pack.call(weight, scales);
    return {packed, scale, weight.size(0), weight.size(1)};
}

Tensor unpackTernary(const TernaryWeight& weight)
{
    return parts().unpack.call(weight.packed, weight.scale, weight.out, weight.in);
}

Tensor ternaryProduct(const TernaryRows& rows, const TernaryWeight& weight, const MaybeTensor& bias)
{
    return parts().product.call(rows.codes, rows.step, weight.packed, weight.scale, bias, weight.out);
}

TernaryPass ternaryLayer(const Tensor& x, const Tensor& gain, const TernaryWeight& weight, const MaybeTensor& bias,
                         double epsilon)
{
    auto [y, codes, step, inverseRms] =
        parts().layer.call(x, gain, weight.packed, weight.scale, bias, weight.out, epsilon);
    return {y, {codes, step, inverseRms}};
}

Tensor ternaryWeightGradient(const Tensor& gradient, const Tensor& effective, const Tensor& scale, const Tensor& weight,
                             const TernaryForm& form)
{
    if (form.gradient == TernaryGradient::StraightThrough)
        return gradient;
    const Tensor groups = gradient.reshape({form.scales, -1}), a = scale.view({form.scales, 1});
    const Tensor throughScale = (groups * effective.view({form.scales, -1})).mean({1}, true) / a;
    // Below the floor the scale does not move with the weight.
    const Tensor moves = throughScale * a.gt(kTernaryFloor);
    return (groups * a + weight.sign().reshape({form.scales, -1}) * moves).view(weight.sizes());
}

TORCH_LIBRARY_FRAGMENT(unroll, m)
{
    m.def("ternary_rows(Tensor x, Tensor gain, *, float epsilon=1e-08) "
          "-> (Tensor codes, Tensor step, Tensor inverse_rms)");
    m.def("ternary_pack(Tensor weight, *, int scales=1) -> (Tensor packed, Tensor scale)");
    m.def("ternary_unpack(Tensor packed, Tensor scale, int outputs, int inputs) -> Tensor");
    m.def("ternary_product(Tensor codes, Tensor step, Tensor packed, Tensor scale, Tensor? bias, int outputs) "
          "-> Tensor");
    m.def("ternary_layer(Tensor x, Tensor gain, Tensor packed, Tensor scale, Tensor? bias, int outputs, *, "
          "float epsilon=1e-08) -> (Tensor y, Tensor codes, Tensor step, Tensor inverse_rms)");
    m.def("ternary_norm_backward(Tensor grad_n, Tensor x, Tensor inverse_rms, Tensor gain) "
          "-> (Tensor grad_x, Tensor grad_gain)");
    m.def("ternary_dense(Tensor x, Tensor gain, Tensor weight, Tensor? bias=None, *, "
          "str gradient=\"straight_through\", int scales=1, float epsilon=1e-08) -> Tensor",
          &ternaryDenseOp); // its gradient is the function's, on any device that has the others
}

TORCH_LIBRARY_IMPL(unroll, CPU, m)
{
    m.impl("ternary_rows", &ternaryRowsOn<TernaryOnCpu>);
    m.impl("ternary_pack", &ternaryPackOn<TernaryOnCpu>);
    m.impl("ternary_unpack", &ternaryUnpackOn<TernaryOnCpu>);
    m.impl("ternary_product", &ternaryProductOn<TernaryOnCpu>);
    m.impl("ternary_layer", &ternaryLayerOn<TernaryOnCpu>);
    m.impl("ternary_norm_backward", &ternaryNormBackwardOn<TernaryOnCpu>);
}

TORCH_LIBRARY_IMPL(unroll, Meta, m)
{
    m.impl("ternary_rows", &rowsMeta);
    m.impl("ternary_pack", &packMeta);
    m.impl("ternary_unpack", &unpackMeta);
    m.impl("ternary_product", &productMeta);
    m.impl("ternary_layer", &layerMeta);
    m.impl("ternary_norm_backward", &normBackwardMeta);
}

TORCH_LIBRARY_IMPL(unroll, Autograd, m)
{
    for (const char* part : {"ternary_rows", "ternary_pack", "ternary_unpack", "ternary_product", "ternary_layer",
                             "ternary_norm_backward"})
        m.impl(part, torch::autograd::autogradNotImplementedFallback());
}

} // namespace unroll::kernels
