// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/runs/run_summary.h"

#include "core/base/input_file.h"
#include "core/base/json.h"
#include "core/format/csv_pieces.h"
#include "core/runs/folder_lock.h"
#include "core/runs/frames_place.h"
#include "core/runs/run_care.h"
#include "core/runs/run_folder.h"
#include "core/runs/run_status.h"

#include <algorithm>
#include <chrono>
#include <system_error>

namespace unroll {
namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t kTail = 1 << 16; ///< of metrics.csv: some hundred rows

std::optional<double> valueOf(const format::LogRow& row, std::string_view name)
{
    for (const auto& [column, value] : row.values)
        if (column == name)
            return value;
    return {};
}

/// Seconds since 1970; 0 where there is no such file.
std::int64_t timeOf(const fs::path& file)
{
    std::error_code error;
    const auto time = fs::last_write_time(file, error);
    if (error)
        return 0;
    const auto system = std::chrono::file_clock::to_sys(time);
    return std::chrono::duration_cast<std::chrono::seconds>(system.time_since_epoch()).count();
}

std::uint64_t bytesIn(const fs::path& folder)
{
    std::uint64_t bytes = 0;
    std::error_code error;
    for (fs::recursive_directory_iterator entry(folder, error), end; !error && entry != end; entry.increment(error)) {
        std::error_code ignored; // gone by now: a checkpoint that was taken away
        if (entry->is_regular_file(ignored))
            if (const auto size = entry->file_size(ignored); !ignored)
                bytes += size;
    }
    return bytes;
}

/// Without the folder, which a reader of the list knows.
std::string troubleOf(const Error& error, const fs::path& folder)
{
    const std::string place = error.place == folder ? "" : error.place;
    const std::string inside = folder.string() + "/";
    return Error{error.message, place.starts_with(inside) ? place.substr(inside.size()) : place}.text();
}

void takeRows(RunSummary& summary)
{
    const auto tail = format::readCsvTail(summary.folder / "metrics.csv", kTail);
    if (!tail) {
        summary.trouble = troubleOf(tail.error(), summary.folder);
        return;
    }
    for (auto row = tail->rows.rbegin(); row != tail->rows.rend() && !summary.last; ++row)
        summary.last = valueOf(*row, "train/loss");
    if (tail->rows.empty())
        return;
    summary.step = tail->rows.back().step;
    summary.seconds = valueOf(tail->rows.back(), "seconds").value_or(0);
    summary.changed = std::max(summary.changed, timeOf(summary.folder / "metrics.csv"));
}

/// Runs of earlier versions say nothing of themselves, nor does one whose process was killed while it made the folder.
RunState guessedState(const RunSummary& summary)
{
    if (summary.isHeld)
        return RunState::Running;
    if (summary.step == 0)
        return RunState::Interrupted;
    return summary.steps > 0 && summary.step >= summary.steps ? RunState::Finished : RunState::Stopped;
}

void takeStatus(RunSummary& summary)
{
    const auto status = readRunStatus(summary.folder);
    if (!status) {
        summary.state = guessedState(summary);
        return;
    }
    summary.state = status->state == RunState::Running && !summary.isHeld ? RunState::Interrupted : status->state;
    summary.failure = status->reason;
    summary.started = status->started;
    summary.changed = std::max(summary.changed, status->changed);
}

} // namespace

RunSummary readRunSummary(const fs::path& folder)
{
    RunSummary summary;
    summary.folder = folder;
    summary.note = readRunNote(folder);
    summary.bytes = bytesIn(folder);
    summary.keptFrames = countKeptFrames(folder);
    const auto run = RunFolder::open(folder);
    if (!run) {
        summary.trouble = troubleOf(run.error(), folder);
        summary.changed = timeOf(folder);
        return summary;
    }
    summary.isHeld = FolderLock::isTaken(folder);
    summary.title = run->experiment().title;
    summary.steps = run->experiment().training.steps;
    summary.device = deviceText(run->environment().device, run->environment().threads);
    summary.seed = run->experiment().seed;
    summary.learningRate = run->experiment().training.learningRate;
    summary.measures = run->environment().measures;
    summary.tags = run->environment().tags;
    takeRows(summary);
    if (const auto best = run->checkpoints().best()) {
        summary.best = best->validationLoss;
        summary.bestStep = best->place.step;
    }
    takeStatus(summary);
    if (summary.started == 0)
        summary.started = timeOf(folder / "environment.json");
    if (const auto checkpoints = run->checkpoints().all(); !checkpoints.empty())
        summary.checkpoint = checkpoints.front().step;
    return summary;
}

std::vector<RunSummary> listRuns(const fs::path& place, const std::function<bool()>& enough)
{
    std::vector<fs::path> folders;
    std::error_code error;
    for (fs::directory_iterator entry(place, error), end; !error && entry != end; entry.increment(error)) {
        std::error_code ignored;
        if (entry->is_directory(ignored) && !entry->path().filename().string().starts_with('.'))
            folders.push_back(entry->path());
    }
    std::sort(folders.begin(), folders.end());
    std::vector<RunSummary> runs;
    for (const fs::path& folder : folders) {
        if (enough && enough())
            break;
        runs.push_back(readRunSummary(folder));
    }
    return runs;
}

} // namespace unroll
