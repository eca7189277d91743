// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/kernels/op/tensor_checks.h"

#include <c10/util/Exception.h>

namespace unroll::kernels {

namespace {

thread_local bool halfOnCpu = false;

} // namespace

ScopedHalfOnCpu::ScopedHalfOnCpu()
{
    halfOnCpu = true;
}

ScopedHalfOnCpu::~ScopedHalfOnCpu()
{
    halfOnCpu = false;
}

CallKind kindOf(const char* op, const char* name, const at::Tensor& tensor, NumberKinds kinds)
{
    const CallKind kind{op, tensor.scalar_type(), tensor.device()};
    const bool real = kind.io == at::kFloat || kind.io == at::kDouble;
    const bool half = kind.io == at::kBFloat16 && (kind.device.is_cuda() || halfOnCpu);
    const bool complex = kind.io == at::kComplexFloat || kind.io == at::kComplexDouble;
    const bool complexToo = kinds == NumberKinds::RealOrComplex;
    TORCH_CHECK(real || half || (complex && complexToo), op, ": ", name, " is ", kind.io, " on ", kind.device,
                "; expected float32", complexToo ? ", float64, complex64 or complex128" : " or float64",
                " (on CUDA also bfloat16)");
    return kind;
}

void checkTensor(const CallKind& kind, const char* name, const at::Tensor& tensor, at::IntArrayRef sizes,
                 at::ScalarType type)
{
    TORCH_CHECK(tensor.sizes() == sizes, kind.op, ": ", name, " has shape ", tensor.sizes(), ", expected ", sizes);
    TORCH_CHECK(tensor.scalar_type() == type, kind.op, ": ", name, " is ", tensor.scalar_type(), ", expected ", type);
    TORCH_CHECK(tensor.device() == kind.device, kind.op, ": ", name, " is on ", tensor.device(), ", expected ",
                kind.device);
}

at::Tensor withContiguousRows(const at::Tensor& tensor)
{
    return tensor.size(-1) <= 1 || tensor.stride(-1) == 1 ? tensor : tensor.contiguous();
}

at::Tensor checkedRows(const CallKind& kind, const char* name, const std::optional<at::Tensor>& tensor,
                       at::IntArrayRef sizes, at::ScalarType type)
{
    if (!tensor || !tensor->defined())
        return {};
    checkTensor(kind, name, *tensor, sizes, type);
    return withContiguousRows(*tensor);
}

at::Tensor checkedMask(const CallKind& kind, const std::optional<at::Tensor>& mask, std::int64_t steps,
                       std::int64_t batch)
{
    if (!mask || !mask->defined())
        return {};
    TORCH_CHECK(mask->scalar_type() == at::kBool || mask->scalar_type() == at::kByte, kind.op, ": mask is ",
                mask->scalar_type(), ", expected bool or uint8 (true = a real step)");
    checkTensor(kind, "mask", *mask, {steps, batch}, mask->scalar_type());
    return *mask;
}

StepMask stepMask(const at::Tensor& mask)
{
    if (!mask.defined() || mask.numel() == 0)
        return {};
    return {static_cast<const std::uint8_t*>(mask.const_data_ptr()), mask.stride(0), mask.stride(1)};
}

at::Tensor orUndefined(const std::optional<at::Tensor>& tensor)
{
    return tensor ? *tensor : at::Tensor();
}

std::optional<at::Tensor> ifDefined(const at::Tensor& tensor)
{
    return tensor.defined() ? std::optional<at::Tensor>(tensor) : std::nullopt;
}

} // namespace unroll::kernels
