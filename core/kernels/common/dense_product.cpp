// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/kernels/common/dense_product.h"

#include "core/kernels/common/parallel_columns.h"
#include "core/kernels/common/row_products.h"
#include "core/kernels/common/split_product.h"
#include "core/kernels/common/tensor_checks.h"
#include "core/kernels/common/weight_gradient.h"

#include <ATen/core/dispatch/Dispatcher.h>
#include <ATen/core/grad_mode.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/linear.h>
#include <ATen/ops/mkldnn_linear_backward_weights.h>
#include <ATen/ops/zeros.h>
#include <torch/csrc/autograd/custom_function.h>
#include <torch/library.h>

#ifdef __x86_64__
#include <cpuid.h>
#endif
#include <algorithm>
#include <string_view>

namespace unroll::kernels {

namespace {

using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

constexpr std::int64_t kFewRows = 16; ///< below this a product reads its matrix and does little else

/// On processors that are not Intel's, MKL runs AVX2 kernels. Zen 4, whose vector units are 256 bits wide, loses a fifth by that (two cores: 160 to
/// 190 GFLOP/s of 230, oneDNN and our own kernel 190 to 220), Zen 5 half (200 against 457). On Intel's Emerald Rapids (two cores: 330) MKL is
/// ahead but for gradients of some sizes, by up to a tenth; where AMX may be used, split products are, by 1.2 to 1.8 (two cores: 380, 600). What
/// has no AVX-512, and Intel's older ones, keep MKL.
enum class Processor { Other, AmdAvx512, AmdWideAvx512, IntelAvx512 };

Processor thisProcessor()
{
#ifdef __x86_64__
    constexpr unsigned kAvx512f = 1U << 16;    // ebx of leaf 7
    constexpr unsigned kAvx512fp16 = 1U << 23; // edx of leaf 7: Intel's from Sapphire Rapids on
    constexpr unsigned kZen5 = 0x1a;
    unsigned a = 0, b = 0, c = 0, d = 0, maker = 0;
    if (__get_cpuid(0, &a, &maker, &c, &d) == 0 || __get_cpuid_count(7, 0, &a, &b, &c, &d) == 0 || (b & kAvx512f) == 0)
        return Processor::Other;
    if (maker == signature_INTEL_ebx)
        return (d & kAvx512fp16) != 0 ? Processor::IntelAvx512 : Processor::Other;
    if (maker != signature_AMD_ebx)
        return Processor::Other;
    __get_cpuid(1, &a, &b, &c, &d);
    const unsigned family = (a >> 8 & 0xf) + (a >> 20 & 0xff);
    return family >= kZen5 ? Processor::AmdWideAvx512 : Processor::AmdAvx512;
#else
    return Processor::Other;
#endif
}

Processor processor()
{
    static const Processor found = thisProcessor();
    return found;
}

at::Tensor byOneDnn(const at::Tensor& x, const at::Tensor& weight, const std::optional<at::Tensor>& bias)
{
    using Multiply =
        at::Tensor(const at::Tensor&, const at::Tensor&, const std::optional<at::Tensor>&, std::string_view,
                   c10::List<std::optional<at::Scalar>>, std::optional<std::string_view>);
    static const auto multiply =
        c10::Dispatcher::singleton().findSchemaOrThrow("mkldnn::_linear_pointwise", "").typed<Multiply>();
    return multiply.call(x, weight, bias, "none", c10::List<std::optional<at::Scalar>>(), "");
}

/// Rows times what `products` holds but for them and the result.
at::Tensor byOwnKernel(const at::Tensor& from, RowProducts products)
{
    const at::Tensor rows = withContiguousRows(from);
    at::Tensor out = at::empty({rows.size(0), products.columns}, rows.options());
    products.rows = rows.const_data_ptr<float>();
    products.rowStride = rows.stride(0);
    products.depth = rows.size(1);
    products.out = out.mutable_data_ptr<float>();
    constexpr std::int64_t elements = 4; // threads may take a few rows, for even shares
    parallelColumns(
        1, rows.size(0), products.columns, [&](ColumnRange range) { multiplyRows(products, range); }, elements);
    return out;
}

at::Tensor rowsByOwnKernel(const at::Tensor& x, const at::Tensor& weight, const std::optional<at::Tensor>& bias)
{
    const at::Tensor matrix = withContiguousRows(weight), added = bias.has_value() ? bias->contiguous() : at::Tensor();
    RowProducts products;
    products.matrix = matrix.const_data_ptr<float>();
    products.matrixStride = matrix.stride(0);
    products.transposed = true;
    products.columns = matrix.size(0);
    products.bias = added.defined() ? added.const_data_ptr<float>() : nullptr;
    return byOwnKernel(x, products);
}

at::Tensor gradientByOwnKernel(const at::Tensor& g, const at::Tensor& weight)
{
    const at::Tensor matrix = withContiguousRows(weight);
    RowProducts products;
    products.matrix = matrix.const_data_ptr<float>();
    products.matrixStride = matrix.stride(0);
    products.columns = matrix.size(1);
    return byOwnKernel(g, products);
}

struct DenseProduct : torch::autograd::Function<DenseProduct> {
    static at::Tensor forward(AutogradContext* context, const at::Tensor& x, const at::Tensor& weight,
                              const std::optional<at::Tensor>& bias)
    {
        const at::Tensor rows = x.reshape({-1, x.size(-1)});
        context->save_for_backward({x, weight});
        context->saved_data["bias"] = bias.has_value(); // what is not there cannot be asked about
        std::vector<std::int64_t> sizes = x.sizes().vec();
        sizes.back() = weight.size(0);
        return rowsTimesWeight(rows, weight, bias).view(sizes);
    }

