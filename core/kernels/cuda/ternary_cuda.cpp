// SPDX-License-Identifier: GPL-3.0-or-later
// The CUDA kernels of the ternary ops. Part of the shared object unroll_cuda, which is loaded at run time.
#include "core/kernels/cuda/ternary_cuda.h"

#include "core/kernels/cuda/on_cuda.h"
#include "core/kernels/ternary/ternary_tensors.h"

#include <torch/library.h>

namespace unroll::kernels {
namespace {

/// TernaryOnCpu's twin.
class TernaryOnCuda : public OnCuda {
public:
    using OnCuda::OnCuda;

    void quantise(const RowQuantisation& p, std::int64_t rows) const
    {
        C10_CUDA_CHECK(quantiseRowsOnCuda(p, rows, stream()));
    }
    void normBackward(const NormGradient& p, std::int64_t rows) const
    {
        C10_CUDA_CHECK(normBackwardOnCuda(p, rows, stream()));
    }
    void findScales(const WeightScales& p) const { C10_CUDA_CHECK(findScalesOnCuda(p, stream())); }
    void pack(const WeightPacking& p) const { C10_CUDA_CHECK(packWeightOnCuda(p, stream())); }
    void unpack(const WeightUnpacking& p) const { C10_CUDA_CHECK(unpackWeightOnCuda(p, stream())); }
    void multiply(const TernaryProduct& p, std::int64_t rows) const
    {
        C10_CUDA_CHECK(multiplyOnCuda(p, rows, stream()));
    }
    void quantiseAndMultiply(const RowQuantisation& q, const TernaryProduct& p, std::int64_t rows) const
    {
        quantise(q, rows);
        multiply(p, rows);
    }
};

} // namespace
} // namespace unroll::kernels

TORCH_LIBRARY_IMPL(unroll, CUDA, m)
{
    using namespace unroll::kernels;
    m.impl("ternary_rows", &ternaryRowsOn<TernaryOnCuda>);
    m.impl("ternary_pack", &ternaryPackOn<TernaryOnCuda>);
    m.impl("ternary_unpack", &ternaryUnpackOn<TernaryOnCuda>);
    m.impl("ternary_product", &ternaryProductOn<TernaryOnCuda>);
    m.impl("ternary_layer", &ternaryLayerOn<TernaryOnCuda>);
    m.impl("ternary_norm_backward", &ternaryNormBackwardOn<TernaryOnCuda>);
}
