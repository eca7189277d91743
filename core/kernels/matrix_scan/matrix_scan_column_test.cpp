// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/kernels/matrix_scan/matrix_scan_column.h"

#include "core/kernels/common/on_columns.h"
#include "core/kernels/matrix_scan/matrix_scan_cpu.h"
#include "core/kernels/matrix_scan/matrix_scan_tensors.h"

namespace unroll::kernels {
namespace {

using namespace test;

template <class Column, class Scan>
void walkRows(const Scan& scan)
{
    for (std::int64_t b = 0; b < scan.batch; ++b)
        for (std::int64_t unit = 0; unit < scan.width; ++unit)
            Column(scan, b, unit).run();
}

/// What CUDA threads with so many registers a row run.
template <int capacity>
struct WalkRows {
    template <typename T>
    void operator()(const MatrixScanForward<T, T>& scan) const
    {
        walkRows<MatrixScanForwardColumn<T, T, capacity>>(scan);
    }
    template <typename T>
    void operator()(const MatrixScanBackward<T, T>& scan) const
    {
        walkRows<MatrixScanBackwardColumn<T, T, capacity>>(scan);
        walkRows<MatrixScanProductColumn<T, T, capacity>>(MatrixScanProducts<T, T>(scan));
    }
};

template <int capacity>
using OnRows = OnCpuBy<WalkRows<capacity>>;

std::int64_t sizeIn(unsigned round)
{
    constexpr std::int64_t sizes[] = {1, 3, 4, 5, 8, 11, 16, 21};
    return sizes[round % std::size(sizes)];
}

/// Both passes; what is absent and which way they run depends on `round`.
template <class Device>
std::vector<Named> runMatrices(unsigned round, at::ScalarType type)
{
    Draw draws(round);
    constexpr std::int64_t lengths[] = {0, 1, 7, 20};
    const std::int64_t steps = lengths[round % std::size(lengths)], n = sizeIn(round);
    const auto normal = [&](at::IntArrayRef sizes) { return draws.normal(sizes).to(type); };
    const at::Tensor m = normal({steps, 2, 3, n, n}) / std::sqrt(static_cast<double>(n));
    MaybeTensor initial, mask, gradH, gradLast;
    if (round % 5 != 0)
        initial = normal({2, 3, n, n});
    if (round / 8 % 2 == 0)
        mask = draws.uniform({steps, 2}) < 0.7;
    if (round % 3 != 0)
        gradH = normal({steps, 2, 3, n, n});
    if (round % 3 != 1)
        gradLast = normal({2, 3, n, n});
    const bool reverse = round / 16 % 2 == 1;
    const auto [h, last] = matrixScanForward<Device>(m, initial, mask, reverse);
    const auto [gradM, gradInitial] = matrixScanBackward<Device>(m, initial, mask, h, gradH, gradLast, reverse);
    return {{"h", h}, {"last", last}, {"gradient of m", gradM}, {"gradient of initial", gradInitial}};
}

template <int capacity>
void expectTheCpuKernel(unsigned round)
{
    if (sizeIn(round) <= capacity)
        for (at::ScalarType type : {at::kFloat, at::kDouble})
            expectClose(runMatrices<OnRows<capacity>>(round, type), runMatrices<OnCpu>(round, type), type,
                        "round " + std::to_string(round) + ", capacity " + std::to_string(capacity));
}

TEST(MatrixScanColumn, EqualsTheCpuKernel)
{
    for (unsigned round = 0; round < 96; ++round) {
        expectTheCpuKernel<4>(round);
        expectTheCpuKernel<8>(round);
        expectTheCpuKernel<16>(round);
        expectTheCpuKernel<static_cast<int>(maxMatrixSize)>(round);
    }
}

} // namespace
} // namespace unroll::kernels
