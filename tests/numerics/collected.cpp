// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/numerics/collected.h"

#include "core/kernels/cpu/cpu_targets.h"

#include <cmath>
#include <limits>

namespace unroll::kernels::test {
namespace {

/// NaN is the worst of all.
double worse(double a, double b)
{
    return a >= b ? a : std::isnan(b) ? std::numeric_limits<double>::infinity() : b;
}

void keep(Accuracy& accuracy, AccuracyRow row)
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

} // namespace

Compared::Kernel onEveryTarget(const std::function<std::vector<Named>()>& kernel)
{
    Compared::Kernel all;
    for (const std::string& target : cpuTargets()) {
        const ScopedCpuTarget scope(target);
        all.push_back(kernel());
    }
    return all;
}

void Collected::add(const std::string& kernel, const std::string& call, const Compared& compared)
{
    Accuracy& accuracy = called(kernel);
    const std::vector<Named>& want = compared.exact;
    for (std::size_t i = 0; i < want.size(); ++i) {
        double ours = 0;
        for (const std::vector<Named>& got : compared.kernel)
            ours = worse(ours, relativeRms(got[i].tensor, want[i].tensor));
        const double plain = relativeRms(compared.plain[i].tensor, want[i].tensor);
        keep(accuracy, {want[i].name, call, ours, plain, 1, compared.least});
    }
}

Accuracy& Collected::called(const std::string& kernel)
{
    for (Accuracy& accuracy : m_results)
        if (accuracy.kernel == kernel)
            return accuracy;
    return m_results.emplace_back(Accuracy{kernel, {}});
}

} // namespace unroll::kernels::test
