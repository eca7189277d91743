// SPDX-License-Identifier: GPL-3.0-or-later
// What CUDA threads run, run on the CPU, column by column: ops over OnColumns are compared with ops over OnCpu.
// Included by *_column_test.cpp only.
#pragma once

#include "core/kernels/op/on_cpu.h"
#include "core/kernels/scan/column_view.h"
#include "core/kernels/testing/kernel_test.h"

#include <c10/util/BFloat16.h>

namespace unroll::kernels {

template <>
struct ElementType<c10::BFloat16> {
    static constexpr at::ScalarType scalar = at::kBFloat16;
    using State = float;
};

} // namespace unroll::kernels

namespace unroll::kernels::test {

/// OnCpu, but that the passes of a scan are run by Run()(scan), and in bf16 too.
template <class Run>
class OnCpuBy : public OnCpu {
public:
    static constexpr bool byColumns = true;
    explicit OnCpuBy(const CallKind& kind) : OnCpu(kind), m_type(kind.io) {}

    template <typename... Ts, class Params>
    void run(Elements<Ts...>, const Params& params) const
    {
        withTypes(Elements<Ts..., c10::BFloat16>{}, m_type, [&](auto types) { Run()(params(types)); });
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

/// The same, of sequences whose numbers bf16 holds, whatever their type.
template <class Device>
class HeldByBf16 : public Device {
public:
    using Device::Device;
};

template <class Device>
inline constexpr bool kIsHeldByBf16 = false;
template <class Device>
inline constexpr bool kIsHeldByBf16<HeldByBf16<Device>> = true;

/// What was drawn, as a sequence (T,B,...) and as a state or weight of a call in `type` on Device.
template <class Device>
at::Tensor sequenceOf(const at::Tensor& drawn, at::ScalarType type)
{
    return (kIsHeldByBf16<Device> ? drawn.to(at::kBFloat16) : drawn).to(type);
}
inline at::Tensor stateOf(const at::Tensor& drawn, at::ScalarType type)
{
    return drawn.to(type == at::kBFloat16 ? at::kFloat : type);
}

/// How far bf16 may be from fp64, relative, where many numbers are compared.
constexpr double kBf16Error = 1e-2;

/// What compute<Device>(round, type, steps) gives on Threads in bf16, against the CPU kernel in fp64 with the same
/// numbers.
template <class Threads, class Compute>
void expectBf16NearFp64(const Compute& compute)
{
    const ScopedHalfOnCpu half;
    for (unsigned round = 0; round < 21; ++round) {
        constexpr std::int64_t lengths[] = {1, 2, 63, 64, 65, 1000, 4097};
        const std::int64_t steps = lengths[round % std::size(lengths)];
        const auto got = compute.template operator()<HeldByBf16<Threads>>(round, at::kBFloat16, steps);
        const auto want = compute.template operator()<HeldByBf16<OnCpu>>(round, at::kDouble, steps);
        for (std::size_t i = 0; i < want.size(); ++i)
            EXPECT_LE(relativeRms(got[i].tensor, want[i].tensor), kBf16Error)
                << "round " << round << ", " << steps << " steps: " << got[i].name << ", of " << want[i].tensor.numel()
                << " numbers";
    }
}

/// Lengths around the blocks of steps that columns read ahead, of 2, 4 or 8.
inline std::int64_t columnSteps(unsigned round)
{
    constexpr std::int64_t lengths[] = {0, 1, 2, 3, 4, 5, 7, 8, 9, 17, 40};
    return lengths[round % std::size(lengths)];
}

} // namespace unroll::kernels::test
