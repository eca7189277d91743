// SPDX-License-Identifier: GPL-3.0-or-later
// What a CUDA thread runs, run here on the CPU, column by column, and compared with the CPU kernel.
#include "core/kernels/diag_scan/diag_scan_column.h"

#include "core/kernels/common/kernel_test.h"
#include "core/kernels/diag_scan/diag_scan_cpu.h"
#include "core/kernels/diag_scan/diag_scan_tensors.h"

#include <ATen/ops/view_as_complex.h>
#include <ATen/ops/view_as_real.h>

namespace unroll::kernels {
namespace {

using namespace test;

/// Arguments of one call; what is absent and which way it runs depends on `round`.
struct DiagSetting {
    DiagSetting(unsigned round, at::ScalarType real, bool complex)
    {
        Draw draws(round);
        const std::int64_t steps = std::vector<std::int64_t>{0, 1, 7, 8, 9, 16, 17, 40}[round % 8];
        const auto drawn = [&](std::vector<std::int64_t> sizes) {
            if (complex)
                sizes.push_back(2);
            const at::Tensor numbers = (draws.normal(sizes) * 0.6).to(real);
            return complex ? at::view_as_complex(numbers) : numbers;
        };
        a = round / 2 % 2 == 1 ? drawn({5}) : drawn({steps, 2, 5});
        b = drawn({steps, 2, 5});
        if (round % 5 != 0)
            initial = drawn({2, 5});
        if (round % 4 < 2)
            mask = draws.uniform({steps, 2}) < 0.7;
        if (round % 3 != 0)
            gradH = drawn({steps, 2, 5});
        if (round % 3 != 1)
            gradLast = drawn({2, 5});
        reverse = round % 2 == 1;
    }
    DiagScanCall call(const char* name, const at::Tensor& sequence) const
    {
        return {"diag_scan", name, sequence, a, initial, mask, reverse};
    }
    bool reverse = false;
    at::Tensor a, b;
    std::optional<at::Tensor> initial, mask, gradH, gradLast;
};

at::Tensor realParts(const at::Tensor& tensor)
{
    return tensor.is_complex() ? at::view_as_real(tensor) : tensor;
}

template <class Column, class Scan>
void walkAll(const Scan& scan)
{
    for (std::int64_t b = 0; b < scan.batch; ++b)
        for (std::int64_t j = 0; j < scan.width; ++j)
            Column(scan, b, j).run();
}

template <typename T>
void compareDiag(unsigned round, at::ScalarType real)
{
    const DiagSetting s(round, real, Parts<T>::count == 2);
    const DiagScanCall call = s.call("b", s.b);
    const DiagScanOutputs want = emptyOutputs(call), got = emptyOutputs(call);
    diagScanForwardCpu(forwardParams<T, T>(call, want), {0, 10});
    walkAll<DiagScanForwardColumn<T, T>>(forwardParams<T, T>(call, got));
    const auto named = [](const DiagScanOutputs& o) {
        return std::vector<Named>{{"h", realParts(std::get<0>(o))}, {"last", realParts(std::get<1>(o))}};
    };
    expectClose(named(got), named(want), real, "round " + std::to_string(round));

    const DiagScanCall back = s.call("h", std::get<0>(want));
    const DiagScanGradientsIn in(back, s.gradH, s.gradLast);
    const DiagScanGradients wantBack = emptyGradients(back), gotBack = emptyGradients(back);
    const at::Tensor wantSums = emptySums(back), gotSums = emptySums(back);
    diagScanBackwardCpu(backwardParams<T, T>(back, in, wantBack, wantSums), {0, 10});
    walkAll<DiagScanBackwardColumn<T, T>>(backwardParams<T, T>(back, in, gotBack, gotSums));
    const auto namedBack = [&](const DiagScanGradients& o, const at::Tensor& sums) {
        return std::vector<Named>{{"a", realParts(back.hasConstant() ? sums : std::get<0>(o))},
                                  {"b", realParts(std::get<1>(o))},
                                  {"initial", realParts(std::get<2>(o))}};
    };
    expectClose(namedBack(gotBack, gotSums), namedBack(wantBack, wantSums), real,
                "backward, round " + std::to_string(round));
}

TEST(DiagScanColumn, EqualsTheCpuKernel)
{
    for (unsigned round = 0; round < 120; ++round) {
        compareDiag<float>(round, at::kFloat);
        compareDiag<double>(round, at::kDouble);
        compareDiag<ComplexPair<float>>(round, at::kFloat);
        compareDiag<ComplexPair<double>>(round, at::kDouble);
    }
}

} // namespace
} // namespace unroll::kernels
