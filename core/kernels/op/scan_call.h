// SPDX-License-Identifier: GPL-3.0-or-later
// The torch side that all scans share: sizes, state and mask of a call, what its tensors must look like, and empty ones
// for its results.
#pragma once

#include "core/kernels/op/elements.h"
#include "core/kernels/op/op_arguments.h"
#include "core/kernels/op/tensor_checks.h"
#include "core/kernels/scan/scan_domain.h"

#include <ATen/core/Tensor.h>
#include <ATen/core/dispatch/Dispatcher.h>

#include <optional>
#include <string>
#include <vector>

namespace unroll::kernels {

/// The arguments common to all passes of all scans, checked. The call of a kernel derives from it and holds its own
/// inputs.
struct ScanCall {
    /// Checks `initialState` and `stepMask` against the kind and the sizes of a call.
    ScanCall(const CallKind& callKind, at::IntArrayRef callSizes, const MaybeTensor& initialState,
             const MaybeTensor& stepMask, bool reversed);

    std::int64_t steps() const { return sizes[0]; }
    std::int64_t batch() const { return sizes[1]; }
    std::int64_t width() const { return sizes[2]; }

    /// An argument (T,B,...) of the call's type, or (B,...) of its states' type: checked, with contiguous rows;
    /// undefined where absent.
    at::Tensor sequence(const char* name, const MaybeTensor& tensor) const;
    at::Tensor sequence(const char* name, const MaybeTensor& tensor, std::int64_t columns) const; ///< (T,B,columns)
    at::Tensor state(const char* name, const MaybeTensor& tensor) const;

    at::Tensor emptySequence() const; ///< (T,B,...)
    at::Tensor emptySequence(std::int64_t columns) const;
    at::Tensor emptyState() const; ///< (B,...)

    /// Fills in what ScanDomain holds.
    void fill(ScanDomain& domain) const;

    CallKind kind;
    std::vector<std::int64_t> sizes; ///< steps, batch, then those of a state: d for most scans
    bool reverse = false;
    at::Tensor initial; ///< may be undefined
    at::Tensor mask;    ///< may be undefined
};

// Shapes only, and those may be symbols: what tracing asks for.

/// A tensor of these sizes in the type of states that go with `sequence`: fp32 with bf16, else the same.
at::Tensor emptySymbolicState(const at::Tensor& sequence, at::SymIntArrayRef sizes);
at::Tensor emptySymbolicLike(const at::Tensor& tensor);

/// The op unroll::`name`.
c10::OperatorHandle opNamed(const std::string& name);
/// Likewise, to be called through the dispatcher.
template <class Signature>
c10::TypedOperatorHandle<Signature> opNamed(const char* name)
{
    return opNamed(std::string(name)).typed<Signature>();
}

} // namespace unroll::kernels
