// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/model/model.h"

#include <string>
#include <vector>

namespace unroll {

/// How far a signal that has a limit went.
struct SignalPeak {
    LimitedSignal signal;
    at::Tensor most; ///< a number, still on the device: reading it waits for it
};

/// Watches the signals that have a limit during training's own passes: nothing is computed twice, and nothing else is
/// shown.
class LimitWatch : public Observer {
public:
    explicit LimitWatch(std::vector<LimitedSignal> signals);

    bool watches() const { return !m_peaks.empty(); }
    bool wants(const std::string& node, const std::string& signal) const override;
    void show(const std::string& node, const std::string& signal, const at::Tensor& value) override;
    /// The greatest values shown; signals that were not are left out.
    std::vector<SignalPeak> peaks() const;

private:
    std::vector<SignalPeak> m_peaks;
};

} // namespace unroll
