// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/kernels/testing/trial_tensors.h"
#include "tests/numerics/accuracy.h"

namespace unroll::kernels::test {

struct RowsAndWidth {
    std::int64_t rows, width;
};

/// A kernel that takes every row by itself, beside its definition in torch's ops; the gradients are autograd's.
struct RowKernel {
    using Function = at::Tensor (*)(const Tensors& inputs);

    std::string name;
    std::vector<std::string> inputs; ///< what has a gradient
    Tensors (*draw)(Draw& draw, std::int64_t rows, std::int64_t width);
    Function definition; ///< in any type
    Function kernel;
    std::vector<RowsAndWidth> more = {}; ///< sizes beside the usual ones; the first is tried in the quick part too
    bool hasCuda = false;                ///< a kernel of ours for a GPU, too
    bool anySize = true;                 ///< takes a first input of any size; else squares of it would overflow
};

const std::vector<RowKernel>& rowKernels();

/// Forward and every gradient, over many sizes; on a GPU by its CUDA kernel.
Accuracy measure(const RowKernel& kernel, Extent extent, at::Device device = at::kCPU);

} // namespace unroll::kernels::test
