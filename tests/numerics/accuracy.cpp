// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/numerics/accuracy.h"

#include "tests/numerics/collected.h"

namespace unroll::kernels::test {
namespace {

/// Compares one call in all its outputs and gradients.
void addScan(Collected& to, const std::string& name, const ScanCase& scan, const Trial& trial, const std::string& call)
{
    to.add(name + (scan.complex ? ", complex" : ""), call,
           {byPlainLoop(scan, trial, at::kDouble), byPlainLoop(scan, trial, at::kFloat),
            [&] { return byKernel(scan, trial, at::kFloat); }});
}

std::string sizesOf(const ScanShape& shape)
{
    return "T " + std::to_string(shape.steps) + ", B " + std::to_string(shape.batch) + ", d " +
           std::to_string(shape.width);
}

/// Calls with the numbers that a kernel draws.
void addOrdinary(Collected& to, const ScanKernel& kernel, Extent extent)
{
    const bool whole = extent == Extent::Whole;
    const std::vector<std::int64_t> lengths =
        whole ? std::vector<std::int64_t>{1, 2, 63, 64, 65, 1000, 4097} : std::vector<std::int64_t>{1, 2, 65};
    unsigned round = 0;
    for (std::int64_t steps : lengths)
        for (std::int64_t width : {7, 33})
            for (int i = 0; i < (whole ? 4 : 2); ++i, ++round) {
                const auto scan = kernel.variant({steps, 3, width}, round);
                addScan(to, kernel.name, *scan, drawTrial(*scan, round), sizesOf(scan->shape));
            }
}

void addExtreme(Collected& to, const ScanKernel& kernel, Extent extent)
{
    const std::vector<std::int64_t> lengths =
        extent == Extent::Whole ? std::vector<std::int64_t>{65, 1000, 4097} : std::vector<std::int64_t>{65};
    unsigned round = 0;
    for (std::int64_t steps : lengths)
        for (int i = 0; i < 2; ++i, ++round) {
            const auto scan = kernel.variant({steps, 2, 9}, round);
            scan->gradients = ~0u; // of one that arrives on the last state alone, nothing would be left
            for (const Extreme& extreme : scan->extremes()) {
                Trial trial = drawTrial(*scan, round);
                extreme.apply(trial.numbers);
                addScan(to, kernel.name, *scan, trial, sizesOf(scan->shape) + "; " + extreme.what);
            }
        }
}

} // namespace

std::vector<Accuracy> measure(const ScanKernel& kernel, Extent extent)
{
    Collected collected;
    addOrdinary(collected, kernel, extent);
    addExtreme(collected, kernel, extent);
    return collected.take();
}

} // namespace unroll::kernels::test
