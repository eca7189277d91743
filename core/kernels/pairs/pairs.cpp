// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/kernels/pairs/pairs.h"

#include "core/kernels/common/parallel_columns.h"
#include "core/kernels/common/scan_call.h"
#include "core/kernels/pairs/pairs_cpu.h"

#include <ATen/core/LegacyTypeDispatch.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/empty_like.h>
#include <torch/csrc/autograd/autograd_not_implemented_fallback.h>
#include <torch/csrc/autograd/custom_function.h>
#include <torch/library.h>

#include <algorithm>
#include <tuple>

namespace unroll::kernels {
namespace {

using at::Tensor;
using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

using TwoTensors = std::tuple<Tensor, Tensor>;
using ThreeTensors = std::tuple<Tensor, Tensor, Tensor>;

const auto& joinOp()
{
    static const auto op = opNamed<Tensor(const Tensor&, const Tensor&, const MaybeTensor&)>("unroll::join_pairs");
    return op;
}

const auto& joinBackwardOp()
{
    static const auto op = opNamed<ThreeTensors(const Tensor&, const Tensor&, const Tensor&, const Tensor&)>(
        "unroll::join_pairs_backward");
    return op;
}

const auto& splitOp()
{
    static const auto op = opNamed<TwoTensors(const Tensor&)>("unroll::split_pairs");
    return op;
}

template <class Size>
std::vector<Size> withTwo(c10::ArrayRef<Size> sizes)
{
    std::vector<Size> pairs = sizes.vec();
    pairs.push_back(2);
    return pairs;
}

template <class Size>
c10::ArrayRef<Size> withoutTwo(const char* op, c10::ArrayRef<Size> sizes)
{
    TORCH_CHECK(sizes.size() >= 2 && sizes.back() == 2, op, ": pairs has shape ", sizes, ", expected [..., N, 2]");
    return sizes.slice(0, sizes.size() - 1);
}

/// Calls body(p, columns, T{}) for columns of all rows of `parts` [..., N], on all threads. An undefined scale is 1.
template <class Body>
void onColumns(const Tensor& parts, const Tensor& scale, const Body& body)
{
    if (parts.numel() == 0)
        return;
    const auto columns = [&]<typename T>(T) {
        const std::int64_t width = parts.size(-1);
        const PairedRows<T> p{parts.numel() / width, width, scale.defined() ? scale.const_data_ptr<T>() : nullptr};
        parallelColumns(1, width, p.rows, [&](ColumnRange range) { body(p, range, T{}); });
    };
    parts.scalar_type() == at::kDouble ? columns(0.0) : columns(0.0F);
}

Tensor checkedScale(const CallKind& kind, const MaybeTensor& scale, const Tensor& parts)
{
    if (!scale || !scale->defined())
        return {};
    checkTensor(kind, "scale", *scale, {parts.size(-1)}, kind.io);
    return scale->contiguous();
}

Tensor joinForward(const Tensor& re, const Tensor& im, const MaybeTensor& maybeScale)
{
    const CallKind kind = kindOf("join_pairs", "re", re);
    TORCH_CHECK(re.dim() >= 1, "join_pairs: re is a single number, expected [..., N]");
    checkTensor(kind, "im", im, re.sizes(), kind.io);
    const Tensor r = re.contiguous(), i = im.contiguous(), scale = checkedScale(kind, maybeScale, re);
    Tensor pairs = at::empty(withTwo(re.sizes()), re.options());
    onColumns(r, scale, [&]<typename T>(const auto& p, ColumnRange columns, T) {
        joinOnCpu(p, columns, r.const_data_ptr<T>(), i.const_data_ptr<T>(), pairs.mutable_data_ptr<T>());
    });
    return pairs;
}

TwoTensors splitForward(const Tensor& pairs)
{
    kindOf("split_pairs", "pairs", pairs);
    const auto sizes = withoutTwo("split_pairs", pairs.sizes());
    const Tensor from = pairs.contiguous();
    Tensor re = at::empty(sizes, pairs.options()), im = at::empty(sizes, pairs.options());
    onColumns(re, {}, [&]<typename T>(const auto& p, ColumnRange columns, T) {
        splitOnCpu(p, columns, from.const_data_ptr<T>(), re.mutable_data_ptr<T>(), im.mutable_data_ptr<T>());
    });
    return {re, im};
}

ThreeTensors joinBackward(const Tensor& grad, const Tensor& re, const Tensor& im, const Tensor& scale)
{
    const CallKind kind = kindOf("join_pairs_backward", "re", re);
    checkTensor(kind, "im", im, re.sizes(), kind.io);
    checkTensor(kind, "grad", grad, withTwo(re.sizes()), kind.io);
    const Tensor s = checkedScale(kind, scale, re), dPairs = grad.contiguous(), r = re.contiguous(),
                 i = im.contiguous();
    Tensor dRe = at::empty_like(r), dIm = at::empty_like(r), dScale = at::empty_like(s);
    if (re.numel() == 0)
        dScale.zero_();
    onColumns(r, s, [&]<typename T>(const auto& p, ColumnRange columns, T) {
        joinBackwardOnCpu(p, columns,
                          {dPairs.const_data_ptr<T>(), r.const_data_ptr<T>(), i.const_data_ptr<T>(),
                           dRe.mutable_data_ptr<T>(), dIm.mutable_data_ptr<T>(), dScale.mutable_data_ptr<T>()});
    });
    return {dRe, dIm, dScale};
}

Tensor joinMeta(const Tensor& re, const Tensor&, const MaybeTensor&)
{
    return at::empty_symint(withTwo(re.sym_sizes()), re.options());
}

ThreeTensors joinBackwardMeta(const Tensor&, const Tensor& re, const Tensor& im, const Tensor& scale)
{
    return {emptySymbolicLike(re), emptySymbolicLike(im), emptySymbolicLike(scale)};
}

TwoTensors splitMeta(const Tensor& pairs)
{
    const auto sizes = withoutTwo("split_pairs", pairs.sym_sizes());
    return {at::empty_symint(sizes, pairs.options()), at::empty_symint(sizes, pairs.options())};
}

struct JoinPairs : torch::autograd::Function<JoinPairs> {
    static Tensor forward(AutogradContext* context, const Tensor& re, const Tensor& im, const MaybeTensor& scale)
    {
        at::AutoDispatchBelowADInplaceOrView below;
        const Tensor given = orUndefined(scale);
        context->save_for_backward(given.defined() ? variable_list{re, im, given} : variable_list{});
        return joinOp().call(re, im, scale);
    }

