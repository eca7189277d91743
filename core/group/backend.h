// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/group/place.h"
#include "core/group/store.h"

#include <torch/csrc/distributed/c10d/Backend.hpp>

#include <cstdint>

namespace unroll {

using BackendPointer = c10::intrusive_ptr<c10d::Backend>;

/// Connects to the other ranks by Gloo, for tensors of the CPU. Throws what c10d throws. GLOO_SOCKET_IFNAME names the
/// network interface; without it ranks on several machines take the one of addressForOthers(), those of one machine the
/// one of the machine's own name.
BackendPointer glooBackend(const StorePointer& store, const RankPlace& place, std::chrono::milliseconds timeout);

/// In the CUDA half (core/group/nccl_cuda.cpp), where it is built with NCCL: the same for tensors of a GPU.
using MakeNcclBackend = c10d::Backend*(const StorePointer& store, int rank, int size, std::int64_t milliseconds);
inline constexpr const char* kMakeNcclBackend = "unroll_nccl_backend";

} // namespace unroll
