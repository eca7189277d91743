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

/// Keeps the summaries of lenses over training, in memory and in the run's folder: 512 rows of a lens at most, then every second one goes.
class RunSummaries {
public:
    /// `keeps`: new ones too; else what is there is only read. The report must outlive it.
    RunSummaries(RunReport& report, bool keeps) : m_report(report), m_keeps(keeps) {}

    /// Takes what the run has kept so far; once it is built.
    void begin(const std::filesystem::path& run);
    bool keeps() const { return m_keeps; }
    const LensHistories& histories() const { return m_histories; }
    /// The lenses that are to keep a row at this step, by what they have: not every update of a long run.
    std::vector<const Lens*> wanted(std::int64_t step) const;
    /// Asks the lens. One that has nothing to keep is not asked again.
    void keep(const Lens& lens, const LensSubject& subject);
    /// It is not asked again in this session; noted once.
    void giveUp(const Lens& lens, const std::string& reason);

private:
    RunReport& m_report;
    bool m_keeps;
    LensHistories m_histories;
    std::set<std::string> m_without; ///< lenses that have nothing to keep of this model
};

} // namespace unroll
