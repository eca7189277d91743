// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/frames/frame_store.h"
#include "core/lens/probe.h"
#include "core/session/look_clock.h"
#include "core/session/run_report.h"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace unroll {

/// Keeps what lenses show in the run's folder, so that one can go back (core/frames). While the run trains that takes a
/// fifth of the time of snapshots at most, and what it costs is part of theirs; where it rests, the frames of that step
/// are kept. What a disk refuses is told once, and training goes on.
class FrameKeeping {
public:
    /// Share of the wall time of snapshots.
    static constexpr double kShare = 0.2;
    enum class When { IfDue, Now };

    /// `budget` as that of RunLooks. The report must outlive it.
    FrameKeeping(RunReport& report, double budget);

    /// The run has come to this step: what was kept of later ones goes. Without a folder that is written nothing is
    /// kept.
    void begin(std::int64_t step);
    void setReading(const ProbeText& text); ///< what the frames are of from now on
    void keep(const std::vector<std::shared_ptr<const LensFrame>>& frames, When when);

private:
    bool follow();
    bool keepOne(const LensFrame& frame, When when);
    void tell(const Error& error);

    RunReport& m_report;
    double m_budget;
    std::optional<FrameStore> m_store;
    std::string m_folder; ///< of the store
    std::string m_reading, m_of;
    LookClock m_clock;
};

} // namespace unroll
