// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/result.h"
#include "core/experiment/experiment.h"
#include "core/format/log_row.h"
#include "core/runs/environment.h"
#include "core/runs/metrics.h"
#include "core/runs/run_checkpoints.h"
#include "core/runs/run_status.h"

#include <cstdint>
#include <filesystem>
#include <memory>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace unroll {

/// A run on disk:
///   experiment.unroll   environment.json   metrics.csv   metrics.jsonl   events.out.tfevents.*   samples.txt   log.txt
///   lenses.jsonl (once lenses have kept something)   status.json   checkpoints/step-N/
///   edits.json (edits with a name, see run_edits.h)
///   frames/ (what lenses showed, see core/frames)
/// Writing never throws and never stops a run: what a full or read-only disk refuses is held in memory (8 MiB a file)
/// and tried again with the next record; each file's trouble is told once, by takeProblems(), and once more when
/// records are lost. One thread; one process writes a run at a time (a lock on the folder).
class RunFolder {
public:
    /// Starts a run. The folder must not exist or be empty; the experiment is written whole, with its resolved seed and
    /// settings. Errors name the folder or file, and leave the folder as it was.
    /// `anew`: the folder may also hold a run that ended before its first checkpoint, which gives way to this one; its
    /// log and the user's note stay.
    static Result<RunFolder> create(const std::filesystem::path& path, const Experiment& experiment,
                                    const RunEnvironment& environment, bool anew = false);
    /// Where data that came through a pipe is kept, so that the run can be resumed: the first such file, the second,
    /// ... It may be there before the run is.
    static std::filesystem::path pipedData(const std::filesystem::path& run, std::size_t number);
    /// A run to read from: nothing is written, append() and its kind must not be called before resumeAt().
    static Result<RunFolder> open(const std::filesystem::path& path);

    RunFolder(RunFolder&&) noexcept;
    RunFolder& operator=(RunFolder&&) noexcept;
    ~RunFolder(); ///< tries once more to write what is held

    /// Goes on writing after the checkpoint of `step`: rows and samples behind it are cut off, a new events file
    /// begins.
    Result<void> resumeAt(std::int64_t step);
    /// From here on the run is trained like this: its files say so. Call after resumeAt().
    void adopt(const Experiment& experiment, const RunEnvironment& environment);

    const std::filesystem::path& path() const { return m_path; }
    const Experiment& experiment() const { return m_experiment; }
    const RunEnvironment& environment() const { return m_environment; }
    RunCheckpoints& checkpoints() { return m_checkpoints; }
    const RunCheckpoints& checkpoints() const { return m_checkpoints; }

    void append(const MetricRow& row);
    void addSample(const Sample& sample);
    void addLensRow(const format::LogRow& row); ///< this and the next as LensRows
    void replaceLensRows(std::span<const format::LogRow> rows);
    void log(std::string_view line); ///< with the time of day before it
    /// Says in the folder what has become of the run (see storedState); written when it is something else than before.
    void mark(RunState state, const std::string& reason = {});
    /// The folder has another name now: what is written later goes there.
    void moved(const std::filesystem::path& path);
    /// Tries to write what is held and to bring everything to the disk. Call beside a checkpoint.
    void sync();
    /// What went wrong since the last call, each trouble once.
    std::vector<Error> takeProblems();

private:
    struct Writers;
    RunFolder(std::filesystem::path path, Experiment experiment, RunEnvironment environment);
    void note(const Result<void>& outcome);
    Result<void> describe() const;
    template <class File>
    void noteLost(const File& file);

    std::filesystem::path m_path;
    Experiment m_experiment;
    RunEnvironment m_environment;
    RunCheckpoints m_checkpoints;
    RunStatus m_status;                 ///< as written last
    std::unique_ptr<Writers> m_writers; ///< null while the run is only read
    std::vector<Error> m_problems;
    std::set<std::string> m_lossy; ///< files whose lost records were told
};

/// The columns of metrics.csv behind `step`, in their order. Other metrics go to metrics.jsonl and the events only.
const std::vector<std::string>& metricColumns();

} // namespace unroll
