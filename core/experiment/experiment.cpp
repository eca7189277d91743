// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/experiment/experiment.h"

#include "core/base/input_file.h"
#include "core/format/atomic_file.h"
#include "core/graph/graph_json.h"
#include "core/graph/graph_text.h"

#include <fmt/format.h>

#include <filesystem>

namespace unroll {

namespace {

constexpr std::int64_t kVersion = 1;

Json settingsToJson(const TrainSettings& training)
{
    Json json{JsonObject{}};
    for (const ParamSpec& spec : trainSettingSpecs())
        json.add(spec.name, paramToJson(trainSetting(training, spec.name)));
    return json;
}

Result<TrainSettings> settingsFromJson(const Json& json, const std::string& source)
{
    TrainSettings training;
    const JsonObject* members = json.asObject();
    if (members == nullptr)
        return fail("\"training\" must be an object", fmt::format("{} at byte {}", source, json.offset()));
    for (const JsonMember& member : *members) {
        const auto value = paramFromJson(member.value);
        if (!value)
            return fail(fmt::format("{} must be a number, a string, true or false", member.key),
                        fmt::format("{} at byte {}", source, member.value.offset()));
        auto changed = withTrainSetting(training, member.key, *value);
        if (!changed)
            return fail(changed.error().message, fmt::format("{} at byte {}", source, member.value.offset()));
        training = *changed;
    }
    return training;
}

Result<void> readText(const Json& json, const char* key, std::string& into, const std::string& source)
{
    const Json* member = json.find(key);
    if (member == nullptr)
        return {};
    if (member->asString() == nullptr)
        return fail(fmt::format("\"{}\" must be a string", key),
                    fmt::format("{} at byte {}", source, member->offset()));
    into = *member->asString();
    return {};
}

Result<void> readTexts(const Json& json, Experiment& experiment, const std::string& source)
{
    const std::pair<const char*, std::string*> texts[] = {{"title", &experiment.title},
                                                          {"summary", &experiment.summary},
                                                          {"probe_text", &experiment.probeText},
                                                          {"watch_node", &experiment.watchNode},
                                                          {"watch_signal", &experiment.watchSignal}};
    for (const auto& [key, text] : texts)
        if (auto read = readText(json, key, *text, source); !read)
            return read;
    return {};
}

Result<void> checkVersion(const Json& json, const std::string& source)
{
    const Json* version = json.find("unroll");
    if (version != nullptr && !version->asInt())
        return fail("\"unroll\", the format's version, must be a whole number",
                    fmt::format("{} at byte {}", source, version->offset()));
    if (version == nullptr)
        return fail("this is not an Unroll experiment: the member \"unroll\" with the format's version is missing",
                    source);
    if (*version->asInt() > kVersion)
        return fail(fmt::format("this file has format version {}; this version of Unroll reads up to {}",
                                *version->asInt(), kVersion),
                    source);
    if (*version->asInt() < 1)
        return fail(fmt::format("format version {} never existed", *version->asInt()), source);
    return {};
}

Result<void> readSeed(const Json& json, Experiment& experiment, const std::string& source)
{
    const Json* seed = json.find("seed");
    if (seed == nullptr)
        return {};
    auto whole = seed->asUnsigned();
    if (!whole)
        return fail("\"seed\" must be a whole number of at least 0",
                    fmt::format("{} at byte {}", source, seed->offset()));
    experiment.seed = *whole;
    return {};
}

/// What a newer version may have written.
JsonObject unknownMembers(const Json& json)
{
    const Json known = experimentToJson({});
    JsonObject unknown;
    for (const JsonMember& member : *json.asObject())
        if (known.find(member.key) == nullptr)
            unknown.push_back(member);
    return unknown;
}

} // namespace

Json experimentToJson(const Experiment& experiment)
{
    Json json{JsonObject{}};
    json.add("unroll", kVersion);
    json.add("title", experiment.title);
    json.add("summary", experiment.summary);
    json.add("seed", experiment.seed);
    json.add("probe_text", experiment.probeText);
    json.add("watch_node", experiment.watchNode);
    json.add("watch_signal", experiment.watchSignal);
    json.add("training", settingsToJson(experiment.training));
    json.add("graph", graphToJson(experiment.graph));
    for (const JsonMember& member : experiment.extra)
        json.add(member.key, member.value);
    return json;
}

Result<Experiment> experimentFromJson(const Json& json, const std::string& source)
{
    Experiment experiment;
    if (auto version = checkVersion(json, source); !version)
        return tl::unexpected(version.error());
    if (auto texts = readTexts(json, experiment, source); !texts)
        return tl::unexpected(texts.error());
    if (auto seed = readSeed(json, experiment, source); !seed)
        return tl::unexpected(seed.error());
    if (const Json* training = json.find("training")) {
        auto settings = settingsFromJson(*training, source);
        if (!settings)
            return tl::unexpected(settings.error());
        experiment.training = *settings;
    }
    const Json* graph = json.find("graph");
    if (graph == nullptr)
        return fail("the member \"graph\" is missing", source);
    auto read = graphFromJson(*graph, source);
    if (!read)
        return tl::unexpected(read.error());
    experiment.graph = std::move(*read);
    experiment.extra = unknownMembers(json);
    return experiment;
}

std::string experimentToText(const Experiment& experiment)
{
    return writeJson(experimentToJson(experiment)) + "\n";
}

Result<Experiment> experimentFromText(std::string_view text, const std::string& source)
{
    auto json = readJson(text, source);
    if (!json)
        return tl::unexpected(json.error());
    return experimentFromJson(*json, source);
}

/// Where relative paths of a file are looked up. A run's own copy holds them as they stood in the file it came from,
/// whose folder is noted beside it.
static std::filesystem::path folderOf(const std::filesystem::path& file)
{
    const std::filesystem::path folder = std::filesystem::absolute(file).parent_path();
    if (file.filename() != "experiment.unroll")
        return folder;
    const std::string noted = (folder / "environment.json").string();
    const auto text = readWholeFile(noted, kMostExperimentBytes);
    const auto environment = text ? readJson(*text, noted) : Result<Json>(tl::unexpected(text.error()));
    const Json* member = environment ? environment->find("folder") : nullptr;
    const std::string* origin = member == nullptr ? nullptr : member->asString();
    return origin == nullptr || origin->empty() ? folder : std::filesystem::path(*origin);
}

Result<Experiment> loadExperiment(const std::string& path)
{
    const auto text = readWholeFile(path, kMostExperimentBytes);
    if (!text)
        return tl::unexpected(text.error());
    auto experiment = experimentFromText(*text, path);
    if (experiment)
        experiment->folder = folderOf(path).string();
    return experiment;
}

Result<void> saveExperiment(const Experiment& experiment, const std::string& path)
{
    return format::writeFileAtomically(path, experimentToText(experiment));
}

} // namespace unroll
