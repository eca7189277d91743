// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/runs/run_folder.h"

#include "core/base/input_file.h"
#include "core/format/append_file.h"
#include "core/format/atomic_file.h"
#include "core/format/csv.h"
#include "core/format/jsonl.h"
#include "core/format/tfevents.h"
#include "core/runs/folder_lock.h"
#include "core/runs/lens_rows.h"
#include "core/runs/run_names.h"
#include "core/runs/sample_file.h"

#include <algorithm>
#include <cassert>
#include <chrono>
#include <ctime>
#include <fmt/format.h>
#include <optional>
#include <system_error>
#include <unistd.h>

namespace unroll {
namespace {

namespace fs = std::filesystem;
using format::AppendFile;

constexpr const char* kExperiment = "experiment.unroll";
constexpr const char* kEnvironment = "environment.json";

double wallTime()
{
    return std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count();
}

std::int64_t secondsNow()
{
    return static_cast<std::int64_t>(wallTime());
}

std::string timeOfDay()
{
    const std::time_t now = std::chrono::system_clock::to_time_t(std::chrono::system_clock::now());
    std::tm parts = {};
    localtime_r(&now, &parts);
    return fmt::format("{:04}-{:02}-{:02} {:02}:{:02}:{:02}", parts.tm_year + 1900, parts.tm_mon + 1, parts.tm_mday,
                       parts.tm_hour, parts.tm_min, parts.tm_sec);
}

format::LogRow logRow(const MetricRow& row)
{
    format::LogRow result{row.step, {{"tokens", static_cast<double>(row.tokens)}, {"seconds", row.seconds}}};
    result.values.insert(result.values.end(), row.values.begin(), row.values.end());
    return result;
}

/// Only what the file has columns for.
format::LogRow inColumns(format::LogRow row, const std::vector<std::string>& columns)
{
    std::erase_if(row.values, [&](const auto& value) {
        return std::find(columns.begin(), columns.end(), value.first) == columns.end();
    });
    return row;
}

/// A text that came through a pipe lies in the folder before the run does (see RunFolder::pipedData).
bool isPipedData(const std::string& name)
{
    return name.starts_with("piped") && name.ends_with(".data");
}

/// Files of a run that has nothing to go on from. What killed writers of ours left is among them.
bool isOfRun(const std::string& name)
{
    static const auto* names = new std::set<std::string>{kExperiment,    kEnvironment,  "metrics.csv", "metrics.jsonl",
                                                         "lenses.jsonl", "samples.txt", "log.txt",     "status.json",
                                                         "note.txt",     "checkpoints", "frames",      "synced.json"};
    return names->count(name) != 0 || name.starts_with("events.out.tfevents.") ||
           (name.starts_with(".unroll-") && name.ends_with(".tmp")) || isPipedData(name);
}

std::vector<std::string> namesIn(const fs::path& folder)
{
    std::vector<std::string> names;
    std::error_code error;
    for (fs::directory_iterator entry(folder, error), end; !error && entry != end; entry.increment(error))
        names.push_back(entry->path().filename().string());
    std::sort(names.begin(), names.end());
    return names;
}

Result<void> usableFolder(const fs::path& path, bool anew)
{
    std::error_code error;
    if (fs::exists(path, error) && !fs::is_directory(path, error))
        return fail("is not a folder", path.string());
    const auto names = namesIn(path);
    const auto foreign = std::find_if_not(names.begin(), names.end(), isOfRun);
    if (anew && foreign != names.end())
        return fail(fmt::format("contains {}, which is not part of a run; name another folder for the run", *foreign),
                    path.string());
    if (!anew && !std::all_of(names.begin(), names.end(), isPipedData))
        return fail("is not empty; name another folder for the run, or resume it", path.string());
    if (!RunCheckpoints(path).all().empty())
        return fail("contains a run with checkpoints: resume it", path.string());
    if (auto outside = outsideRuns(names.empty() ? path : path / ".."); !outside)
        return outside;
    error.clear();
    fs::create_directories(path, error);
    if (error)
        return fail(fmt::format("the run folder cannot be created: {}", error.message()), path.string());
    return {};
}

/// Takes away what a run without a checkpoint has written; if it had started, its log and the user's note stay.
void clear(const fs::path& run, bool words)
{
    std::error_code ignored;
    for (const std::string& name : namesIn(run))
        if (isOfRun(name) && !isPipedData(name) && (words || (name != "log.txt" && name != "note.txt")))
            fs::remove_all(run / name, ignored);
}

} // namespace

const std::vector<std::string>& metricColumns()
{
    static const auto* columns = new std::vector<std::string>{
        "tokens",     "seconds",   "train/loss", "val/loss",  "val/bpc",  "val/ppl",         "val/acc",
        "final/loss", "final/bpc", "final/ppl",  "final/acc", "optim/lr", "optim/grad_norm", "perf/tokens_per_s"};
    return *columns;
}

struct RunFolder::Writers {
    std::unique_ptr<FolderLock> lock;
    format::CsvWriter csv;
    format::JsonlWriter jsonl;
    format::TfEventsWriter events;
    AppendFile samples;
    AppendFile log;
    LensRows lenses = {};

