// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/kernels/attention/attention.h"

#include "core/kernels/attention/attention_cpu.h"
#include "core/kernels/cpu/parallel_columns.h"
#include "core/kernels/op/scan_call.h"

#include <ATen/core/LegacyTypeDispatch.h>
#include <ATen/ops/empty.h>
#include <torch/csrc/autograd/autograd_not_implemented_fallback.h>
#include <torch/csrc/autograd/custom_function.h>
#include <torch/library.h>

namespace unroll::kernels {
namespace {

using at::Tensor;
using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

using Forward = Tensor(const Tensor&, std::int64_t, const MaybeTensor&, const MaybeTensor&);
using Backward = Tensor(const Tensor&, const Tensor&, std::int64_t, const MaybeTensor&, const MaybeTensor&);

const auto& forwardOp()
{
    static const auto op = opNamed<Forward>("causal_attention");
    return op;
}

const auto& backwardOp()
{
    static const auto op = opNamed<Backward>("causal_attention_backward");
    return op;
}

/// The arguments of one pass, checked.
struct Call {
    Call(const char* op, const Tensor& given, std::int64_t headCount, const MaybeTensor& cosines,
         const MaybeTensor& sines)
        : kind(kindOf(op, "qkv", given)), heads(headCount)
    {
        TORCH_CHECK(heads > 0, op, ": heads is ", heads, ", expected 1 or more");
        TORCH_CHECK(given.dim() == 3 && given.size(2) % (3 * heads) == 0, op, ": qkv has shape ", given.sizes(),
                    ", expected [steps, batch, 3 width] with width in ", heads, " equal parts");
        TORCH_CHECK(cosines.has_value() == sines.has_value(), op, ": cos and sin go together");
        qkv = withContiguousRows(given);
        width = given.size(2) / 3;
        if (cosines.has_value()) {
            TORCH_CHECK(features() % 2 == 0, op, ": heads have ", features(),
                        " features, expected an even number to rotate");
            cos = angles("cos", *cosines);
            sin = angles("sin", *sines);
        }
    }

    std::int64_t features() const { return width / heads; }

    Tensor angles(const char* name, const Tensor& given) const
    {
        checkTensor(kind, name, given, {1, qkv.size(0), features() / 2}, kind.io);
        return given.contiguous();
    }

    template <typename T>
    AttentionParts<T> parts() const
    {
        return {rowsOf<const T>(qkv),
                cos.defined() ? cos.const_data_ptr<T>() : nullptr,
                sin.defined() ? sin.const_data_ptr<T>() : nullptr,
                qkv.size(0),
                qkv.size(1),
                heads,
                features()};
    }

    /// Calls pass(parts, sequence, head, scratch) for all heads of all sequences, on all threads.
    template <class Pass>
    void forHeads(const Pass& pass) const
    {
        if (qkv.numel() > 0)
            kind.io == at::kDouble ? forHeadsOf<double>(pass) : forHeadsOf<float>(pass);
    }

