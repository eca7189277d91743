// SPDX-License-Identifier: GPL-3.0-or-later
// A dense layer's three products in fp32 on the CPU: nothing is multiplied here, a library is chosen. Other types and
// devices are torch's.
#pragma once

#include <ATen/core/Tensor.h>

#include <optional>
#include <string_view>

namespace unroll::linalg {

/// What fp32 products on the CPU are made by.
enum class Backend {
    Library, ///< MKL, or oneDNN where MKL has no kernels for the processor (libraryName)
    Amx      ///< three bf16 parts a number, on AMX (amx/split_product.h), where products are large; else the library
};

bool hasAmxBackend();

/// AMX where the processor has it.
Backend bestBackend();

/// Of the calling thread: what was set there, else the best. Products round differently by each, so a run that is
/// resumed keeps its own. Backward passes on the CPU run on the thread that asks for them.
Backend backend();
void setBackend(Backend backend);

/// Sets the backend of this thread, and sets it back.
class ScopedBackend {
public:
    explicit ScopedBackend(Backend wanted) : m_before(backend()) { setBackend(wanted); }
    ~ScopedBackend() { setBackend(m_before); }
    ScopedBackend(const ScopedBackend&) = delete;
    ScopedBackend& operator=(const ScopedBackend&) = delete;

private:
    Backend m_before;
};

/// "MKL", "oneDNN", or "torch" where neither is in it.
std::string_view libraryName();

/// Whose code multiplies one product.
enum class Multiplier { Torch, OneDnn, Amx };

/// By the thread's backend, the types and the sizes; never by a timing. x [..., in], weight [out, in], g [..., out].
Multiplier multiplierForRows(const at::Tensor& x, const at::Tensor& weight);
Multiplier multiplierForWeight(const at::Tensor& g, const at::Tensor& x);

/// Whether AMX multiplies these two, from so many rows on: the thread's backend is AMX, the processor has it, both are
/// fp32 on the CPU with numbers.
bool multipliesByAmx(const at::Tensor& rows, const at::Tensor& other, std::int64_t fewestRows);

/// x W^T + b for x [N, in], W [out, in], b [out]. Factors may have any strides. No gradient.
at::Tensor rowsTimesWeight(const at::Tensor& x, const at::Tensor& weight, const std::optional<at::Tensor>& bias,
                           Multiplier by);

/// The gradient of x for that of the product, g [N, out]: g W, [N, in]. No gradient.
at::Tensor gradientOfRows(const at::Tensor& g, const at::Tensor& weight, Multiplier by);

/// The gradient of W: g^T x, [out, in], and that of the bias, the sum of g's rows, where `bias` is given. No gradient.
/// Never by oneDNN, which copies both factors and is behind MKL here (docs/benchmarks/amd-zen4.md).
at::Tensor gradientOfWeight(const at::Tensor& g, const at::Tensor& x, Multiplier by, at::Tensor* bias = nullptr);

/// x W^T + b over the last dimension of x [..., in], with gradients, by those three; second derivatives are torch's.
/// `bias` may be undefined. For Python it is the op unroll::dense_product.
at::Tensor denseProduct(const at::Tensor& x, const at::Tensor& weight, const at::Tensor& bias);

} // namespace unroll::linalg
