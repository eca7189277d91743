// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/runs/study_results.h"

#include "core/base/field_reader.h"
#include "core/base/input_file.h"
#include "core/base/json.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <numeric>
#include <set>
#include <tuple>

namespace unroll {
namespace {

namespace fs = std::filesystem;

constexpr std::int64_t kStudyVersion = 1;
constexpr const char* kFoundEnding = ".study.json";
constexpr const char* kRunsEnding = "-runs";

/// A number, a word, true or false, as --set takes it.
std::string settingText(const Json& value)
{
    if (const std::string* text = value.asString())
        return *text;
    return writeJson(value, 0);
}

StudyAxis studyAxisOf(const Json& json, std::string& fault)
{
    StudyAxis axis;
    FieldReader reader(json, "a setting of the space: ", fault);
    axis.key = reader.text("key");
    axis.when = reader.maybeText("when");
    const std::string kind = reader.text("kind");
    if (kind == "choice") {
        for (const Json& choice : reader.array("choices"))
            axis.choices.push_back(settingText(choice));
        axis.high = std::max<double>(1, static_cast<double>(axis.choices.size())) - 1;
        if (axis.choices.empty())
            reader.blame("choices", "an array with values");
    } else {
        axis.whole = kind == "int";
        axis.log = reader.flag("log");
        const auto low = reader.maybeReal("min"), high = reader.maybeReal("max");
        if (!low || !high || !(*low <= *high))
            reader.blame("min", "a number that is not above max");
        axis.low = low.value_or(0);
        axis.high = high.value_or(1);
        if (axis.log && !(axis.low > 0))
            reader.blame("min", "above 0 where log is true");
    }
    return axis;
}

/// Nothing: the trial has not this setting, or a value that its choices do not have.
std::optional<double> placeOn(const StudyAxis& axis, const Json* value)
{
    if (value == nullptr || value->isNull())
        return {};
    if (axis.choices.empty())
        return value->asReal();
    const auto found = std::find(axis.choices.begin(), axis.choices.end(), settingText(*value));
    return found == axis.choices.end() ? std::nullopt : std::optional<double>(found - axis.choices.begin());
}

StudyTrial studyTrialOf(const Json& json, const StudyResults& of, std::string& fault)
{
    StudyTrial trial;
    FieldReader reader(json, "a trial: ", fault);
    trial.number = reader.whole("trial");
    trial.state = reader.text("state");
    trial.value = reader.maybeReal("value");
    trial.report = reader.maybeReal("report");
    trial.reportStep = reader.maybeWhole("report_step");
    trial.step = reader.maybeWhole("step");
    trial.seconds = reader.maybeReal("seconds");
    trial.parameters = reader.maybeReal("parameters");
    trial.memory = reader.maybeReal("memory");
    trial.failure = reader.maybeText("failure");
    if (const std::string run = reader.maybeText("run"); !run.empty())
        trial.run = fs::path(run).is_absolute() ? fs::path(run) : of.file.parent_path() / run;
    const Json* params = json.find("params");
    for (const StudyAxis& axis : of.axes)
        trial.places.push_back(placeOn(axis, params != nullptr ? params->find(axis.key) : nullptr));
    return trial;
}

void takeImportances(const Json& json, std::vector<StudyAxis>& axes)
{
    const Json* shares = json.find("importances");
    for (StudyAxis& axis : axes)
        if (const Json* share = shares != nullptr ? shares->find(axis.key) : nullptr)
            axis.importance = share->asReal();
}

void takeBudget(const Json& json, StudyResults& results, std::string& fault)
{
    const Json* budget = json.find("budget");
    if (budget == nullptr)
        return;
    FieldReader reader(*budget, "the budget: ", fault);
    results.wanted = reader.maybeWhole("trials");
    results.steps = reader.maybeWhole("steps");
}

bool endsWith(const std::string& text, const std::string& ending)
{
    return text.size() > ending.size() && text.ends_with(ending);
}

/// Whether a line of the file is a table named space: what every study has and few other files do.
bool hasSpace(const fs::path& file)
{
    constexpr std::uint64_t kMostStudyBytes = 1 << 20;
    const auto text = readWholeFile(file, kMostStudyBytes);
    return text && (text->starts_with("[space]") || text->find("\n[space]") != std::string::npos ||
                    text->find("\n[space.") != std::string::npos);
}

StudyPlace placeNamed(const fs::path& folder, const std::string& name)
{
    return {folder / (name + ".toml"), folder / (name + kFoundEnding)};
}

/// Names of the studies that lie there.
std::set<std::string> studiesIn(const fs::path& folder)
{
    std::set<std::string> names;
    std::error_code error;
    for (const auto& entry : fs::directory_iterator(folder, error)) {
        const std::string name = entry.path().filename().string();
        if (endsWith(name, kFoundEnding))
            names.insert(name.substr(0, name.size() - std::string(kFoundEnding).size()));
        else if (endsWith(name, ".toml") && hasSpace(entry.path()))
            names.insert(entry.path().stem().string());
    }
    return names;
}

Result<StudyPlace> placeInFolder(const fs::path& folder)
{
    const std::set<std::string> names = studiesIn(folder);
    if (names.size() == 1)
        return placeNamed(folder, *names.begin());
    if (names.size() > 1)
        return fail(fmt::format("several studies lie here ({}): open the file of one", fmt::join(names, ", ")),
                    folder.string());
    std::error_code error;
    const std::string name = folder.filename().string();
    if (endsWith(name, kRunsEnding))
        if (const StudyPlace beside = placeNamed(folder.parent_path(), name.substr(0, name.size() - 5));
            fs::exists(beside.file, error) || fs::exists(beside.found, error))
            return beside;
    return fail("no study lies here: a study is a .toml file with a table [space]", folder.string());
}

} // namespace

std::string studyValueText(const StudyAxis& axis, double place)
{
    if (axis.choices.empty())
        return fmt::format("{:.6g}", place);
    const double last = static_cast<double>(axis.choices.size()) - 1;
    return axis.choices[static_cast<std::size_t>(std::lround(std::clamp(place, 0.0, last)))];
}

std::optional<std::size_t> StudyResults::best() const
{
    const std::vector<std::size_t> order = ranked();
    return order.empty() || !trials[order.front()].value ? std::nullopt : std::optional(order.front());
}

std::vector<std::size_t> StudyResults::ranked() const
{
    std::vector<std::size_t> order(trials.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    const auto key = [this](std::size_t index) {
        const StudyTrial& trial = trials[index];
        const auto reached = trial.reached();
        return std::tuple(!trial.value, !reached, reached ? (maximize ? -*reached : *reached) : 0.0);
    };
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return key(a) < key(b); });
    return order;
}