    CallKind kind;
    Tensor qkv, cos, sin;
    std::int64_t heads, width = 0;

private:
    template <typename T, class Pass>
    void forHeadsOf(const Pass& pass) const
    {
        const AttentionParts<T> all = parts<T>();
        const std::int64_t numbers = attentionScratch(all.steps, all.features);
        parallelColumns(
            all.batch, heads, all.steps,
            [&](ColumnRange range) {
                const Tensor scratch = at::empty({numbers}, qkv.options());
                for (std::int64_t i = range.begin; i < range.end; ++i)
                    pass(all, i / heads, i % heads, scratch.mutable_data_ptr<T>());
            },
            all.steps * all.features);
    }
};

Tensor attentionForward(const Tensor& qkv, std::int64_t heads, const MaybeTensor& cos, const MaybeTensor& sin)
{
    const Call call("causal_attention", qkv, heads, cos, sin);
    Tensor y = at::empty({qkv.size(0), qkv.size(1), call.width}, qkv.options());
    call.forHeads([&]<typename T>(const AttentionParts<T>& parts, std::int64_t sequence, std::int64_t head,
                                  T* scratch) { attendOnCpu(parts, sequence, head, rowsOf<T>(y), scratch); });
    return y;
}

Tensor attentionBackward(const Tensor& grad, const Tensor& qkv, std::int64_t heads, const MaybeTensor& cos,
                         const MaybeTensor& sin)
{
    const Call call("causal_attention_backward", qkv, heads, cos, sin);
    checkTensor(call.kind, "grad", grad, {qkv.size(0), qkv.size(1), call.width}, call.kind.io);
    const Tensor dy = withContiguousRows(grad);
    Tensor dqkv = at::empty(qkv.sizes(), qkv.options());
    call.forHeads(
        [&]<typename T>(const AttentionParts<T>& parts, std::int64_t sequence, std::int64_t head, T* scratch) {
            attendBackwardOnCpu(parts, sequence, head, rowsOf<const T>(dy), rowsOf<T>(dqkv), scratch);
        });
    return dqkv;
}

Tensor forwardMeta(const Tensor& qkv, std::int64_t, const MaybeTensor&, const MaybeTensor&)
{
    return at::empty_symint({qkv.sym_size(0), qkv.sym_size(1), qkv.sym_size(2) / 3}, qkv.options());
}

Tensor backwardMeta(const Tensor&, const Tensor& qkv, std::int64_t, const MaybeTensor&, const MaybeTensor&)
{
    return emptySymbolicLike(qkv);
}

struct CausalAttention : torch::autograd::Function<CausalAttention> {
    static Tensor forward(AutogradContext* context, const Tensor& qkv, std::int64_t heads, const MaybeTensor& cos,
                          const MaybeTensor& sin)
    {
        at::AutoDispatchBelowADInplaceOrView below;
        context->save_for_backward({qkv, orUndefined(cos), orUndefined(sin)});
        context->saved_data["heads"] = heads;
        return forwardOp().call(qkv, heads, cos, sin);
    }

    static variable_list backward(AutogradContext* context, const variable_list& grads)
    {
        const variable_list saved = context->get_saved_variables();
        return {backwardOp().call(grads[0], saved[0], context->saved_data["heads"].toInt(), ifDefined(saved[1]),
                                  ifDefined(saved[2])),
                Tensor(), Tensor(), Tensor()};
    }
};

Tensor forwardAutograd(const Tensor& qkv, std::int64_t heads, const MaybeTensor& cos, const MaybeTensor& sin)
{
    return CausalAttention::apply(qkv, heads, cos, sin);
}

} // namespace

Tensor causalAttention(const Tensor& qkv, std::int64_t heads, const Tensor& cos, const Tensor& sin)
{
    return forwardOp().call(qkv, heads, ifDefined(cos), ifDefined(sin));
}

TORCH_LIBRARY_FRAGMENT(unroll, m)
{
    m.def("causal_attention(Tensor qkv, int heads, Tensor? cos=None, Tensor? sin=None) -> Tensor");
    m.def("causal_attention_backward(Tensor grad, Tensor qkv, int heads, Tensor? cos, Tensor? sin) -> Tensor");
}

TORCH_LIBRARY_IMPL(unroll, CPU, m)
{
    m.impl("causal_attention", &attentionForward);
    m.impl("causal_attention_backward", &attentionBackward);
}

TORCH_LIBRARY_IMPL(unroll, Meta, m)
{
    m.impl("causal_attention", &forwardMeta);
    m.impl("causal_attention_backward", &backwardMeta);
}

TORCH_LIBRARY_IMPL(unroll, Autograd, m)
{
    m.impl("causal_attention", &forwardAutograd);
    m.impl("causal_attention_backward", torch::autograd::autogradNotImplementedFallback());
}

} // namespace unroll::kernels
