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
std::vector<Named> runSru(unsigned round, at::ScalarType type)
{
    Draw draws(round);
    const std::int64_t steps = columnSteps(round);
    const auto normal = [&](at::IntArrayRef sizes) { return draws.normal(sizes).to(type); };
    const at::Tensor u = normal({steps, 2, round % 3 == 0 ? 4 : 3, 5});
    const at::Tensor weightC = normal({2, 5}), bias = normal({2, 5});
    MaybeTensor x, initial, mask, dropout, gradH, gradC, gradLast;
    if (round % 3 == 1)
        x = normal({steps, 2, 5});
    if (round % 5 != 0)
        initial = normal({2, 5});
    if (round % 4 < 2)
        mask = draws.uniform({steps, 2}) < 0.7;
    if (round % 5 < 3)
        dropout = draws.uniform({2, 5}).to(type) * 2;
    if (round % 7 != 0)
        gradH = normal({steps, 2, 5});
    if (round % 7 < 4)
        gradC = normal({steps, 2, 5});
    if (round % 7 > 2)
        gradLast = normal({2, 5});
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
            expectClose(runSru<OnColumns>(round, type), runSru<OnCpu>(round, type), type,
                        "round " + std::to_string(round));
}

} // namespace
} // namespace unroll::kernels
