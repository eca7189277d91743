// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/numerics/collected.h"

#include "core/kernels/common/cpu_targets.h"

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

void Collected::add(const std::string& kernel, const std::string& call, const Compared& compared)
{
    Accuracy& accuracy = called(kernel);
    const std::vector<Named>& want = compared.exact;
    std::vector<double> ours(want.size(), 0);
    for (const std::string& target : cpuTargets()) {
        const ScopedCpuTarget scope(target);
        const std::vector<Named> got = compared.kernel();
        for (std::size_t i = 0; i < want.size(); ++i)
            ours[i] = worse(ours[i], relativeRms(got[i].tensor, want[i].tensor));
    }
    for (std::size_t i = 0; i < want.size(); ++i)
        keep(accuracy, {want[i].name, call, ours[i], relativeRms(compared.plain[i].tensor, want[i].tensor), 1});
}

Accuracy& Collected::called(const std::string& kernel)
{
    for (Accuracy& accuracy : m_results)
        if (accuracy.kernel == kernel)
            return accuracy;
    return m_results.emplace_back(Accuracy{kernel, {}});
}

} // namespace unroll::kernels::test
