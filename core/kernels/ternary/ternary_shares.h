// SPDX-License-Identifier: GPL-3.0-or-later
// Where the ternary ops run on the CPU: the raw kernels, in shares of threads.
#pragma once

#include "core/kernels/op/on_cpu.h"
#include "core/kernels/ternary/ternary_params.h"

namespace unroll::kernels {

class TernaryOnCpu : public OnCpu {
public:
    using OnCpu::OnCpu;

    void quantise(const RowQuantisation& p, std::int64_t rows) const;
    void normBackward(const NormGradient& p, std::int64_t rows) const;
    void findScales(const WeightScales& p) const;
    void pack(const WeightPacking& p) const;
    void unpack(const WeightUnpacking& p) const;
    void multiply(const TernaryProduct& p, std::int64_t rows) const;
    /// Both: codes and steps of `p` are those that `q` writes.
    void quantiseAndMultiply(const RowQuantisation& q, const TernaryProduct& p, std::int64_t rows) const;
};

} // namespace unroll::kernels
