// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/cli/progress_bar.h"

#include "core/base/json.h"
#include "core/session/snapshot.h"

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace unroll::cli {

/// What a viewer's last lines say besides the run's own state.
struct ReportEnd {
    std::string on;        ///< the line of the place where it is trained; empty: this machine
    std::string run;       ///< the run's folder there, where `on` is set
    bool detached = false; ///< the viewer leaves, the run goes on
};

/// Follows a run on the terminal: rows as JSON or evaluations as text on stdout, what the run says and the bar on
/// stderr.
class TrainReport {
public:
    TrainReport(std::string place, bool json, bool quiet);

    /// `rows` were taken before the snapshot. Rows and samples come out in the order of their steps, whenever they are
    /// fetched.
    void update(const std::vector<MetricRow>& rows, const Snapshot& snapshot);
    /// The last words: how it ended, its last and best figures, and where the run lies.
    void end(const Snapshot& snapshot, const ReportEnd& how = {});

private:
    void tellNew(const Snapshot& snapshot);
    /// What a loss is held against.
    struct Besides {
        const std::optional<Baseline>& baseline;
        const std::optional<double>& floor; ///< entropy of the data
    };
    Besides besides(const Snapshot& snapshot) const;
    void sayEnd(const Snapshot& snapshot, const ReportEnd& how) const;
    void tellEnd(const Snapshot& snapshot, const ReportEnd& how) const;
    void sayRow(const MetricRow& row);
    void saySample(const Sample& sample);
    void saySamplesBefore(std::int64_t step);
    void drawBar(const Snapshot& snapshot);

    std::string m_place; ///< the experiment, before its diagnostics
    bool m_json;
    bool m_quiet;
    ProgressBar m_bar;
    Progress m_progress;
    MetricRow m_newest; ///< the newest value of each metric
    std::vector<std::string> m_log;
    std::size_t m_problems = 0;
    bool m_isWhole = false;        ///< the newest evaluation was of the whole split
    std::vector<Sample> m_samples; ///< wait for the rows up to their step
    std::int64_t m_sampled = -1;   ///< newest step that was put there
};

/// Whether it failed before it could train: nothing was built, and the process that was to build it has not died.
bool wasRefused(const Snapshot& snapshot);
/// The exit code of a run that failed or was interrupted; nothing: it was neither.
std::optional<int> failureCode(const Snapshot& snapshot);
/// Whether another viewer has taken the run over, which goes on.
bool wasReplaced(const Snapshot& snapshot);
/// The last line of a training that was refused: {"kind":"end","state":"refused","step":0,"failure":".."}.
void sayRefused(const std::string& failure);

/// The lines of `now` that were not in `before`; both hold the newest lines of one growing log.
std::vector<std::string> newLines(const std::vector<std::string>& before, const std::vector<std::string>& now);

/// {"kind":"metrics","step":..,"tokens":..,"seconds":..,"train/loss":..}; NaN as the string "NaN".
Json rowJson(const MetricRow& row);

} // namespace unroll::cli
