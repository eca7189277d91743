// SPDX-License-Identifier: GPL-3.0-or-later
// The torch side of a kernel: arguments checked, and turned into the plain views of rows.h. Messages name the op and
// the argument, and say what was expected and what came. All throw c10::Error.
#pragma once

#include "core/kernels/scan/rows.h"

#include <ATen/core/Tensor.h>

#include <optional>
#include <string>
#include <type_traits>

namespace unroll::kernels {

/// What the arguments of one call must agree on.
struct CallKind {
    const char* op = "";
    at::ScalarType io = at::
        kFloat; ///< of (T,B,d) tensors: fp32, fp64, on CUDA also bf16; complex64 or complex128 where an op takes them
    at::Device device = at::kCPU;

    /// Type of states and of the arithmetic: fp32 for bf16, else io.
    at::ScalarType state() const { return io == at::kBFloat16 ? at::kFloat : io; }
};

/// Whether the kernels that take rows by themselves (attention, reflections) take this tensor: fp32 or fp64 on the CPU.
inline bool hasRowKernel(const at::Tensor& tensor)
{
    return tensor.is_cpu() && (tensor.scalar_type() == at::kFloat || tensor.scalar_type() == at::kDouble);
}

enum class NumberKinds { Real, RealOrComplex };

/// While it lives, this thread takes bf16 on the CPU as on CUDA: for tests that run there what CUDA threads run.
class ScopedHalfOnCpu {
public:
    ScopedHalfOnCpu();
    ~ScopedHalfOnCpu();
    ScopedHalfOnCpu(const ScopedHalfOnCpu&) = delete;
    ScopedHalfOnCpu& operator=(const ScopedHalfOnCpu&) = delete;
};

/// The kind that `tensor` sets. Throws where a kernel has no code for its type.
CallKind kindOf(const char* op, const char* name, const at::Tensor& tensor, NumberKinds kinds = NumberKinds::Real);

/// Throws unless `tensor` has these sizes, this type and the call's device.
void checkTensor(const CallKind& kind, const char* name, const at::Tensor& tensor, at::IntArrayRef sizes,
                 at::ScalarType type);

/// The tensor itself where its last dimension is contiguous (slices of a GEMM output are), else a copy.
at::Tensor withContiguousRows(const at::Tensor& tensor);

/// Checks an optional (T,B,d) or (B,d) argument and gives it contiguous rows; undefined where absent.
at::Tensor checkedRows(const CallKind& kind, const char* name, const std::optional<at::Tensor>& tensor,
                       at::IntArrayRef sizes, at::ScalarType type);

/// Checks an optional (T,B) mask, bool or uint8; undefined where absent.
at::Tensor checkedMask(const CallKind& kind, const std::optional<at::Tensor>& mask, std::int64_t steps,
                       std::int64_t batch);

StepMask stepMask(const at::Tensor& mask);

/// A view of a (T,B,d) or (B,d) tensor with contiguous rows, starting `offset` elements into each row. Undefined or
/// empty: absent. T is const for what is only read.
template <typename T>
Rows<T> rowsOf(const at::Tensor& tensor, std::int64_t offset = 0)
{
    if (!tensor.defined() || tensor.numel() == 0)
        return {};
    Rows<T> rows;
    if constexpr (std::is_const_v<T>)
        rows.data = static_cast<T*>(tensor.const_data_ptr()) + offset;
    else
        rows.data = static_cast<T*>(tensor.mutable_data_ptr()) + offset;
    rows.stepStride = tensor.dim() == 3 ? tensor.stride(0) : 0;
    rows.batchStride = tensor.stride(tensor.dim() - 2);
    return rows;
}

/// Calls sum(partial, batch, stride, count, out) on the numbers of partial (B,...) and out (...): what sumOverBatch
/// takes, complex elements counted as two real ones.
template <class Sum>
void withBatchRows(const at::Tensor& partial, const at::Tensor& out, const Sum& sum)
{
    const std::int64_t parts = out.is_complex() ? 2 : 1;
    const auto rows = [&]<typename T>(const T* from) {
        sum(from, partial.size(0), parts * partial.stride(0), parts * out.numel(),
            static_cast<T*>(out.mutable_data_ptr()));
    };
    if (c10::toRealValueType(out.scalar_type()) == at::kDouble)
        rows(static_cast<const double*>(partial.const_data_ptr()));
    else
        rows(static_cast<const float*>(partial.const_data_ptr()));
}

/// The tensor of an optional argument, undefined where absent: what save_for_backward keeps.
at::Tensor orUndefined(const std::optional<at::Tensor>& tensor);

/// The other way round, for calling an op.
std::optional<at::Tensor> ifDefined(const at::Tensor& tensor);

} // namespace unroll::kernels
