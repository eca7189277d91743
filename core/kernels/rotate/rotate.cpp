// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/kernels/rotate/rotate.h"

#include "core/kernels/common/parallel_columns.h"
#include "core/kernels/common/scan_call.h"
#include "core/kernels/rotate/rotate_cpu.h"

#include <ATen/core/LegacyTypeDispatch.h>
#include <ATen/ops/empty.h>
#include <torch/csrc/autograd/custom_function.h>
#include <torch/library.h>

#include <algorithm>

namespace unroll::kernels {
namespace {

using at::Tensor;
using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

const auto& op()
{
    static const auto rotateOp = opNamed<Tensor(const Tensor&, const Tensor&, const Tensor&, bool)>("unroll::rotate");
    return rotateOp;
}

void checkAngles(const CallKind& kind, const char* name, const Tensor& angles, const Tensor& heads)
{
    const std::int64_t batch = angles.dim() == 3 && angles.size(0) == 1 ? 1 : heads.size(0);
    checkTensor(kind, name, angles, {batch, heads.size(2), heads.size(3) / 2}, kind.io);
}

template <typename T>
void rotateRows(const Tensor& heads, const Tensor& cos, const Tensor& sin, bool back, Tensor& y)
{
    RotatedHeads<T> p;
    p.x = heads.const_data_ptr<T>();
    std::copy_n(heads.strides().begin(), 3, p.strides);
    p.cos = cos.const_data_ptr<T>();
    p.sin = sin.const_data_ptr<T>();
    p.angleStride = cos.size(0) == 1 ? 0 : cos.stride(0);
    p.y = y.mutable_data_ptr<T>();
    p.heads = heads.size(1);
    p.steps = heads.size(2);
    p.half = heads.size(3) / 2;
    p.back = back;
    parallelColumns(
        1, heads.size(0) * p.heads * p.steps, 1, [&](ColumnRange rows) { rotateOnCpu(p, rows.begin, rows.end); },
        heads.size(3));
}

Tensor rotateForward(const Tensor& heads, const Tensor& cos, const Tensor& sin, bool back)
{
    const CallKind kind = kindOf("rotate", "heads", heads);
    TORCH_CHECK(heads.dim() == 4 && heads.size(3) % 2 == 0, "rotate: heads has shape ", heads.sizes(),
                ", expected [batch, heads, steps, n] with n even");
    checkAngles(kind, "cos", cos, heads);
    checkAngles(kind, "sin", sin, heads);
    Tensor y = at::empty(heads.sizes(), heads.options());
    const Tensor from = withContiguousRows(heads), c = cos.contiguous(), s = sin.contiguous();
    if (y.numel() == 0)
        return y;
    kind.io == at::kDouble ? rotateRows<double>(from, c, s, back, y) : rotateRows<float>(from, c, s, back, y);
    return y;
}

Tensor rotateMeta(const Tensor& heads, const Tensor&, const Tensor&, bool)
{
    return emptySymbolicLike(heads);
}

struct Rotate : torch::autograd::Function<Rotate> {
    static Tensor forward(AutogradContext* context, const Tensor& heads, const Tensor& cos, const Tensor& sin,
                          bool back)
    {
        at::AutoDispatchBelowADInplaceOrView below;
        context->save_for_backward({cos, sin});
        context->saved_data["back"] = back;
        return op().call(heads, cos, sin, back);
    }

    static variable_list backward(AutogradContext* context, const variable_list& grads)
    {
        const variable_list saved = context->get_saved_variables();
        return {op().call(grads[0], saved[0], saved[1], !context->saved_data["back"].toBool()), Tensor(), Tensor(),
                Tensor()};
    }
};

Tensor rotateAutograd(const Tensor& heads, const Tensor& cos, const Tensor& sin, bool back)
{
    return Rotate::apply(heads, cos, sin, back);
}

} // namespace

Tensor rotate(const Tensor& heads, const Tensor& cos, const Tensor& sin)
{
    return op().call(heads, cos, sin, false);
}

TORCH_LIBRARY_FRAGMENT(unroll, m)
{
    m.def("rotate(Tensor heads, Tensor cos, Tensor sin, *, bool back=False) -> Tensor");
}

TORCH_LIBRARY_IMPL(unroll, CPU, m)
{
    m.impl("rotate", &rotateForward);
}

TORCH_LIBRARY_IMPL(unroll, Meta, m)
{
    m.impl("rotate", &rotateMeta);
}

TORCH_LIBRARY_IMPL(unroll, Autograd, m)
{
    m.impl("rotate", &rotateAutograd);
}

} // namespace unroll::kernels
