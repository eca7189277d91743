// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/kernels/gated_scan/gated_scan_column.h"

#include "core/kernels/common/on_chunks.h"
#include "core/kernels/gated_scan/gated_scan_cpu.h"
#include "core/kernels/gated_scan/gated_scan_tensors.h"

namespace unroll::kernels {
namespace {

using namespace test;

/// Both passes; what is absent and which way they run depends on `round`.
template <class Device>
std::vector<Named> runGated(unsigned round, at::ScalarType type, std::int64_t steps, std::int64_t width = 5)
{
    Draw draws(round);
    const bool outputGate = round % 3 != 0, reverse = round % 2 == 1;
    const auto sequence = [&](at::Tensor drawn) { return sequenceOf<Device>(drawn, type); };
    const at::Tensor gates = sequence(draws.normal({steps, 2, width * (outputGate ? 3 : 2)}) * 2);
    MaybeTensor initial, mask, gradU, gradH, gradLast;
    if (round % 5 != 0)
        initial = stateOf(draws.normal({2, width}), type);
    if (round % 4 < 2)
        mask = draws.uniform({steps, 2}) < 0.7;
    if (round % 7 != 0)
        gradU = sequence(draws.normal({steps, 2, width}));
    if (round % 7 < 4)
        gradH = sequence(draws.normal({steps, 2, width}));
    if (round % 7 > 2)
        gradLast = stateOf(draws.normal({2, width}), type);
    const std::string_view candidate = activationName(static_cast<Activation>(round / 3 % 4));
    const auto [u, h, last] = gatedScanForward<Device>(gates, initial, mask, candidate, outputGate, reverse);
    const auto [gradGates, gradInitial] =
        gatedScanBackward<Device>(gates, initial, mask, h, gradU, gradH, gradLast, candidate, outputGate, reverse);
    return {
        {"u", u}, {"h", h}, {"last", last}, {"gradient of gates", gradGates[0]}, {"gradient of initial", gradInitial}};
}

TEST(GatedScanColumn, EqualsTheCpuKernel)
{
    for (unsigned round = 0; round < 168; ++round)
        for (at::ScalarType type : {at::kFloat, at::kDouble})
            expectClose(runGated<OnColumns>(round, type, columnSteps(round)),
                        runGated<OnCpu>(round, type, columnSteps(round)), type, "round " + std::to_string(round));
}

TEST(GatedScanColumn, ChunksInAnyTurnsEqualTheCpuKernel)
{
    for (at::ScalarType type : {at::kFloat, at::kDouble})
        expectChunksEqualTheCpu(type, []<class Device>(auto... trial) { return runGated<Device>(trial...); });
}

TEST(GatedScanColumn, InBf16IsNearFp64)
{
    const auto numbers = []<class Device>(auto... trial) { return runGated<Device>(trial...); };
    expectBf16NearFp64<OnColumns>(numbers);
    expectBf16NearFp64<OnChunks>(numbers);
}

} // namespace
} // namespace unroll::kernels
