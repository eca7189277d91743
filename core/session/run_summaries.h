// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/lens/lens.h"
#include "core/session/run_report.h"

#include <cstdint>
#include <filesystem>
#include <set>
#include <string>
#include <vector>

namespace unroll {

/// What lenses have kept over a run, as its folder has it; nothing where there is none. An error: it cannot be read.
Result<LensHistories> lensHistoriesOf(const std::filesystem::path& run);

/// Which summaries are kept, see SessionOptions::keepsSummaries.
struct KeptSummaries {
    bool any = false; ///< new ones; else what is there is only read
    std::int64_t every = 0;
};

/// Keeps the summaries of lenses over training, in memory and in the run's folder: 512 rows of a lens at most, then
/// every second one goes.
class RunSummaries {
public:
    /// The report must outlive it.
    RunSummaries(RunReport& report, KeptSummaries kept) : m_report(report), m_kept(kept) {}

    /// Takes what the run has kept so far; once it is built.
    void begin(const std::filesystem::path& run);
    bool keeps() const { return m_kept.any; }
    /// Whether all are to be kept at this step, whatever they cost.
    bool isFixed(std::int64_t step) const { return m_kept.any && m_kept.every > 0 && step % m_kept.every == 0; }
    /// Whether they are kept as the budget of snapshots allows.
    bool isFree() const { return m_kept.any && m_kept.every <= 0; }
    const LensHistories& histories() const { return m_histories; }
    /// The lenses that are to keep a row at this step, by what they have: not every update of a long run.
    std::vector<const Lens*> wanted(std::int64_t step) const;
    /// Asks the lens. One that has nothing to keep is not asked again.
    void keep(const Lens& lens, const LensSubject& subject);
    /// It is not asked again in this session; noted once.
    void giveUp(const Lens& lens, const std::string& reason);

private:
    RunReport& m_report;
    KeptSummaries m_kept;
    LensHistories m_histories;
    std::set<std::string> m_without; ///< lenses that have nothing to keep of this model
};

} // namespace unroll
