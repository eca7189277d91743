// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/numerics/accuracy.h"

#include "core/kernels/common/cpu_targets.h"

#include <limits>

namespace unroll::kernels::test {
namespace {

/// Calls of one kernel, as they come in.
class Collected {
public:
    /// Compares one call in all its outputs and gradients.
    void add(const std::string& name, const ScanCase& scan, const Trial& trial, const std::string& call)
    {
        Accuracy& accuracy = called(name + (scan.complex ? ", complex" : ""));
        const std::vector<Named> want = byPlainLoop(scan, trial, at::kDouble);
        const std::vector<Named> plain = byPlainLoop(scan, trial, at::kFloat);
        std::vector<double> ours(want.size(), 0);
        for (const std::string& target : cpuTargets()) {
            const ScopedCpuTarget scope(target);
            const std::vector<Named> got = byKernel(scan, trial, at::kFloat);
            for (std::size_t i = 0; i < want.size(); ++i)
                ours[i] = worse(ours[i], relativeRms(got[i].tensor, want[i].tensor));
        }
        for (std::size_t i = 0; i < want.size(); ++i)
            keep(accuracy, {want[i].name, call, ours[i], relativeRms(plain[i].tensor, want[i].tensor), 1});
    }

    std::vector<Accuracy> take() { return std::move(m_results); }

private:
    /// NaN is the worst of all.
    static double worse(double a, double b)
    {
        return a >= b ? a : std::isnan(b) ? std::numeric_limits<double>::infinity() : b;
    }

    Accuracy& called(const std::string& kernel)
    {
        for (Accuracy& accuracy : m_results)
            if (accuracy.kernel == kernel)
                return accuracy;
        return m_results.emplace_back(Accuracy{kernel, {}});
    }

    static void keep(Accuracy& accuracy, AccuracyRow row)
    {
        for (AccuracyRow& kept : accuracy.rows)
            if (kept.output == row.output) {
                row.calls = kept.calls + 1;
                if (row.ours / row.bound() > kept.ours / kept.bound())
                    kept = row;
                kept.calls = row.calls;
                return;
            }
        accuracy.rows.push_back(row);
    }

    std::vector<Accuracy> m_results;
};

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
                to.add(kernel.name, *scan, drawTrial(*scan, round), sizesOf(scan->shape));
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
                to.add(kernel.name, *scan, trial, sizesOf(scan->shape) + "; " + extreme.what);
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