std::size_t StudyResults::doneCount() const
{
    return static_cast<std::size_t>(std::count_if(trials.begin(), trials.end(), [](const StudyTrial& trial) {
        return !trial.isRunning() && trial.state != "to go on";
    }));
}

Result<StudyPlace> studyPlace(const fs::path& path)
{
    std::error_code error;
    const fs::path clean = path.filename().empty() ? path.parent_path() : path;
    if (fs::is_directory(clean, error))
        return placeInFolder(clean);
    const std::string name = clean.filename().string();
    StudyPlace place;
    if (endsWith(name, kFoundEnding))
        place = placeNamed(clean.parent_path(), name.substr(0, name.size() - std::string(kFoundEnding).size()));
    else if (endsWith(name, ".toml"))
        place = placeNamed(clean.parent_path(), clean.stem().string());
    else
        return fail("is no study: a study is a .toml file with a table [space]", clean.string());
    if (!fs::exists(place.file, error) && !fs::exists(place.found, error))
        return fail("is not there", clean.string());
    return place;
}

bool isLikeStudy(const fs::path& path)
{
    std::error_code error;
    const std::string name = path.filename().string();
    if (fs::is_directory(path, error))
        return !studiesIn(path).empty();
    return endsWith(name, kFoundEnding) || (endsWith(name, ".toml") && hasSpace(path));
}

Result<StudyResults> readStudy(const fs::path& found)
{
    constexpr std::uint64_t kMostFoundBytes = 256 << 20;
    const auto text = readWholeFile(found, kMostFoundBytes);
    if (!text)
        return tl::unexpected(text.error());
    const auto json = readJson(*text, found.string());
    if (!json)
        return tl::unexpected(json.error());
    std::string fault;
    FieldReader reader(*json, "", fault);
    if (reader.text("format") != "unroll-study")
        return fail("is not written by a study", found.string());
    if (const std::int64_t version = reader.whole("version"); version != kStudyVersion)
        return fail(fmt::format("is of version {}; this program reads version {}", version, kStudyVersion),
                    found.string());
    StudyResults results;
    results.file = found;
    for (const auto& [key, into] : std::array{std::pair("study", &results.name), std::pair("metric", &results.metric),
                                              std::pair("experiment", &results.experiment)})
        *into = reader.text(key);
    results.sampler = reader.maybeText("sampler");
    results.pruner = reader.maybeText("pruner");
    results.storage = reader.maybeText("storage");
    results.maximize = reader.text("direction") == "maximize";
    results.written = reader.maybeReal("written").value_or(0);
    const Json* running = json->find("running");
    results.isRunning = running != nullptr && running->asObject() != nullptr;
    for (const Json& axis : reader.array("space"))
        results.axes.push_back(studyAxisOf(axis, fault));
    takeImportances(*json, results.axes);
    takeBudget(*json, results, fault);
    for (const Json& trial : reader.array("trials"))
        results.trials.push_back(studyTrialOf(trial, results, fault));
    if (!fault.empty())
        return fail(fault, found.string());
    return results;
}

} // namespace unroll
