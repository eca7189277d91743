// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/lens/probe.h"
#include "core/session/frame_keeping.h"
#include "core/session/look_budget.h"
#include "core/session/run_parts.h"
#include "core/session/run_report.h"
#include "core/session/run_summaries.h"
#include "core/session/update_keeping.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

namespace unroll {

/// Answers open queries while a run trains, within a budget, and all of them where it rests. Lenses that are not heavy
/// share one pass over the reading; each heavy one has its own, so that it is answered less often and holds up no
/// other. Summaries over training are treated as those of heavy lenses.
class RunLooks {
public:
    /// `budget`: share of the wall time that looks may take by their own clock; `end`: nothing more can be asked. The
    /// others must outlive it.
    RunLooks(RunParts& parts, RunReport& report, double budget, KeptSummaries kept, std::stop_token end);

    void ask(std::vector<LensQuery> open);          ///< these from now on
    void setReading(const ReadingRequest& reading); ///< where data are there
    /// The same when the run has been built: nothing is examined. What was kept of later steps goes; what lenses have
    /// kept in the run's folder is read. Without a folder there is none.
    void begin(const ReadingRequest& reading, const std::string& run);
    void look(); ///< all again

    /// Before an update, the last one of training or not: keeps the weights, where a snapshot behind it needs them.
    void beforeUpdate(bool isLast);
    /// While it trains, after an update: what is due.
    void lookIfDue();
    /// A viewer has taken that many seconds to draw what the newest snapshot gave.
    void drew(double seconds) { m_budget.alsoTook(seconds); }
    /// Training has come to its end: a summary of each lens, as of this step.
    void keepLastSummaries() { summariseAll(); }

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
        bool needsUpdate = false;
        std::shared_ptr<const LensFrame> frame = {}; ///< null: not answered on this reading
    };
    /// What may be examined by itself: the oldest answer of a heavy lens, or the summary of a lens.
    struct Candidate {
        std::string who; ///< in the budget
        Open* open = nullptr;
        const Lens* summarised = nullptr;
        bool needsUpdate = false;
    };
    bool trains() const;
    bool hasHeavy() const;
    bool isSharedDue() const;
    bool isTaken(const Open& open, std::int64_t step) const { return open.frame && open.frame->step == step; }
    bool lacksShared() const;
    std::vector<Candidate> candidates();
    std::optional<Candidate> due();
    const LastUpdate* update() const;
    std::vector<Open*> owed(std::int64_t step, bool heavy);
    void answerShared(std::int64_t step);
    void answerHeavy(Open& open, std::int64_t step);
    std::vector<std::shared_ptr<const LensFrame>> answerSides(const Open& asked, std::int64_t step);
    void timeShared();
    void timeHeavy(Open& open);
    void timeSummary(const Candidate& candidate);
    void summarise(const Lens& lens, std::int64_t step);
    void summariseAll();
    void answerAll(std::int64_t step);
    void show();
    void take(const ReadingRequest& reading);
    void keepNow(std::int64_t step);
    FrameKeeping::When whenToKeep() const;
    std::vector<std::shared_ptr<const LensFrame>> answersTo(const std::vector<LensQuery>& queries, std::int64_t step);
    ProbeText textOf(const ReadingRequest& reading);
    Result<ProbeText> written(const ReadingRequest& reading);

    RunParts& m_parts;
    RunReport& m_report;
    LookBudget m_budget;
    RunSummaries m_summaries;
    std::stop_token m_end;
    ProbeText m_text;
    std::vector<Open> m_open;
    bool m_wantsUpdate = false; ///< what is due needs the weights before the next update
    UpdateKeeping m_updates;
    FrameKeeping m_keeping;
};

} // namespace unroll