    static variable_list backward(AutogradContext* context, const variable_list& gradients)
    {
        const auto saved = context->get_saved_variables();
        const at::Tensor &x = saved[0], &weight = saved[1];
        const at::Tensor g = gradients[0].reshape({-1, gradients[0].size(-1)}), rows = x.reshape({-1, x.size(-1)});
        // Where gradients are asked for gradients of their own, torch's products have them.
        const bool again = at::GradMode::is_enabled();
        variable_list found(3);
        if (context->needs_input_grad(0))
            found[0] = gradientOfRows(g, weight, again ? ProductLibrary::Torch : libraryForGradient(g, weight))
                           .view(x.sizes());
        at::Tensor* bias = context->saved_data["bias"].toBool() && context->needs_input_grad(2) ? &found[2] : nullptr;
        if (context->needs_input_grad(1))
            found[1] = gradientOfWeight(g, rows, again ? ProductLibrary::Torch : libraryForWeights(g, rows), bias);
        else if (bias != nullptr)
            *bias = g.sum(0);
        return found;
    }
};

bool hasRows(const at::Tensor& rows, std::int64_t count)
{
    return rows.numel() >= count * rows.size(-1);
}

constexpr std::int64_t kRowsForZen4 = 96;   ///< fewer leave a thread less than it takes to read the matrix
constexpr std::int64_t kRowsForIntel = 512; ///< with fewer MKL is ahead there
constexpr std::int64_t kNarrow = 256;       ///< columns up to which our own is ahead on Intel
constexpr std::int64_t kShortSide = 128;    ///< of a weight from which on its gradient gains by AMX

/// Where all three products are torch's, its own operation does.
bool leftToTorch(const at::Tensor& x, const at::Tensor& weight)
{
    return processor() == Processor::Other || !isPlainAndLarge(x, weight) ||
           (processor() == Processor::IntelAvx512 && !hasRows(x, kRowsForIntel));
}

} // namespace

// What Python traces stays torch's: there are no numbers to read.
bool isPlainAndLarge(const at::Tensor& rows, const at::Tensor& other)
{
    const auto isPlain = [](const at::Tensor& tensor) {
        return tensor.device().is_cpu() && tensor.scalar_type() == at::kFloat &&
               !tensor.unsafeGetTensorImpl()->is_python_dispatch();
    };
    return isPlain(rows) && isPlain(other) && rows.numel() >= kFewRows * rows.size(-1) && rows.numel() > 0;
}

ProductLibrary libraryForRows(const at::Tensor& x, const at::Tensor& weight)
{
    if (leftToTorch(x, weight))
        return ProductLibrary::Torch;
    switch (processor()) {
    case Processor::AmdAvx512: return hasRows(x, kRowsForZen4) ? ProductLibrary::Own : ProductLibrary::OneDnn;
    case Processor::AmdWideAvx512: return ProductLibrary::OneDnn;
    default: return hasSplitProducts() ? ProductLibrary::Split : ProductLibrary::Torch;
    }
}

ProductLibrary libraryForGradient(const at::Tensor& g, const at::Tensor& weight)
{
    if (processor() != Processor::IntelAvx512 || leftToTorch(g, weight) || hasSplitProducts())
        return libraryForRows(g, weight);
    return weight.size(1) <= kNarrow ? ProductLibrary::Own : ProductLibrary::OneDnn;
}

ProductLibrary libraryForWeights(const at::Tensor& g, const at::Tensor& x)
{
    if (leftToTorch(g, x))
        return ProductLibrary::Torch;
    switch (processor()) {
    case Processor::AmdAvx512: return ProductLibrary::Own;
    case Processor::AmdWideAvx512: return ProductLibrary::OneDnn;
    default: break;
    }
    if (hasSplitProducts() && std::min(g.size(-1), x.size(-1)) >= kShortSide)
        return ProductLibrary::Split;
    return g.size(-1) * x.size(-1) <= kNarrow * kNarrow ? ProductLibrary::Own : ProductLibrary::Torch;
}

at::Tensor rowsTimesWeight(const at::Tensor& x, const at::Tensor& weight, const std::optional<at::Tensor>& bias,
                           ProductLibrary library)
{
    switch (library) {
    case ProductLibrary::Own: return rowsByOwnKernel(x, weight, bias);
    case ProductLibrary::Split: return splitProduct(x, weight.t(), {.bias = bias.value_or(at::Tensor())});
    case ProductLibrary::OneDnn: return byOneDnn(x, weight, bias);
    default: return at::linear(x, weight, bias);
    }
}

at::Tensor gradientOfRows(const at::Tensor& g, const at::Tensor& weight, ProductLibrary library)
{
    switch (library) {
    case ProductLibrary::Own: return gradientByOwnKernel(g, weight);
    case ProductLibrary::Split: return splitProduct(g, weight);
    case ProductLibrary::OneDnn: return byOneDnn(g, weight.t(), {});
    default: return g.mm(weight);
    }
}

at::Tensor gradientOfWeight(const at::Tensor& g, const at::Tensor& x, ProductLibrary library, at::Tensor* bias)
{
    // The left factor is packed more cheaply, and should be the larger one; it is summed on the way.
    if (library == ProductLibrary::Split && g.size(1) >= x.size(1))
        return splitProduct(g.t(), x, {.leftSums = bias});
    if (bias != nullptr)
        *bias = g.sum(0);
    if (library == ProductLibrary::Torch)
        return g.t().mm(x);
    if (library == ProductLibrary::Split)
        return splitProduct(x.t(), g).t().contiguous();
    if (library == ProductLibrary::Own) {
        WeightGradient gradient(g.size(1), x.size(1), x.options());
        gradient.addOuterProducts(g, x);
        return gradient.sum();
    }
    const at::Tensor like = at::empty({g.size(1), x.size(1)}, x.options());
    return std::get<0>(at::mkldnn_linear_backward_weights(g.to_mkldnn(), x.to_mkldnn(), like, false));
}

at::Tensor denseProduct(const at::Tensor& x, const at::Tensor& weight, const at::Tensor& bias)
{
    const auto maybeBias = bias.defined() ? std::optional(bias) : std::nullopt;
    if (leftToTorch(x, weight))
        return at::linear(x, weight, maybeBias);
    return DenseProduct::apply(x, weight, maybeBias);
}

namespace {

at::Tensor denseProductOp(const at::Tensor& x, const at::Tensor& weight, const std::optional<at::Tensor>& bias)
{
    return denseProduct(x, weight, bias.value_or(at::Tensor()));
}

} // namespace

} // namespace unroll::kernels

TORCH_LIBRARY_FRAGMENT(unroll, m)
{
    m.def("dense_product(Tensor x, Tensor weight, Tensor? bias=None) -> Tensor", &unroll::kernels::denseProductOp);
}
