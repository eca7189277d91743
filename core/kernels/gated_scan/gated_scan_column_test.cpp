// SPDX-License-Identifier: GPL-3.0-or-later
// What a CUDA thread runs, run here on the CPU, column by column, and compared with the CPU kernel.
#include "core/kernels/gated_scan/gated_scan_column.h"

#include "core/kernels/common/kernel_test.h"
#include "core/kernels/gated_scan/gated_scan_cpu.h"
#include "core/kernels/gated_scan/gated_scan_tensors.h"

namespace unroll::kernels {
namespace {

using namespace test;

/// Arguments of one call; what is absent and which way it runs depends on `round`.
struct Setting {
    explicit Setting(unsigned round, at::ScalarType type)
    {
        Draw draws(round);
        const std::int64_t steps = std::vector<std::int64_t>{0, 1, 7, 8, 9, 16, 17, 40}[round % 8];
        outputGate = round % 3 != 0;
        reverse = round % 2 == 1;
        gates = (draws.normal({steps, 2, 5 * (outputGate ? 3 : 2)}) * 2).to(type);
        if (round % 5 != 0)
            initial = draws.normal({2, 5}).to(type);
        if (round % 4 < 2)
            mask = draws.uniform({steps, 2}) < 0.7;
        if (round % 7 != 0)
            gradU = draws.normal({steps, 2, 5}).to(type);
        if (round % 7 < 4)
            gradH = draws.normal({steps, 2, 5}).to(type);
        if (round % 7 > 2)
            gradLast = draws.normal({2, 5}).to(type);
        call = std::make_unique<GatedScanCall>("gated_scan", gates, initial, mask,
                                               activationName(static_cast<Activation>(round / 3 % 4)), outputGate,
                                               reverse);
    }
    bool outputGate, reverse;
    at::Tensor gates;
    std::optional<at::Tensor> initial, mask, gradU, gradH, gradLast;
    std::unique_ptr<GatedScanCall> call;
};

template <class Column, class Scan>
void walk(const Scan& scan)
{
    for (std::int64_t b = 0; b < scan.batch; ++b)
        for (std::int64_t j = 0; j < scan.width; ++j)
            Column(scan, b, j).run();
}

template <typename T>
void compare(unsigned round, at::ScalarType type)
{
    const Setting s(round, type);
    const GatedScanOutputs want = emptyOutputs(*s.call), got = emptyOutputs(*s.call);
    gatedScanForwardCpu(forwardParams<T, T>(*s.call, want), {0, 10});
    walk<GatedScanForwardColumn<T, T>>(forwardParams<T, T>(*s.call, got));
    const auto named = [](const GatedScanOutputs& o) {
        return std::vector<Named>{{"u", std::get<0>(o)}, {"h", std::get<1>(o)}, {"last", std::get<2>(o)}};
    };
    expectClose(named(got), named(want), type, "round " + std::to_string(round));

    const GatedScanGradientsIn in(*s.call, s.gradU, s.gradH, s.gradLast);
    const GatedScanGradients wantBack = emptyGradients(*s.call), gotBack = emptyGradients(*s.call);
    const at::Tensor& h = std::get<1>(want);
    gatedScanBackwardCpu(backwardParams<T, T>(*s.call, h, in, wantBack), {0, 10});
    walk<GatedScanBackwardColumn<T, T>>(backwardParams<T, T>(*s.call, h, in, gotBack));
    const auto namedBack = [](const GatedScanGradients& o) {
        return std::vector<Named>{{"gates", std::get<0>(o)[0]}, {"initial", std::get<1>(o)}};
    };
    expectClose(namedBack(gotBack), namedBack(wantBack), type, "backward, round " + std::to_string(round));
}

TEST(GatedScanColumn, EqualsTheCpuKernel)
{
    for (unsigned round = 0; round < 168; ++round) {
        compare<float>(round, at::kFloat);
        compare<double>(round, at::kDouble);
    }
}

} // namespace
} // namespace unroll::kernels
