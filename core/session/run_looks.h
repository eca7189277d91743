// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/lens/probe.h"
#include "core/session/run_parts.h"
#include "core/session/run_report.h"

#include <cstdint>
#include <stop_token>
#include <string>
#include <vector>

namespace unroll {

/// Looks at the model while it trains: one forward pass over the probe text answers all open queries.
class RunLooks {
public:
    /// `budget` as SessionOptions::lookBudget; `end`: nothing more can be asked. The others must outlive it.
    RunLooks(RunParts& parts, RunReport& report, double budget, std::stop_token end);

    void ask(std::vector<LensQuery> open);          ///< these from now on; looks
    void setReading(const ReadingRequest& reading); ///< looks, where data are there
    void take(const ReadingRequest& reading);
    void look();
    /// Where a viewer has read the last look, and the budget allows.
    void lookIfWorthIt();
    /// Where a run rests or ends its state is that of this step, whatever the budget says: that is when people look. The next snapshot shows it.
    void freshen(std::int64_t step);

private:
    void lookNow();
    void takeLook(std::int64_t step);
    bool isTaken(std::int64_t step) const;

    RunParts& m_parts;
    RunReport& m_report;
    double m_budget;
    std::stop_token m_end;
    ProbeText m_text;
    std::vector<LensQuery> m_open;
    double m_seconds = 0; ///< spent
};

} // namespace unroll
