// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/linalg/products.h"

#include "core/linalg/amx/split_product.h"

#include <ATen/Context.h>
#include <ATen/core/dispatch/Dispatcher.h>
#include <ATen/ops/linear.h>

#include <algorithm>

namespace unroll::linalg {

namespace {

thread_local std::optional<Backend> chosen;

constexpr std::int64_t kFewRows = 16;  ///< below this a product reads its matrix and does little else
constexpr std::int64_t kAmxRows = 512; ///< with fewer, splitting the numbers takes longer than AMX gains
constexpr std::int64_t kAmxSide = 128; ///< of a weight from which on its gradient gains by AMX

/// MKL runs AVX2 kernels on processors that are not Intel's, whatever they have: with AVX-512 oneDNN is ahead there.
bool prefersOneDnn()
{
#if defined(__x86_64__)
    static const bool prefers =
        at::hasMKLDNN() && __builtin_cpu_supports("avx512f") != 0 && __builtin_cpu_is("intel") == 0;
    return prefers;
#else
    return false;
#endif
}

Multiplier library()
{
    return prefersOneDnn() ? Multiplier::OneDnn : Multiplier::Torch;
}

bool hasRows(const at::Tensor& rows, std::int64_t count)
{
    return rows.numel() >= count * rows.size(-1);
}

/// fp32 on the CPU, with numbers to be read (what Python traces has none).
bool isPlain(const at::Tensor& tensor)
{
    return tensor.device().is_cpu() && tensor.scalar_type() == at::kFloat &&
           !tensor.unsafeGetTensorImpl()->is_python_dispatch();
}

/// Whether there is something to choose: more than a few rows.
bool isPlainAndLarge(const at::Tensor& rows, const at::Tensor& other)
{
    return isPlain(rows) && isPlain(other) && hasRows(rows, kFewRows) && rows.numel() > 0;
}

/// oneDNN multiplies by a weight whose numbers do not lie side by side, as part of a wider one, by plain loops: some 20
/// times as slow. x is copied by torch on the way.
at::Tensor withoutGaps(const at::Tensor& tensor)
{
    return tensor.is_non_overlapping_and_dense() ? tensor : tensor.contiguous();
}

at::Tensor linearByOneDnn(const at::Tensor& x, const at::Tensor& weight, const std::optional<at::Tensor>& bias)
{
    using Multiply =
        at::Tensor(const at::Tensor&, const at::Tensor&, const std::optional<at::Tensor>&, std::string_view,
                   c10::List<std::optional<at::Scalar>>, std::optional<std::string_view>);
    static const auto multiply =
        c10::Dispatcher::singleton().findSchemaOrThrow("mkldnn::_linear_pointwise", "").typed<Multiply>();
    return multiply.call(x, withoutGaps(weight), bias, "none", c10::List<std::optional<at::Scalar>>(), "");
}

} // namespace

bool hasAmxBackend()
{
    return hasSplitProducts();
}

Backend bestBackend()
{
    return hasAmxBackend() ? Backend::Amx : Backend::Library;
}

Backend backend()
{
    return chosen.value_or(bestBackend());
}

void setBackend(Backend backend)
{
    chosen = backend;
}

std::string_view libraryName()
{
    return prefersOneDnn() ? "oneDNN" : at::hasMKL() ? "MKL" : "torch";
}

bool multipliesByAmx(const at::Tensor& rows, const at::Tensor& other, std::int64_t fewestRows)
{
    return isPlainAndLarge(rows, other) && hasRows(rows, fewestRows) && backend() == Backend::Amx && hasAmxBackend();
}

Multiplier multiplierForRows(const at::Tensor& x, const at::Tensor& weight)
{
    if (!isPlainAndLarge(x, weight))
        return Multiplier::Torch;
    return multipliesByAmx(x, weight, kAmxRows) ? Multiplier::Amx : library();
}

Multiplier multiplierForWeight(const at::Tensor& g, const at::Tensor& x)
{
    const bool pays = std::min(g.size(-1), x.size(-1)) >= kAmxSide && multipliesByAmx(g, x, kAmxRows);
    return pays ? Multiplier::Amx : Multiplier::Torch;
}

at::Tensor rowsTimesWeight(const at::Tensor& x, const at::Tensor& weight, const std::optional<at::Tensor>& bias,
                           Multiplier by)
{
    switch (by) {
    case Multiplier::Amx: return splitProduct(x, weight.t(), {.bias = bias.value_or(at::Tensor())});
    case Multiplier::OneDnn: return linearByOneDnn(x, weight, bias);
    default: return at::linear(x, weight, bias);
    }
}

at::Tensor gradientOfRows(const at::Tensor& g, const at::Tensor& weight, Multiplier by)
{
    switch (by) {
    case Multiplier::Amx: return splitProduct(g, weight);
    case Multiplier::OneDnn: return linearByOneDnn(g, weight.t(), {});
    default: return g.mm(weight);
    }
}

at::Tensor gradientOfWeight(const at::Tensor& g, const at::Tensor& x, Multiplier by, at::Tensor* bias)
{
    // The left factor is packed more cheaply, and should be the larger one; its rows are summed on the way.
    if (by == Multiplier::Amx && g.size(1) >= x.size(1))
        return splitProduct(g.t(), x, {.leftSums = bias});
    if (bias != nullptr)
        *bias = g.sum(0);
    if (by == Multiplier::Amx)
        return splitProduct(x.t(), g).t().contiguous();
    return g.t().mm(x);
}

} // namespace unroll::linalg
