// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/kernels/diag_scan/diag_scan_column.h"

#include "core/kernels/common/on_chunks.h"
#include "core/kernels/diag_scan/diag_scan_cpu.h"
#include "core/kernels/diag_scan/diag_scan_tensors.h"

#include <ATen/ops/view_as_complex.h>
#include <ATen/ops/view_as_real.h>

namespace unroll::kernels {
namespace {

using namespace test;

at::Tensor realParts(const at::Tensor& tensor)
{
    return tensor.is_complex() ? at::view_as_real(tensor) : tensor;
}

/// Both passes; what is absent and which way they run depends on `round`.
template <class Device>
std::vector<Named> runDiag(unsigned round, at::ScalarType real, std::int64_t steps, std::int64_t width = 5)
{
    Draw draws(round);
    const bool complex = round / 8 % 2 == 1 && !isHeldByBf16<Device>; // of which there is no bf16
    const auto drawn = [&](std::vector<std::int64_t> sizes) {
        if (complex)
            sizes.push_back(2);
        const at::Tensor numbers = draws.normal(sizes) * 0.6;
        return complex ? at::view_as_complex(numbers) : numbers;
    };
    const at::ScalarType type = complex ? at::toComplexType(real) : real;
    const auto sequence = [&](const at::Tensor& numbers) { return sequenceOf<Device>(numbers, type); };
    const at::Tensor free = round / 2 % 2 == 1 ? drawn({width}) : drawn({steps, 2, width});
    const at::Tensor bounded = free / free.abs().clamp_min(1); // no state grows with the steps
    const at::Tensor a = free.dim() == 1 ? stateOf(bounded, type) : sequence(bounded);
    const at::Tensor b = sequence(drawn({steps, 2, width}));
    MaybeTensor initial, mask, gradH, gradLast;
    if (round % 5 != 0)
        initial = stateOf(drawn({2, width}), type);
    if (round % 4 < 2)
        mask = draws.uniform({steps, 2}) < 0.7;
    if (round % 3 != 0)
        gradH = sequence(drawn({steps, 2, width}));
    if (round % 3 != 1)
        gradLast = stateOf(drawn({2, width}), type);
    const bool reverse = round % 2 == 1;
    const auto [h, last] = diagScanForward<Device>(a, b, initial, mask, reverse);
    const auto [gradA, gradB, gradInitial] = diagScanBackward<Device>(a, initial, mask, h, gradH, gradLast, reverse);
    return {{"h", realParts(h)},
            {"last", realParts(last)},
            {"gradient of a", realParts(gradA)},
            {"gradient of b", realParts(gradB)},
            {"gradient of initial", realParts(gradInitial)}};
}

TEST(DiagScanColumn, EqualsTheCpuKernel)
{
    for (unsigned round = 0; round < 240; ++round)
        for (at::ScalarType real : {at::kFloat, at::kDouble})
            expectClose(runDiag<OnColumns>(round, real, columnSteps(round)),
                        runDiag<OnCpu>(round, real, columnSteps(round)), real, "round " + std::to_string(round));
}

TEST(DiagScanColumn, ChunksInAnyTurnsEqualTheCpuKernel)
{
    for (at::ScalarType real : {at::kFloat, at::kDouble})
        expectChunksEqualTheCpu(real, []<class Device>(auto... trial) { return runDiag<Device>(trial...); });
}

TEST(DiagScanColumn, InBf16IsNearFp64)
{
    const auto numbers = []<class Device>(auto... trial) { return runDiag<Device>(trial...); };
    expectBf16NearFp64<OnColumns>(numbers);
    expectBf16NearFp64<OnChunks>(numbers);
}

} // namespace
} // namespace unroll::kernels
