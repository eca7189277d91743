// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/kernels/delta_scan/delta_scan.h"

#include "core/kernels/delta_scan/delta_scan_op.h"
#include "core/kernels/op/register_scan.h"

#include <ATen/ops/empty.h>
#include <c10/util/Exception.h>

#include <torch/library.h>

namespace unroll::kernels {

SymbolicSequence DeltaScanSpec::symbolicSequence(const Arguments& in)
{
    return HeadCall::symbolicSequence(name, in.v);
}

std::vector<c10::SymInt> DeltaScanSpec::symbolicState(const Arguments& in)
{
    return HeadCall::symbolicState(name, in.q, in.v);
}

DeltaScanSpec::Call::Call(const char* op, const Arguments& in, const at::Tensor&)
    : HeadCall(op, in.q, in.k, in.v, in.initial, in.mask, in.reverse),
      z(ofHeads("z", in.z)),
      b(ofHeads("b", in.b)),
      w(factor("w", in.w, "[steps, batch, heads, keys] or [steps, batch, heads]"))
{
    decays = decaysOf(in.w);
}

DeltaScanSpec::Call::Scratch DeltaScanSpec::Call::scratchOfThreads() const
{
    Scratch scratch{
        at::empty({steps(), batch(), sizes[2] * sizes[4]}, at::TensorOptions(kind.device).dtype(kind.state())),
        emptyStates(),
        {}};
    if (w.defined() && decays == 1)
        scratch.factors = emptyKeys();
    return scratch;
}

DeltaScanResult deltaScan(const at::Tensor& q, const at::Tensor& k, const at::Tensor& v, const at::Tensor& z,
                          const MaybeTensor& b, const MaybeTensor& w, const MaybeTensor& initial,
                          const MaybeTensor& mask, bool reverse)
{
    auto [y, u, last] = ScanOp<DeltaScanSpec>::call({q, k, v, z, b, w, initial, mask, reverse});
    return {y, u, last};
}

UNROLL_REGISTER_SCAN(DeltaScanSpec)

} // namespace unroll::kernels
