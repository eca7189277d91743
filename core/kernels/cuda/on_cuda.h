// SPDX-License-Identifier: GPL-3.0-or-later
// Where the ops of a CUDA bridge (*_cuda.cpp) run: OnCpu's twin, on torch's current stream.
#pragma once

#include "core/kernels/cuda/batch_sum_cuda.h"
#include "core/kernels/cuda/launch_elements.h"
#include "core/kernels/cuda/launch_persistent.h"
#include "core/kernels/cuda/launch_scan.h"
#include "core/kernels/op/elements.h"
#include "core/kernels/op/tensor_checks.h"
#include "core/kernels/scan/chunk_thread.h"

#include <ATen/ops/empty.h>
#include <ATen/record_function.h>
#include <c10/cuda/CUDAException.h>
#include <c10/cuda/CUDAGuard.h>
#include <c10/cuda/CUDAStream.h>

#include <cuda_bf16.h>

namespace unroll::kernels {

template <>
struct ElementType<__nv_bfloat16> {
    static constexpr at::ScalarType scalar = at::kBFloat16;
    using State = float;
};

/// Makes the call's device the current one while it lives. What it starts throws c10::Error where the launch failed.
class OnCuda {
public:
    static constexpr bool byColumns = true; ///< passes are walked column by column, or in chunks of these
    explicit OnCuda(const CallKind& kind)
        : m_kind(kind), m_device(kind.device), m_stream(c10::cuda::getCurrentCUDAStream().stream())
    {}

    /// Starts the pass whose parameters `params(CallTypes<Io, State>{})` gives. Takes bf16 besides the kinds of the
    /// CPU.
    template <typename... Ts, class Params>
    void run(Elements<Ts...>, const Params& params) const
    {
        withTypes(Elements<Ts..., __nv_bfloat16>{}, m_kind.io, [&](auto types) { start(params(types)); });
    }

    /// out (...) = partial (B,...) summed over the batch; the rows of both are contiguous.
    void sumOverBatch(const at::Tensor& partial, const at::Tensor& out) const
    {
        at::Tensor shares;
        if (const std::int64_t parts = sharesOfBatch(partial.size(0)); parts > 1)
            shares = at::empty({parts, (out.is_complex() ? 2 : 1) * out.numel()}, partial.options().dtype(at::kDouble));
        double* sums = shares.defined() ? shares.mutable_data_ptr<double>() : nullptr;
        withBatchRows(partial, out, [&](auto... rows) { C10_CUDA_CHECK(sumOverBatchCuda(rows..., sums, m_stream)); });
    }

    /// All steps of a pass in one launch, where that can be and pays; else byProducts() has torch make the products.
    template <class Pass, class ByProducts>
    void walk(const Pass& pass, const ByProducts& byProducts) const
    {
        std::int64_t resident = 0;
        if (stepsWish() != StepsWish::Products)
            C10_CUDA_CHECK(residentBlocks(pass, &resident));
        const StepsLaunch launch = chooseSteps(sizesForSteps(pass), resident, stepsWish());
        RECORD_FUNCTION(std::string(m_kind.op) + " " + describe(launch), c10::ArrayRef<const c10::IValue>{});
        if (launch.way == StepsWay::Products)
            return byProducts();
        const at::Tensor words = at::empty({launch.blocks()}, at::TensorOptions(m_kind.device).dtype(at::kInt));
        auto* turns = reinterpret_cast<std::uint32_t*>(words.mutable_data_ptr<std::int32_t>());
        C10_CUDA_CHECK(launchPersistent(pass, launch, turns, m_stream));
    }

    /// One step's numbers, whose products torch makes.
    template <class Elements>
    void each(const Elements& elements) const
    {
        C10_CUDA_CHECK(launchElements(elements, m_stream));
    }

protected:
    cudaStream_t stream() const { return m_stream; }

private:
    /// A profile names the op and the way it went: "diag_scan in 12 chunks of 128 steps"; of walk(), "rnn_steps in one
    /// launch of 32 blocks".
    template <class Scan>
    void start(const Scan& scan) const
    {
        const ScanLaunch launch = chooseLaunch(sizesForLaunch(scan), multiprocessors(), scanWish());
        RECORD_FUNCTION(std::string(m_kind.op) + " " + describe(launch), c10::ArrayRef<const c10::IValue>{});
        at::Tensor workspace;
        if (const auto bytes = static_cast<std::int64_t>(workspaceBytes(scan, launch)); bytes > 0)
            workspace = at::empty({bytes}, at::TensorOptions(m_kind.device).dtype(at::kByte));
        void* memory = workspace.defined() ? workspace.mutable_data_ptr() : nullptr;
        C10_CUDA_CHECK(launchScan(scan, m_stream, launch, memory));
    }

    int multiprocessors() const
    {
        int count = 0;
        C10_CUDA_CHECK(cudaDeviceGetAttribute(&count, cudaDevAttrMultiProcessorCount, m_kind.device.index()));
        return count;
    }

    CallKind m_kind;
    c10::cuda::CUDAGuard m_device;
    cudaStream_t m_stream;
};

} // namespace unroll::kernels
