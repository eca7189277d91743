// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/remote/watched_run.h"

#include "core/runs/run_summary.h"
#include "core/session/run_record.h"

#include <utility>

namespace unroll {

bool isWrittenNow(const std::filesystem::path& folder)
{
    const RunSummary run = readRunSummary(folder);
    return run.isHeld || run.state == RunState::Running;
}

Result<std::unique_ptr<WatchedRun>> WatchedRun::open(const std::filesystem::path& folder)
{
    std::unique_ptr<WatchedRun> run(new WatchedRun(folder));
    if (auto looked = run->look(true); !looked)
        return tl::unexpected(looked.error());
    return run;
}

/// A file that is half written is read again two seconds later.
Result<void> WatchedRun::look(bool first)
{
    m_lookedAt = std::chrono::steady_clock::now();
    auto record = readRunRecord(m_folder);
    if (!record)
        return tl::unexpected(record.error());
    if (isWrittenNow(m_folder))
        record->snapshot.state = RunState::Running;
    if (first)
        m_experiment = std::move(record->experiment);
    for (MetricRow& row : record->rows)
        if (row.step > m_lastStep) {
            m_lastStep = row.step;
            m_rows.push_back(std::move(row));
        }
    record->snapshot.problems = {Diagnostic{
        .severity = Severity::Note,
        .code = "watched-only",
        .sentence = "This run is trained by a process that cannot be reached from here: its folder is read every two "
                    "seconds, commands and lenses have no effect.",
        .fix = {}}};
    m_snapshot = std::make_shared<const Snapshot>(std::move(record->snapshot));
    return {};
}

std::vector<MetricRow> WatchedRun::takeMetrics()
{
    if (std::chrono::steady_clock::now() - m_lookedAt > std::chrono::duration<double>(kLookSeconds) &&
        !hasEnded(m_snapshot->state))
        (void)look(false);
    return std::exchange(m_rows, {});
}

bool WatchedRun::finish(double)
{
    return hasEnded(m_snapshot->state);
}

} // namespace unroll
