// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/kernels/sru_scan/sru_scan_column.h"

#include "core/kernels/common/on_columns.h"
#include "core/kernels/sru_scan/sru_scan_cpu.h"
#include "core/kernels/sru_scan/sru_scan_tensors.h"

namespace unroll::kernels {
namespace {

using namespace test;

/// Both passes; what is absent and which way they run depends on `round`.
template <class Device>
std::vector<Named> runSru(unsigned round, at::ScalarType type, std::int64_t steps, std::int64_t width = 5)
{
    Draw draws(round);
    const auto sequence = [&](at::IntArrayRef sizes) { return sequenceOf<Device>(draws.normal(sizes), type); };
    const auto state = [&](at::IntArrayRef sizes) { return stateOf(draws.normal(sizes), type); };
    const at::Tensor u = sequence({steps, 2, round % 3 == 0 ? 4 : 3, width});
    const at::Tensor weightC = state({2, width}), bias = state({2, width});
    MaybeTensor x, initial, mask, dropout, gradH, gradC, gradLast;
    if (round % 3 == 1)
        x = sequence({steps, 2, width});
    if (round % 5 != 0)
        initial = state({2, width});
    if (round % 4 < 2)
        mask = draws.uniform({steps, 2}) < 0.7;
    if (round % 5 < 3)
        dropout = stateOf(draws.uniform({2, width}) * 2, type);
    if (round % 7 != 0)
        gradH = sequence({steps, 2, width});
    if (round % 7 < 4)
        gradC = sequence({steps, 2, width});
    if (round % 7 > 2)
        gradLast = state({2, width});
    const std::string_view activation = round / 2 % 2 == 0 ? "identity" : "tanh";
    const bool reverse = round % 2 == 1;
    const auto [h, c, last] =
        sruScanForward<Device>(u, weightC, bias, x, initial, mask, dropout, 1.3, activation, reverse);
    const auto [gradU, gradWeightC, gradBias, gradX, gradInitial] = sruScanBackward<Device>(
        u, weightC, bias, x, initial, mask, dropout, c, gradH, gradC, gradLast, 1.3, activation, reverse);
    return {{"h", h},
            {"c", c},
            {"last", last},
            {"gradient of u", gradU},
            {"gradient of weight_c", gradWeightC},
            {"gradient of bias", gradBias},
            {"gradient of x", gradX},
            {"gradient of initial", gradInitial}};
}

TEST(SruScanColumn, EqualsTheCpuKernel)
{
    for (unsigned round = 0; round < 168; ++round)
        for (at::ScalarType type : {at::kFloat, at::kDouble})
            expectClose(runSru<OnColumns>(round, type, columnSteps(round)),
                        runSru<OnCpu>(round, type, columnSteps(round)), type, "round " + std::to_string(round));
}

TEST(SruScanColumn, InBf16IsNearFp64)
{
    // Of fewer units a single sum that nearly vanishes weighs too much.
    expectBf16NearFp64<OnColumns>([]<class Device>(auto... trial) { return runSru<Device>(trial..., 37); });
}

} // namespace
} // namespace unroll::kernels
