// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/train/limit_watch.h"

#include <ATen/ops/maximum.h>

#include <algorithm>
#include <iterator>
#include <utility>

namespace unroll {

namespace {

auto placeOf(const std::string& node, const std::string& signal)
{
    return [&](const SignalPeak& peak) { return peak.signal.node == node && peak.signal.spec->name == signal; };
}

} // namespace

LimitWatch::LimitWatch(std::vector<LimitedSignal> signals)
{
    for (LimitedSignal& signal : signals)
        m_peaks.push_back({std::move(signal), {}});
}

bool LimitWatch::wants(const std::string& node, const std::string& signal) const
{
    return std::any_of(m_peaks.begin(), m_peaks.end(), placeOf(node, signal));
}

void LimitWatch::show(const std::string& node, const std::string& signal, const at::Tensor& value)
{
    const auto peak = std::find_if(m_peaks.begin(), m_peaks.end(), placeOf(node, signal));
    const at::Tensor most = value.detach().max();
    peak->most = peak->most.defined() ? at::maximum(peak->most, most) : most;
}

std::vector<SignalPeak> LimitWatch::peaks() const
{
    std::vector<SignalPeak> shown;
    std::copy_if(m_peaks.begin(), m_peaks.end(), std::back_inserter(shown),
                 [](const SignalPeak& peak) { return peak.most.defined(); });
    return shown;
}

} // namespace unroll
