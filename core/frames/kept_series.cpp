// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/frames/kept_series.h"

#include "core/base/json.h"
#include "core/base/sha256.h"
#include "core/format/safetensors.h"
#include "core/graph/graph_text.h"

#include <algorithm>
#include <charconv>
#include <fmt/format.h>
#include <limits>
#include <system_error>

namespace unroll {

namespace {

namespace fs = std::filesystem;

constexpr const char* kEnding = ".safetensors";

std::optional<ParamValue> valueOf(const Json& json)
{
    if (const bool* flag = json.asBool())
        return *flag;
    if (const std::string* text = json.asString())
        return *text;
    if (const auto whole = json.asInt())
        return *whole;
    if (const auto real = json.asReal())
        return *real;
    return {};
}

std::vector<KeptSeries::Frame> framesIn(const fs::path& folder)
{
    std::vector<KeptSeries::Frame> frames;
    std::error_code error;
    for (fs::directory_iterator entry(folder, error), end; !error && entry != end; entry.increment(error)) {
        std::error_code gone; // thinned meanwhile
        const auto step = stepOfFrame(entry->path().filename().string());
        if (!step || !entry->is_regular_file(gone))
            continue;
        if (const auto bytes = entry->file_size(gone); !gone)
            frames.push_back({*step, bytes});
    }
    std::sort(frames.begin(), frames.end(), [](const auto& a, const auto& b) { return a.step < b.step; });
    return frames;
}

/// From the first frame that says what it is.
std::optional<LensQuery> queryIn(const fs::path& folder, const std::vector<KeptSeries::Frame>& frames)
{
    for (const KeptSeries::Frame& frame : frames) {
        const auto file = format::SafetensorsFile::open(folder / frameName(frame.step));
        if (!file)
            continue;
        const auto metadata = file->metadata();
        const auto words = metadata.find("series");
        if (words == metadata.end())
            continue;
        if (auto query = queryOfText(words->second); query && seriesName(*query) == folder.filename())
            return std::move(*query);
    }
    return {};
}

} // namespace

bool isCursorSetting(const std::string& name)
{
    return name == "step" || name == "from" || name == "to" || name == "units";
}

LensQuery keptQuery(const LensQuery& query, const LensSpec& spec)
{
    LensQuery kept{query.lens, query.node, query.signal, {}};
    for (const ParamSpec& setting : spec.settings) {
        const auto given = query.settings.find(setting.name);
        if (given == query.settings.end() || isCursorSetting(setting.name))
            continue;
        const ParamValue value = asParamOf(setting.type, given->second).value_or(given->second);
        if (value != asParamOf(setting.type, setting.defaultValue).value_or(setting.defaultValue))
            kept.settings[setting.name] = value;
    }
    return kept;
}

std::string queryText(const LensQuery& query)
{
    Json json{JsonObject{}}, settings{JsonObject{}};
    json.add("lens", query.lens);
    json.add("node", query.node);
    json.add("signal", query.signal);
    for (const auto& [name, value] : query.settings)
        settings.add(name, paramToJson(value));
    json.add("settings", std::move(settings));
    return writeJson(json, 0);
}

Result<LensQuery> queryOfText(const std::string& words)
{
    const auto json = readJson(words, "the query of a frame");
    if (!json)
        return tl::unexpected(json.error());
    LensQuery query;
    for (const auto& [name, into] :
         {std::pair("lens", &query.lens), std::pair("node", &query.node), std::pair("signal", &query.signal)}) {
        const Json* found = json->find(name);
        if (found == nullptr || found->asString() == nullptr)
            return fail(fmt::format("the query of a frame has no {}", name));
        *into = *found->asString();
    }
    const Json* settings = json->find("settings");
    if (settings == nullptr || settings->asObject() == nullptr)
        return fail("the query of a frame has no settings");
    for (const JsonMember& member : *settings->asObject()) {
        const auto value = valueOf(member.value);
        if (!value)
            return fail(fmt::format("the setting {} of a frame's query has no value", member.key));
        query.settings[member.key] = *value;
    }
    return query;
}

std::string seriesName(const LensQuery& query)
{
    std::string lens = query.lens; // a folder's name, but what is read here may be anything
    std::replace_if(
        lens.begin(), lens.end(), [](char c) { return c == '/' || c == '\0' || c == '.'; }, '_');
    return fmt::format("{}-{}", lens, sha256(queryText(query)).substr(0, 12));
}

std::string frameName(std::int64_t step)
{
    return fmt::format("{:012}{}", step, kEnding);
}

std::optional<std::int64_t> stepOfFrame(const std::string& name)
{
    std::int64_t step = 0;
    const char* const end = name.data() + name.size();
    const auto read = std::from_chars(name.data(), end, step);
    if (read.ec != std::errc() || step < 0 || name != frameName(step))
        return {};
    return step;
}

std::uint64_t KeptSeries::bytes() const
{
    std::uint64_t sum = 0;
    for (const Frame& frame : frames)
        sum += frame.bytes;
    return sum;
}

std::size_t nearestFrame(const std::vector<KeptSeries::Frame>& frames, std::int64_t step)
{
    const auto after = std::lower_bound(frames.begin(), frames.end(), step,
                                        [](const auto& frame, std::int64_t wanted) { return frame.step < wanted; });
    const auto index = static_cast<std::size_t>(after - frames.begin());
    if (index == 0)
        return 0;
    return index == frames.size() || step - frames[index - 1].step <= frames[index].step - step ? index - 1 : index;
}

std::optional<std::size_t> crowdedFrame(const std::vector<KeptSeries::Frame>& frames)
{
    std::optional<std::size_t> found;
    std::int64_t least = std::numeric_limits<std::int64_t>::max();
    for (std::size_t i = 1; i + 1 < frames.size(); ++i) {
        const std::int64_t gap = frames[i + 1].step - frames[i - 1].step;
        if (gap < least) {
            least = gap;
            found = i;
        }
    }
    return found;
}

std::vector<KeptSeries> keptSeries(const fs::path& frames)
{
    std::vector<KeptSeries> all;
    std::error_code error;
    for (fs::directory_iterator entry(frames, error), end; !error && entry != end; entry.increment(error)) {
        std::error_code gone;
        if (!entry->is_directory(gone))
            continue;
        KeptSeries series{entry->path(), {}, framesIn(entry->path())};
        if (auto query = queryIn(series.folder, series.frames)) {
            series.query = std::move(*query);
            all.push_back(std::move(series));
        }
    }
    std::sort(all.begin(), all.end(), [](const auto& a, const auto& b) { return a.folder < b.folder; });
    return all;
}

} // namespace unroll
