// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/lens/probe.h"
#include "core/session/frame_keeping.h"
#include "core/session/look_clock.h"
#include "core/session/run_parts.h"
#include "core/session/run_report.h"

#include <cstdint>
#include <map>
#include <memory>
#include <stop_token>
#include <string>
#include <vector>

namespace unroll {

/// Answers open queries while a run trains, within a budget, and all of them where it rests. Lenses that are not heavy
/// share one pass over the reading; each heavy one has its own, so that it is answered less often and holds up no
/// other.
class RunLooks {
public:
    /// `budget` as SessionOptions::lookBudget; `end`: nothing more can be asked. The others must outlive it.
    RunLooks(RunParts& parts, RunReport& report, double budget, std::stop_token end);

    void ask(std::vector<LensQuery> open);          ///< these from now on
    void setReading(const ReadingRequest& reading); ///< where data are there
    /// The same when the run has been built: nothing is looked at, and what is kept of later steps goes.
    void begin(const ReadingRequest& reading);
    void look(); ///< all anew

    /// While it trains, after an update: what is due.
    void lookIfDue();

    enum class Heavy { Later, Now };
    /// Where a run rests or ends its answers are those of this step, whatever the budget says: that is when people
    /// look. The next snapshot shows them; those of heavy lenses are owed.
    void freshen(std::int64_t step, Heavy heavy = Heavy::Later);
    /// Whether answers are owed that nothing else has to wait for.
    bool owes() const;
    void answerOwed(); ///< one of them

private:
    struct Open {
        LensQuery query;
        bool heavy = false;
        std::shared_ptr<const LensFrame> frame = {}; ///< null: not answered on this reading
    };
    bool trains() const;
    bool hasHeavy() const;
    double sharedRate() const;
    bool isTaken(const Open& open, std::int64_t step) const { return open.frame && open.frame->step == step; }
    bool lacksShared() const;
    Open* dueHeavy(double now);
    std::vector<Open*> owed(std::int64_t step, bool heavy);
    void answerShared(std::int64_t step);
    void answerHeavy(Open& open, std::int64_t step);
    void timeShared();
    void timeHeavy(Open& open);
    void answerAll(std::int64_t step);
    void show();
    void take(const ReadingRequest& reading);
    void keepNow(std::int64_t step);
    std::vector<std::shared_ptr<const LensFrame>> answersTo(const std::vector<LensQuery>& queries, std::int64_t step);
    ProbeText textOf(const ReadingRequest& reading);
    Result<ProbeText> written(const ReadingRequest& reading);

    RunParts& m_parts;
    RunReport& m_report;
    double m_budget;
    std::stop_token m_end;
    ProbeText m_text;
    std::vector<Open> m_open;
    LookClock m_shared;
    LookClock m_anyHeavy; ///< of all of them together
    FrameKeeping m_keeping;
    std::map<std::string, LookClock> m_heavy; ///< by lens: other settings cost about as much
};

} // namespace unroll
