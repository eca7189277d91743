// SPDX-License-Identifier: GPL-3.0-or-later
// What a CUDA thread runs, run here on the CPU, column by column, and compared with the CPU kernel.
#include "core/kernels/sru_scan/sru_scan_column.h"

#include "core/kernels/common/kernel_test.h"
#include "core/kernels/sru_scan/sru_scan_cpu.h"
#include "core/kernels/sru_scan/sru_scan_tensors.h"

namespace unroll::kernels {
namespace {

using namespace test;

/// Arguments of one call; what is absent and which way it runs depends on `round`.
struct Setting {
    explicit Setting(unsigned round, at::ScalarType type)
    {
        Draw draws(round);
        const std::int64_t steps = std::vector<std::int64_t>{0, 1, 7, 8, 9, 16, 17, 40}[round % 8];
        u = draws.normal({steps, 2, round % 3 == 0 ? 4 : 3, 5}).to(type);
        weightC = draws.normal({2, 5}).to(type);
        bias = draws.normal({2, 5}).to(type);
        if (round % 3 == 1)
            x = draws.normal({steps, 2, 5}).to(type);
        if (round % 5 != 0)
            initial = draws.normal({2, 5}).to(type);
        if (round % 4 < 2)
            mask = draws.uniform({steps, 2}) < 0.7;
        if (round % 5 < 3)
            dropout = draws.uniform({2, 5}).to(type) * 2;
        if (round % 7 != 0)
            gradH = draws.normal({steps, 2, 5}).to(type);
        if (round % 7 < 4)
            gradC = draws.normal({steps, 2, 5}).to(type);
        if (round % 7 > 2)
            gradLast = draws.normal({2, 5}).to(type);
        const SruScanSettings settings{1.3, round / 2 % 2 == 0 ? "identity" : "tanh", round % 2 == 1};
        call = std::make_unique<SruScanCall>("sru_scan", SruScanTensors{u, weightC, bias, x, initial, mask, dropout},
                                             settings);
    }
    at::Tensor u, weightC, bias;
    std::optional<at::Tensor> x, initial, mask, dropout, gradH, gradC, gradLast;
    std::unique_ptr<SruScanCall> call;
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
    const SruScanOutputs want = emptyOutputs(*s.call), got = emptyOutputs(*s.call);
    sruScanForwardCpu(forwardParams<T, T>(*s.call, want), {0, 10});
    walk<SruScanForwardColumn<T, T>>(forwardParams<T, T>(*s.call, got));
    const auto named = [](const SruScanOutputs& o) {
        return std::vector<Named>{{"h", std::get<0>(o)}, {"c", std::get<1>(o)}, {"last", std::get<2>(o)}};
    };
    expectClose(named(got), named(want), type, "round " + std::to_string(round));

    const SruScanGradientsIn in(*s.call, s.gradH, s.gradC, s.gradLast);
    const SruScanGradients wantBack = emptyGradients(*s.call), gotBack = emptyGradients(*s.call);
    const at::Tensor wantSums = emptyPartialSums(*s.call), gotSums = emptyPartialSums(*s.call);
    const at::Tensor& c = std::get<1>(want);
    sruScanBackwardCpu(backwardParams<T, T>(*s.call, c, in, wantBack, wantSums), {0, 10});
    walk<SruScanBackwardColumn<T, T>>(backwardParams<T, T>(*s.call, c, in, gotBack, gotSums));
    const auto namedBack = [](const SruScanGradients& o, const at::Tensor& sums) {
        return std::vector<Named>{
            {"u", std::get<0>(o)}, {"x", std::get<3>(o)}, {"initial", std::get<4>(o)}, {"weights", sums}};
    };
    expectClose(namedBack(gotBack, gotSums), namedBack(wantBack, wantSums), type,
                "backward, round " + std::to_string(round));
}

TEST(SruScanColumn, EqualsTheCpuKernel)
{
    for (unsigned round = 0; round < 168; ++round) {
        compare<float>(round, at::kFloat);
        compare<double>(round, at::kDouble);
    }
}

} // namespace
} // namespace unroll::kernels
