// SPDX-License-Identifier: GPL-3.0-or-later
// An op is written once, as a template over where it runs: OnCpu here, OnCuda in on_cuda.h.
#pragma once

#include "core/kernels/cpu/batch_sum.h"
#include "core/kernels/cpu/parallel_columns.h"
#include "core/kernels/op/elements.h"
#include "core/kernels/op/tensor_checks.h"

namespace unroll::kernels {

class OnCpu {
public:
    static constexpr bool byColumns = false; ///< whether passes are walked column by column, as GPUs do
    explicit OnCpu(const CallKind& kind) : m_kind(kind) {}

    /// Runs the pass whose parameters `params(CallTypes<Io, State>{})` gives, on all columns, by the kernel's
    /// scanOnCpu.
    template <class Kinds, class Params>
    void run(Kinds kinds, const Params& params) const
    {
        withTypes(kinds, m_kind.io, [&](auto types) {
            const auto scan = params(types);
            parallelColumns(
                scan.batch, scan.cpuColumns(), scan.steps, [&](ColumnRange columns) { scanOnCpu(&scan, columns); },
                scan.elementsAColumn());
        });
    }

    /// out (...) = partial (B,...) summed over the batch; the rows of both are contiguous.
    void sumOverBatch(const at::Tensor& partial, const at::Tensor& out) const
    {
        withBatchRows(partial, out, [](auto... rows) { kernels::sumOverBatch(rows...); });
    }

private:
    CallKind m_kind;
};

} // namespace unroll::kernels
