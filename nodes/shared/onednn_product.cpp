// SPDX-License-Identifier: GPL-3.0-or-later
#include "nodes/shared/onednn_product.h"

#include "nodes/shared/values.h"

#include <ATen/core/dispatch/Dispatcher.h>
#include <ATen/ops/mkldnn_linear_backward_weights.h>
#include <torch/csrc/autograd/custom_function.h>

#ifdef __x86_64__
#include <cpuid.h>
#endif
#include <string>

namespace unroll::nodes {

namespace {

using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

constexpr std::int64_t kFewRows = 16; ///< below this a product reads its matrix and does little else

/// at::linear is MKL's. On processors that are not Intel's that runs AVX2 kernels: all there is to have of Zen 4, whose vector units are 256 bits
/// wide (100 GFLOP/s a core; oneDNN 106), but half of Zen 5 (200 against 457 on two cores). On Intel's own and where there is no AVX-512,
/// MKL stays.
enum class Processor { Other, AmdAvx512, AmdWideAvx512 };

Processor thisProcessor()
{
#ifdef __x86_64__
    constexpr unsigned kAvx512f = 1U << 16;
    constexpr unsigned kZen5 = 0x1a;
    unsigned a = 0, b = 0, c = 0, d = 0;
    if (__get_cpuid(0, &a, &b, &c, &d) == 0 || b != signature_AMD_ebx)
        return Processor::Other;
    if (__get_cpuid_count(7, 0, &a, &b, &c, &d) == 0 || (b & kAvx512f) == 0)
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

/// x W^T + b for x [N, in], W [out, in] of any strides.
at::Tensor multiplied(const at::Tensor& x, const at::Tensor& weight, const std::optional<at::Tensor>& bias)
{
    using Multiply =
        at::Tensor(const at::Tensor&, const at::Tensor&, const std::optional<at::Tensor>&, std::string_view,
                   c10::List<std::optional<at::Scalar>>, std::optional<std::string_view>);
    static const auto multiply =
        c10::Dispatcher::singleton().findSchemaOrThrow("mkldnn::_linear_pointwise", "").typed<Multiply>();
    return multiply.call(x, weight, bias, "none", c10::List<std::optional<at::Scalar>>(), "");
}

/// g^T x, [out, in]. MKL takes both factors as they lie; oneDNN wants them in tensors of its own, which is worth it where it is far ahead.
at::Tensor weightGradient(const at::Tensor& g, const at::Tensor& x, const at::Tensor& weight)
{
    if (processor() != Processor::AmdWideAvx512)
        return g.t().mm(x);
    return std::get<0>(at::mkldnn_linear_backward_weights(g.to_mkldnn(), x.to_mkldnn(), weight, false));
}

struct OneDnnProduct : torch::autograd::Function<OneDnnProduct> {
    static at::Tensor forward(AutogradContext* context, const at::Tensor& x, const at::Tensor& weight,
                              const std::optional<at::Tensor>& bias)
    {
        const at::Tensor rows = x.reshape({-1, x.size(-1)});
        context->save_for_backward({rows, weight});
        context->saved_data["sizes"] = x.sizes();
        std::vector<std::int64_t> sizes = x.sizes().vec();
        sizes.back() = weight.size(0);
        return multiplied(rows, weight, bias).view(sizes);
    }

    static variable_list backward(AutogradContext* context, const variable_list& gradients)
    {
        const auto saved = context->get_saved_variables();
        const at::Tensor &rows = saved[0], &weight = saved[1];
        const at::Tensor g = gradients[0].reshape({-1, gradients[0].size(-1)});
        variable_list found(3);
        if (context->needs_input_grad(0))
            found[0] = multiplied(g, weight.t(), {}).view(context->saved_data["sizes"].toIntVector());
        if (context->needs_input_grad(1))
            found[1] = weightGradient(g, rows, weight);
        if (context->needs_input_grad(2))
            found[2] = g.sum(0);
        return found;
    }
};

bool isPlain(const at::Tensor& tensor)
{
    return tensor.device().is_cpu() && tensor.scalar_type() == at::kFloat;
}

} // namespace

at::Tensor oneDnnProduct(const at::Tensor& x, const at::Tensor& weight, const at::Tensor& bias)
{
    return OneDnnProduct::apply(x, weight, whereDefined(bias));
}

bool oneDnnPays(const at::Tensor& x, const at::Tensor& weight)
{
    return processor() != Processor::Other && isPlain(x) && isPlain(weight) && x.numel() >= kFewRows * x.size(-1);
}

} // namespace unroll::nodes
