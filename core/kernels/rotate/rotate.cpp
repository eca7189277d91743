// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/kernels/rotate/rotate.h"

#include "core/kernels/common/parallel_columns.h"
#include "core/kernels/common/scan_call.h"
#include "core/kernels/rotate/rotate_cpu.h"

#include <ATen/core/LegacyTypeDispatch.h>
#include <ATen/ops/empty.h>
#include <torch/csrc/autograd/custom_function.h>
#include <torch/library.h>

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

/// The rows of all sequences, heads and steps, one behind the other.
template <typename T>
void rotateRows(const Tensor& heads, const Tensor& cos, const Tensor& sin, bool back, Tensor& y)
{
    const std::int64_t steps = heads.size(2), width = heads.size(3), rows = heads.numel() / std::max<std::int64_t>(1, width);
    const std::int64_t ofSequence = heads.size(1) * steps, shared = cos.size(0) == 1 ? 0 : 1;
    const auto turn = [&](std::int64_t row) {
        const std::int64_t b = row / ofSequence, head = row % ofSequence / steps, step = row % steps;
        const std::int64_t angles = (shared * b * steps + step) * (width / 2);
        rotateOnCpu({heads.const_data_ptr<T>() + b * heads.stride(0) + head * heads.stride(1) + step * heads.stride(2),
                     cos.const_data_ptr<T>() + angles, sin.const_data_ptr<T>() + angles,
                     y.mutable_data_ptr<T>() + row * width, width / 2, back});
    };
    parallelColumns(
        1, rows, 1,
        [&](ColumnRange range) {
            for (std::int64_t row = range.begin; row < range.end; ++row)
                turn(row);
        },
        width);
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
    kind.io == at::kDouble ? rotateRows<double>(from, c, s, back, y) : rotateRows<float>(from, c, s, back, y);
    return y;
}

Tensor rotateMeta(const Tensor& heads, const Tensor&, const Tensor&, bool)
{
    return emptySymbolicLike(heads);
}

struct Rotate : torch::autograd::Function<Rotate> {
    static Tensor forward(AutogradContext* context, const Tensor& heads, const Tensor& cos, const Tensor& sin, bool back)
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

bool canRotate(const Tensor& heads)
{
    return heads.is_cpu() && (heads.scalar_type() == at::kFloat || heads.scalar_type() == at::kDouble);
}

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
