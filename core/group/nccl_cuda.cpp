// SPDX-License-Identifier: GPL-3.0-or-later
// Of the CUDA half (cmake -DUNROLL_NCCL=ON). Written after c10d's own use of it; no rank has run on it yet.
#define USE_C10D_NCCL
#include "core/group/backend.h"

#include <torch/csrc/distributed/c10d/ProcessGroupNCCL.hpp>

extern "C" c10d::Backend* unroll_nccl_backend(const unroll::StorePointer& store, int rank, int size,
                                              std::int64_t milliseconds)
{
    auto options = c10d::ProcessGroupNCCL::Options::create();
    options->timeout = std::chrono::milliseconds(milliseconds);
    return c10::make_intrusive<c10d::ProcessGroupNCCL>(store, rank, size, options).release();
}
