// SPDX-License-Identifier: GPL-3.0-or-later
// What a CUDA thread runs, run here on the CPU, row by row, and compared with the CPU kernel.
#include "core/kernels/matrix_scan/matrix_scan_column.h"

#include "core/kernels/matrix_scan/matrix_scan_case.h"
#include "core/kernels/matrix_scan/matrix_scan_cpu.h"
#include "core/kernels/matrix_scan/matrix_scan_tensors.h"

namespace unroll::kernels {
namespace {

using namespace test;

/// Arguments of one call; what is absent and which way it runs depends on `round`.
struct MatrixSetting {
    MatrixSetting(unsigned round, at::ScalarType type)
    {
        MatrixCase c;
        c.steps = std::vector<std::int64_t>{0, 1, 7, 20}[round % 4];
        c.batch = 2;
        c.heads = 3;
        c.size = std::vector<std::int64_t>{1, 3, 4, 5, 8, 11, 16, 21}[round % 8];
        const MatrixNumbers n = draw(c, round);
        m = n.m.to(type);
        if (round % 5 != 0)
            initial = n.initial.to(type);
        if (round / 8 % 2 == 0)
            mask = n.mask;
        if (round % 3 != 0)
            gradH = n.weights[0].to(type);
        if (round % 3 != 1)
            gradLast = n.weights[1].to(type);
        reverse = round / 16 % 2 == 1;
    }
    MatrixScanCall call() const { return {"matrix_scan", m, initial, mask, reverse}; }
    bool reverse = false;
    at::Tensor m;
    std::optional<at::Tensor> initial, mask, gradH, gradLast;
};

template <class Column, class Scan>
void walkRows(const Scan& scan)
{
    for (std::int64_t b = 0; b < scan.batch; ++b)
        for (std::int64_t unit = 0; unit < scan.width; ++unit)
            Column(scan, b, unit).run();
}

template <typename T, int capacity>
void compareMatrices(const MatrixSetting& s, at::ScalarType type, const std::string& what)
{
    const MatrixScanCall call = s.call();
    const ColumnRange all{0, call.batch * call.heads};
    const auto named = [](const char* sequence, const std::tuple<at::Tensor, at::Tensor>& pair) {
        return std::vector<Named>{{sequence, std::get<0>(pair)}, {"state", std::get<1>(pair)}};
    };
    const MatrixScanOutputs want = emptyPair(call), got = emptyPair(call);
    matrixScanForwardCpu(forwardParams<T, T>(call, want), all);
    walkRows<MatrixScanForwardColumn<T, T, capacity>>(forwardParams<T, T>(call, got));
    expectClose(named("h", got), named("h", want), type, what);

    const MatrixScanBackwardIn in(call, std::get<0>(want), s.gradH, s.gradLast);
    const MatrixScanGradients wantBack = emptyPair(call), gotBack = emptyPair(call);
    matrixScanBackwardCpu(backwardParams<T, T>(call, in, wantBack), all);
    const auto back = backwardParams<T, T>(call, in, gotBack);
    walkRows<MatrixScanBackwardColumn<T, T, capacity>>(back);
    walkRows<MatrixScanProductColumn<T, T, capacity>>(MatrixScanProducts<T, T>(back));
    expectClose(named("gradient of m", gotBack), named("gradient of m", wantBack), type, what + ", backward");
}

template <typename T>
void compareInEveryCapacity(unsigned round, at::ScalarType type)
{
    const MatrixSetting s(round, type);
    const std::string what = "round " + std::to_string(round);
    const std::int64_t n = s.call().size;
    compareMatrices<T, maxMatrixSize>(s, type, what);
    if (n <= 16)
        compareMatrices<T, 16>(s, type, what);
    if (n <= 8)
        compareMatrices<T, 8>(s, type, what);
    if (n <= 4)
        compareMatrices<T, 4>(s, type, what);
}

TEST(MatrixScanColumn, EqualsTheCpuKernel)
{
    for (unsigned round = 0; round < 96; ++round) {
        compareInEveryCapacity<float>(round, at::kFloat);
        compareInEveryCapacity<double>(round, at::kDouble);
    }
}

} // namespace
} // namespace unroll::kernels
