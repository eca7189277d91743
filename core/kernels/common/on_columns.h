// SPDX-License-Identifier: GPL-3.0-or-later
// What CUDA threads run, run on the CPU, column by column: ops over OnColumns are compared with ops over OnCpu. Included by
// *_column_test.cpp only.
#pragma once

#include "core/kernels/common/column_view.h"
#include "core/kernels/common/kernel_test.h"
#include "core/kernels/common/on_cpu.h"

namespace unroll::kernels::test {

/// OnCpu, but that the passes of a scan are run by Run()(scan).
template <class Run>
class OnCpuBy : public OnCpu {
public:
    explicit OnCpuBy(const CallKind& kind) : OnCpu(kind), m_type(kind.io) {}

    template <class Kinds, class Params>
    void run(Kinds kinds, const Params& params) const
    {
        withTypes(kinds, m_type, [&](auto types) { Run()(params(types)); });
    }

private:
    at::ScalarType m_type;
};

struct WalkColumns {
    template <class Scan>
    void operator()(const Scan& scan) const
    {
        for (std::int64_t b = 0; b < scan.batch; ++b)
            for (std::int64_t j = 0; j < scan.width; ++j)
                walkColumn(scan, b, j);
    }
};

using OnColumns = OnCpuBy<WalkColumns>;

/// Lengths around the blocks of steps that columns read ahead, of 2, 4 or 8.
inline std::int64_t columnSteps(unsigned round)
{
    constexpr std::int64_t lengths[] = {0, 1, 2, 3, 4, 5, 7, 8, 9, 17, 40};
    return lengths[round % std::size(lengths)];
}

} // namespace unroll::kernels::test
