// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/lens/probe.h"
#include "core/lens/step_answers.h"
#include "core/model/block.h"

#include <cstdint>
#include <string>
#include <vector>

namespace unroll {

/// Keeps copies of what is watched, as floats, of each of a few sequences that are read side by side. What is shown
/// piece by piece is joined along the steps.
class SignalRecorder : public Observer {
public:
    /// `watched` must outlive it.
    SignalRecorder(const std::vector<WatchedSignal>& watched, std::int64_t sequences);

    bool wants(const std::string& node, const std::string& signal) const override;
    void show(const std::string& node, const std::string& signal, const at::Tensor& value) override;

    /// What was recorded of a sequence, in the order in which it was shown; once.
    std::vector<SignalFrame> take(std::int64_t sequence);

private:
    static void append(std::vector<SignalFrame>& frames, SignalFrame piece);

    const std::vector<WatchedSignal>& m_watched;
    std::vector<std::vector<SignalFrame>> m_frames; ///< of each sequence
};

/// What one pass gave.
struct Recorded {
    Told told;
    std::vector<SignalFrame> signals;
};

/// As plain values: what look() gives of a pass. `text` is what was read.
ProbeFrame frameOf(const Model& model, ProbeText text, const LensNeeds& needs, std::int64_t step, Recorded recorded);

} // namespace unroll