    static Result<std::unique_ptr<Writers>> make(const fs::path& run, std::unique_ptr<FolderLock> lock,
                                                 std::optional<std::int64_t> lastStep);
};

Result<std::unique_ptr<RunFolder::Writers>> RunFolder::Writers::make(const fs::path& run,
                                                                     std::unique_ptr<FolderLock> lock,
                                                                     std::optional<std::int64_t> lastStep)
{
    auto csv = lastStep ? format::CsvWriter::resume(run / "metrics.csv", metricColumns(), *lastStep)
                        : format::CsvWriter::create(run / "metrics.csv", metricColumns());
    auto jsonl = lastStep ? format::JsonlWriter::resume(run / "metrics.jsonl", *lastStep)
                          : format::JsonlWriter::create(run / "metrics.jsonl");
    auto events = format::TfEventsWriter::create(run, wallTime());
    auto samples = AppendFile::open(run / "samples.txt", AppendFile::Start::Continue);
    auto log = AppendFile::open(run / "log.txt", AppendFile::Start::Continue);
    if (!csv)
        return tl::unexpected(csv.error());
    if (!jsonl)
        return tl::unexpected(jsonl.error());
    if (!events)
        return tl::unexpected(events.error());
    if (!samples)
        return tl::unexpected(samples.error());
    if (!log)
        return tl::unexpected(log.error());
    return std::make_unique<Writers>(Writers{std::move(lock), std::move(*csv), std::move(*jsonl), std::move(*events),
                                             std::move(*samples), std::move(*log)});
}

RunFolder::RunFolder(fs::path path, Experiment experiment, RunEnvironment environment)
    : m_path(std::move(path)),
      m_experiment(std::move(experiment)),
      m_environment(std::move(environment)),
      m_checkpoints(m_path)
{}

RunFolder::RunFolder(RunFolder&&) noexcept = default;
RunFolder& RunFolder::operator=(RunFolder&&) noexcept = default;
RunFolder::~RunFolder() = default;

Result<RunFolder> RunFolder::create(const fs::path& path, const Experiment& experiment,
                                    const RunEnvironment& environment, bool anew)
{
    std::error_code ignored;
    const bool made = !fs::exists(path, ignored);
    if (auto usable = usableFolder(path, anew); !usable)
        return tl::unexpected(usable.error());
    auto lock = std::make_unique<FolderLock>(path);
    if (!lock->held())
        return fail(fmt::format("{}: {}", holderText(path), path.string()));
    if (auto usable = usableFolder(path, anew); !usable) // nobody has started there meanwhile
        return tl::unexpected(usable.error());
    const bool again = anew && fs::exists(path / kEnvironment, ignored);
    if (anew)
        clear(path, false);
    RunFolder run(path, experiment, environment);
    run.m_environment.folder =
        experiment.folder.empty() ? std::string() : fs::absolute(experiment.folder, ignored).string();
    Result<std::unique_ptr<Writers>> writers;
    if (auto described = run.describe(); !described)
        writers = tl::unexpected(described.error());
    else
        writers = Writers::make(path, std::move(lock), {});
    if (!writers) {
        clear(path, !anew);
        if (made)
            fs::remove(path, ignored);
        return tl::unexpected(writers.error());
    }
    run.m_writers = std::move(*writers);
    run.m_status.started = secondsNow();
    run.mark(RunState::Running);
    if (again)
        run.log("restarted from scratch: the previous run ended without a checkpoint");
    run.log(fmt::format("Unroll {}, torch {}, {}, {} threads, {}seed {}", environment.version, environment.torch,
                        environment.device, environment.threads,
                        environment.products.empty() ? "" : "products by " + environment.products + ", ",
                        environment.seed));
    run.log(environment.data);
    return run;
}

/// What the run is, in its two files.
Result<void> RunFolder::describe() const
{
    if (auto saved = saveExperiment(m_experiment, (m_path / kExperiment).string()); !saved)
        return saved;
    return format::writeFileAtomically(m_path / kEnvironment, writeJson(environmentToJson(m_environment)) + "\n");
}

Result<RunFolder> RunFolder::open(const fs::path& path)
{
    std::error_code error;
    if (!fs::is_directory(path, error))
        return fail("there is no run here" + runsNear(path), path.string());
    if (!fs::exists(path / kExperiment, error))
        return fail(fmt::format("this is not a run: it contains no {}{}", kExperiment, runsNear(path)), path.string());
    auto experiment = loadExperiment((path / kExperiment).string());
    if (!experiment)
        return tl::unexpected(experiment.error());
    const fs::path file = path / kEnvironment;
    const auto text = readWholeFile(file, 64 << 20);
    if (!text)
        return tl::unexpected(text.error());
    const auto json = readJson(*text, file.string());
    if (!json)
        return tl::unexpected(json.error());
    auto environment = environmentFromJson(*json, file.string());
    if (!environment)
        return tl::unexpected(environment.error());
    if (!environment->folder.empty())
        experiment->folder = environment->folder;
    return RunFolder(path, std::move(*experiment), std::move(*environment));
}

Result<void> RunFolder::resumeAt(std::int64_t step)
{
    auto lock = std::make_unique<FolderLock>(m_path);
    if (!lock->held())
        return fail(fmt::format("{}: {}", holderText(m_path), m_path.string()));
    m_checkpoints.sweep();
    const fs::path samples = m_path / "samples.txt";
    if (const auto text = readWholeFile(samples); text)
        if (auto cut = format::writeFileAtomically(samples, samplesUpTo(*text, step)); !cut)
            return cut;
    auto writers = Writers::make(m_path, std::move(lock), step);
    if (!writers)
        return tl::unexpected(writers.error());
    m_writers = std::move(*writers);
    if (auto resumed = m_writers->lenses.resume(m_path, step); !resumed)
        return resumed;
    if (const auto before = readRunStatus(m_path))
        m_status = *before;
    mark(RunState::Running);
    note(m_writers->events.restart(wallTime(), step + 1));
    log(fmt::format("resumed after step {}", step));
    return {};
}

fs::path RunFolder::pipedData(const fs::path& run, std::size_t number)
{
    return run / (number == 1 ? "piped.data" : fmt::format("piped-{}.data", number));
}

void RunFolder::adopt(const Experiment& experiment, const RunEnvironment& environment)
{
    RunEnvironment now = environment;
    now.folder = m_environment.folder;
    if (experiment == m_experiment && now == m_environment)
        return;
    m_experiment = experiment;
    m_environment = std::move(now);
    note(describe());
}

void RunFolder::mark(RunState state, const std::string& reason)
{
    assert(m_writers);
    const RunState stored = storedState(state);
    const std::int64_t process = getpid();
    if (m_status.changed != 0 && m_status.state == stored && m_status.reason == reason && m_status.process == process)
        return;
    m_status = {stored, reason, m_status.started, secondsNow(), process};
    const auto written = writeRunStatus(m_path, m_status);
    if (!written)
        m_status.changed = 0; // it is not what the file says
    note(written);
}

void RunFolder::moved(const fs::path& path)
{
    m_path = path;
    m_checkpoints = RunCheckpoints(path);
}

void RunFolder::note(const Result<void>& outcome)
{
    if (!outcome)
        m_problems.push_back(outcome.error());
}

template <class File>
void RunFolder::noteLost(const File& file)
{
    const std::string place = file.path().string();
    if (file.lostRecords() > 0 && m_lossy.insert(place).second)
        m_problems.push_back({"the write queue is full: new records are dropped until it drains", place});
}

void RunFolder::append(const MetricRow& row)
{
    assert(m_writers && "this run was opened read-only");
    const format::LogRow full = logRow(row);
    const format::LogRow cells = inColumns(full, m_writers->csv.columns());
    note(m_writers->csv.write({&cells, 1}));
    note(m_writers->jsonl.write({&full, 1}));
    note(m_writers->events.scalars(wallTime(), {row.step, {row.values.begin(), row.values.end()}}));
    noteLost(m_writers->csv);
    noteLost(m_writers->jsonl);
    noteLost(m_writers->events);
}

void RunFolder::addSample(const Sample& sample)
{
    assert(m_writers);
    note(m_writers->samples.append(sampleRecord(sample)));
    note(m_writers->events.text(wallTime(), sample.step, "sample", sample.text));
    noteLost(m_writers->samples);
    noteLost(m_writers->events);
}

void RunFolder::addLensRow(const format::LogRow& row)
{
    assert(m_writers);
    note(m_writers->lenses.add(m_path, row));
    noteLost(m_writers->lenses);
}

void RunFolder::replaceLensRows(std::span<const format::LogRow> rows)
{
    assert(m_writers);
    note(m_writers->lenses.replace(m_path, rows));
}

void RunFolder::log(std::string_view line)
{
    assert(m_writers);
    note(m_writers->log.append(fmt::format("{} {}\n", timeOfDay(), line)));
    noteLost(m_writers->log);
}

void RunFolder::sync()
{
    assert(m_writers);
    const auto bring = [this](auto& file) {
        const bool knownToFail = file.failing();
        const Result<void> outcome = file.sync();
        if (!knownToFail)
            note(outcome);
    };
    bring(m_writers->csv);
    bring(m_writers->jsonl);
    bring(m_writers->events);
    bring(m_writers->samples);
    bring(m_writers->log);
    bring(m_writers->lenses);
}

std::vector<Error> RunFolder::takeProblems()
{
    std::vector<Error> problems;
    std::swap(problems, m_problems);
    return problems;
}

} // namespace unroll
