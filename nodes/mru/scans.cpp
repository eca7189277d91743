// SPDX-License-Identifier: GPL-3.0-or-later
#include "nodes/mru/scans.h"

#include "core/kernels/matrix_scan/matrix_scan_params.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/arange.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/constant_pad_nd.h>
#include <ATen/ops/eye.h>
#include <ATen/ops/index_copy.h>
#include <ATen/ops/matmul.h>
#include <ATen/ops/ones.h>
#include <ATen/ops/stack.h>
#include <ATen/ops/where.h>

#include <algorithm>

namespace unroll::nodes::mru {

namespace {

using kernels::MatrixScanResult;
using MaybeTensor = std::optional<at::Tensor>;

constexpr std::int64_t kChunk = 64;
constexpr std::int64_t kRowsThatFillAGpu = 8192; ///< a thread each

at::Tensor identityLike(const at::Tensor& m)
{
    return at::eye(m.size(-1), m.options().requires_grad(false)).expand(m.sizes().slice(1));
}

/// [T, B, ...] as [chunk, chunks B, ...], filled up by steps that are none.
at::Tensor inChunks(const at::Tensor& sequence, std::int64_t chunks)
{
    std::vector<std::int64_t> padding(static_cast<std::size_t>(2 * sequence.dim()), 0);
    padding.back() = chunks * kChunk - sequence.size(0);
    const at::Tensor filled = at::constant_pad_nd(sequence, padding);
    return filled.unflatten(0, {chunks, kChunk}).transpose(0, 1).flatten(1, 2);
}

MatrixScanResult chunked(const at::Tensor& m, const MaybeTensor& initial, const MaybeTensor& mask)
{
    const std::int64_t steps = m.size(0), sequences = m.size(1), chunks = (steps + kChunk - 1) / kChunk;
    if (chunks < 2)
        return kernels::matrixScan(m, initial, mask);
    const at::Tensor real = mask ? *mask : at::ones({steps, sequences}, m.options().dtype(at::kBool));
    const at::Tensor pieces = inChunks(m, chunks), realPieces = inChunks(real, chunks);
    const at::Tensor products = kernels::matrixScan(pieces, {}, realPieces).last.unflatten(0, {chunks, sequences});
    const MatrixScanResult ends = kernels::matrixScan(products, initial);
    const at::Tensor first = initial ? *initial : identityLike(m);
    const at::Tensor begins = at::cat({first.unsqueeze(0), ends.h.narrow(0, 0, chunks - 1)}).flatten(0, 1);
    const at::Tensor h = kernels::matrixScan(pieces, begins, realPieces).h;
    return {h.unflatten(1, {chunks, sequences}).transpose(0, 1).flatten(0, 1).narrow(0, 0, steps), ends.last};
}

at::Tensor hillisSteele(at::Tensor h)
{
    const std::int64_t steps = h.size(0);
    for (std::int64_t reach = 1; reach < steps; reach *= 2) {
        const std::int64_t rest = steps - reach;
        h = at::cat({h.narrow(0, 0, reach), at::matmul(h.narrow(0, 0, rest), h.narrow(0, reach, rest))});
    }
    return h;
}

at::Tensor brentKung(const at::Tensor& h)
{
    const std::int64_t steps = h.size(0), pairs = steps / 2;
    if (steps < 2)
        return h;
    const at::Tensor paired = h.narrow(0, 0, 2 * pairs).unflatten(0, {pairs, 2});
    const at::Tensor odd = brentKung(at::matmul(paired.select(1, 0), paired.select(1, 1)));
    const at::Tensor lateEven = h.narrow(0, 2, steps - 2).slice(0, 0, std::nullopt, 2);
    const at::Tensor even = at::cat({h.narrow(0, 0, 1), at::matmul(odd.narrow(0, 0, lateEven.size(0)), lateEven)});
    const at::Tensor joined = at::stack({even.narrow(0, 0, pairs), odd}, 1).flatten(0, 1);
    return steps % 2 == 0 ? joined : at::cat({joined, even.narrow(0, pairs, 1)});
}

at::Tensor sklansky(at::Tensor h)
{
    const std::int64_t steps = h.size(0);
    const at::Tensor all = at::arange(steps, h.options().dtype(at::kLong).requires_grad(false));
    for (std::int64_t half = 1; half < steps; half *= 2) {
        const at::Tensor late = all.index({all.div(half, "floor").remainder(2).eq(1)});
        const at::Tensor lastBefore = late.div(half, "floor").mul(half).sub(1);
        h = at::index_copy(h, 0, late, at::matmul(h.index_select(0, lastBefore), h.index_select(0, late)));
    }
    return h;
}

/// By batched products: held steps become the identity, and the first matrix takes the state before it in.
MatrixScanResult byRounds(const std::string& scan, at::Tensor m, const MaybeTensor& initial, const MaybeTensor& mask)
{
    if (mask)
        m = at::where(mask->view({m.size(0), m.size(1), 1, 1, 1}), m, identityLike(m));
    if (initial)
        m = at::cat({at::matmul(*initial, m[0]).unsqueeze(0), m.narrow(0, 1, m.size(0) - 1)});
    const at::Tensor h = scan == "hillis_steele" ? hillisSteele(m) : scan == "sklansky" ? sklansky(m) : brentKung(m);
    return {h, h[h.size(0) - 1]};
}

} // namespace

bool chunkedOnGpu(at::IntArrayRef sizes)
{
    return sizes[4] > kernels::kMaxChunkedMatrix && sizes[0] >= 4 * kChunk &&
           sizes[1] * sizes[2] * sizes[3] < kRowsThatFillAGpu;
}

MatrixScanResult scanMatrices(const std::string& scan, const at::Tensor& m, const MaybeTensor& initial,
                              const MaybeTensor& mask)
{
    if (scan == "chunked" || (scan == "auto" && m.is_cuda() && chunkedOnGpu(m.sizes())))
        return chunked(m, initial, mask);
    if (scan == "auto" || scan == "sequential" || m.size(0) == 0)
        return kernels::matrixScan(m, initial, mask);
    return byRounds(scan, m, initial, mask);
}

} // namespace unroll::nodes::mru
