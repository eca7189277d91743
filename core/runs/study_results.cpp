// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/runs/study_results.h"

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

/// Members of one object; notes the first that is missing or of another kind.
class StudyReader {
public:
    StudyReader(const Json& json, std::string of) : m_json(json), m_of(std::move(of)) {}

    std::string text(const char* key)
    {
        const Json* found = m_json.find(key);
        const std::string* value = found != nullptr ? found->asString() : nullptr;
        if (value == nullptr)
            blame(key, "a text");
        return value != nullptr ? *value : std::string();
    }
    /// What may be missing or null is nothing then.
    std::optional<double> real(const char* key)
    {
        const Json* found = m_json.find(key);
        if (found == nullptr || found->isNull())
            return {};
        const auto value = found->asReal();
        if (!value)
            blame(key, "a number");
        return value;
    }
    std::optional<std::int64_t> whole(const char* key)
    {
        const Json* found = m_json.find(key);
        if (found == nullptr || found->isNull())
            return {};
        const auto value = found->asInt();
        if (!value)
            blame(key, "a whole number");
        return value;
    }
    bool flag(const char* key)
    {
        const Json* found = m_json.find(key);
        const bool* value = found != nullptr ? found->asBool() : nullptr;
        return value != nullptr && *value;
    }
    std::string optionalText(const char* key)
    {
        const Json* found = m_json.find(key);
        const std::string* value = found != nullptr ? found->asString() : nullptr;
        return value != nullptr ? *value : std::string();
    }
    const JsonArray& array(const char* key)
    {
        static const JsonArray none;
        const Json* found = m_json.find(key);
        const JsonArray* value = found != nullptr ? found->asArray() : nullptr;
        if (value == nullptr)
            blame(key, "an array");
        return value != nullptr ? *value : none;
    }
    void blame(const char* key, const char* wanted)
    {
        if (fault.empty())
            fault = fmt::format("{}{} must be {}", m_of, key, wanted);
    }

    std::string fault;

private:
    const Json& m_json;
    std::string m_of;
};

StudyAxis studyAxisOf(const Json& json, std::string& fault)
{
    StudyAxis axis;
    StudyReader reader(json, "a setting of the space: ");
    axis.key = reader.text("key");
    axis.when = reader.optionalText("when");
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
        const auto low = reader.real("min"), high = reader.real("max");
        if (!low || !high || !(*low <= *high))
            reader.blame("min", "a number that is not above max");
        axis.low = low.value_or(0);
        axis.high = high.value_or(1);
        if (axis.log && !(axis.low > 0))
            reader.blame("min", "above 0 where log is true");
    }
    if (fault.empty())
        fault = reader.fault;
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
    StudyReader reader(json, "a trial: ");
    const auto number = reader.whole("trial");
    if (!number)
        reader.blame("trial", "a whole number");
    trial.number = number.value_or(0);
    trial.state = reader.text("state");
    trial.value = reader.real("value");
    trial.report = reader.real("report");
    trial.reportStep = reader.whole("report_step");
    trial.step = reader.whole("step");
    trial.seconds = reader.real("seconds");
    trial.parameters = reader.real("parameters");
    trial.memory = reader.real("memory");
    trial.failure = reader.optionalText("failure");
    if (const std::string run = reader.optionalText("run"); !run.empty())
        trial.run = fs::path(run).is_absolute() ? fs::path(run) : of.file.parent_path() / run;
    const Json* params = json.find("params");
    for (const StudyAxis& axis : of.axes)
        trial.places.push_back(placeOn(axis, params != nullptr ? params->find(axis.key) : nullptr));
    if (fault.empty())
        fault = reader.fault;
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
    StudyReader reader(*budget, "the budget: ");
    results.wanted = reader.whole("trials");
    results.steps = reader.whole("steps");
    if (fault.empty())
        fault = reader.fault;
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
    StudyReader reader(*json, {});
    if (reader.text("format") != "unroll-study")
        return fail("is not written by a study", found.string());
    if (const auto version = reader.whole("version"); version != kStudyVersion)
        return fail(fmt::format("is of version {}; this program reads version {}", version.value_or(0), kStudyVersion),
                    found.string());
    StudyResults results;
    results.file = found;
    for (const auto& [key, into] : std::array{std::pair("study", &results.name), std::pair("metric", &results.metric),
                                              std::pair("experiment", &results.experiment)})
        *into = reader.text(key);
    results.sampler = reader.optionalText("sampler");
    results.pruner = reader.optionalText("pruner");
    results.storage = reader.optionalText("storage");
    results.maximize = reader.text("direction") == "maximize";
    results.written = reader.real("written").value_or(0);
    const Json* running = json->find("running");
    results.isRunning = running != nullptr && running->asObject() != nullptr;
    std::string fault;
    for (const Json& axis : reader.array("space"))
        results.axes.push_back(studyAxisOf(axis, fault));
    takeImportances(*json, results.axes);
    takeBudget(*json, results, fault);
    for (const Json& trial : reader.array("trials"))
        results.trials.push_back(studyTrialOf(trial, results, fault));
    if (!reader.fault.empty() || !fault.empty())
        return fail(reader.fault.empty() ? fault : reader.fault, found.string());
    return results;
}

} // namespace unroll