    static variable_list backward(AutogradContext* context, const variable_list& grads)
    {
        const variable_list saved = context->get_saved_variables();
        if (saved.empty()) {
            auto [re, im] = splitOp().call(grads[0]);
            return {re, im, Tensor()};
        }
        auto [re, im, scale] = joinBackwardOp().call(grads[0], saved[0], saved[1], saved[2]);
        return {re, im, scale};
    }
};

struct SplitPairs : torch::autograd::Function<SplitPairs> {
    static variable_list forward(AutogradContext*, const Tensor& pairs)
    {
        at::AutoDispatchBelowADInplaceOrView below;
        auto [re, im] = splitOp().call(pairs);
        return {re, im};
    }

    static variable_list backward(AutogradContext*, const variable_list& grads)
    {
        return {joinOp().call(grads[0], grads[1], std::nullopt)};
    }
};

Tensor joinAutograd(const Tensor& re, const Tensor& im, const MaybeTensor& scale)
{
    return JoinPairs::apply(re, im, scale);
}

TwoTensors splitAutograd(const Tensor& pairs)
{
    const variable_list parts = SplitPairs::apply(pairs);
    return {parts[0], parts[1]};
}

} // namespace

Tensor joinPairs(const Tensor& re, const Tensor& im, const Tensor& scale)
{
    return joinOp().call(re, im, ifDefined(scale));
}

std::pair<Tensor, Tensor> splitPairs(const Tensor& pairs)
{
    auto [re, im] = splitOp().call(pairs);
    return {re, im};
}

TORCH_LIBRARY_FRAGMENT(unroll, m)
{
    m.def("join_pairs(Tensor re, Tensor im, Tensor? scale=None) -> Tensor");
    m.def("join_pairs_backward(Tensor grad, Tensor re, Tensor im, Tensor scale) "
          "-> (Tensor grad_re, Tensor grad_im, Tensor grad_scale)");
    m.def("split_pairs(Tensor pairs) -> (Tensor re, Tensor im)");
}

TORCH_LIBRARY_IMPL(unroll, CPU, m)
{
    m.impl("join_pairs", &joinForward);
    m.impl("join_pairs_backward", &joinBackward);
    m.impl("split_pairs", &splitForward);
}

TORCH_LIBRARY_IMPL(unroll, Meta, m)
{
    m.impl("join_pairs", &joinMeta);
    m.impl("join_pairs_backward", &joinBackwardMeta);
    m.impl("split_pairs", &splitMeta);
}

TORCH_LIBRARY_IMPL(unroll, Autograd, m)
{
    m.impl("join_pairs", &joinAutograd);
    m.impl("join_pairs_backward", torch::autograd::autogradNotImplementedFallback());
    m.impl("split_pairs", &splitAutograd);
}

} // namespace unroll::kernels
