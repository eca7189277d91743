// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/runs/environment.h"

#include "core/base/utf8.h"
#include "core/data/dataset.h"
#include "core/data/word_vocabulary.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>

namespace unroll {
namespace {

std::string textAt(const Json& json, const char* key)
{
    const Json* member = json.find(key);
    const std::string* text = member == nullptr ? nullptr : member->asString();
    return text == nullptr ? std::string() : *text;
}

std::int64_t wholeAt(const Json& json, const char* key)
{
    const Json* member = json.find(key);
    return member == nullptr ? 0 : member->asInt().value_or(0);
}

std::optional<double> realAt(const Json& json, const char* key)
{
    const Json* member = json.find(key);
    return member == nullptr ? std::nullopt : member->asReal();
}

/// A seed as text: JSON readers of others lose the upper bits of large integers.
std::uint64_t seedAt(const Json& json)
{
    const std::string text = textAt(json, "seed");
    return text.empty() || text.find_first_not_of("0123456789") != std::string::npos
               ? 0
               : std::strtoull(text.c_str(), nullptr, 10);
}

std::vector<std::string> charactersOf(const std::string& text)
{
    std::vector<std::string> characters;
    for (std::size_t at = 0; at < text.size();) {
        const std::size_t length = decodeUtf8(text, at).length;
        characters.push_back(text.substr(at, length));
        at += length;
    }
    return characters;
}

/// One text where every class is one character, else a list.
Json textsJson(const std::vector<std::string>& texts)
{
    Json list{JsonArray{}};
    for (const std::string& text : texts)
        list.push(text);
    return list;
}

Json alphabetJson(const RunEnvironment& environment)
{
    const std::string joined = environment.characters();
    return joined.empty() ? textsJson(environment.alphabet) : Json(joined);
}

std::vector<std::string> textsFrom(const Json& json)
{
    std::vector<std::string> texts;
    if (json.asArray() != nullptr)
        for (const Json& entry : *json.asArray())
            if (entry.asString() != nullptr)
                texts.push_back(*entry.asString());
    return texts;
}

std::vector<std::string> textsAt(const Json& json, const char* key)
{
    const Json* member = json.find(key);
    return member == nullptr ? std::vector<std::string>() : textsFrom(*member);
}

std::vector<std::string> alphabetFrom(const Json& json)
{
    const std::string* joined = json.asString();
    return joined == nullptr ? textsFrom(json) : charactersOf(*joined);
}

/// [{"name", "shift", "scale"}, ...] in the order of the columns.
Json scalesJson(const std::vector<ColumnScale>& scales)
{
    Json list{JsonArray{}};
    for (const ColumnScale& scale : scales) {
        Json entry{JsonObject{}};
        entry.add("name", scale.name);
        entry.add("shift", scale.shift);
        entry.add("scale", scale.scale);
        list.push(entry);
    }
    return list;
}

double realAt(const Json& json, const char* key, double fallback)
{
    const Json* member = json.find(key);
    return member == nullptr ? fallback : member->asReal().value_or(fallback);
}

std::vector<ColumnScale> scalesAt(const Json& json, const char* key)
{
    std::vector<ColumnScale> scales;
    if (const Json* list = json.find(key); list != nullptr && list->asArray() != nullptr)
        for (const Json& entry : *list->asArray())
            scales.push_back({textAt(entry, "name"), realAt(entry, "shift", 0), realAt(entry, "scale", 1)});
    return scales;
}

void addMeasures(Json& json, const RunMeasures& measures)
{
    if (!measures.isKnown())
        return;
    json.add("loss_unit", measures.lossUnit);
    json.add("token", measures.token);
    json.add("parameters", measures.parameters);
    json.add("flops_token", measures.flopsAToken);
    json.add("tokens_epoch", measures.tokensAnEpoch);
}

/// Of older runs too, which say "nats per token" for "nats/token".
std::string lossUnitFrom(const Json& json)
{
    constexpr std::string_view spelled = " a ";
    const std::string unit = textAt(json, "loss_unit");
    const auto at = unit.find(spelled);
    return at == std::string::npos ? unit : unit.substr(0, at) + '/' + unit.substr(at + spelled.size());
}

RunMeasures measuresFrom(const Json& json)
{
    return {lossUnitFrom(json), textAt(json, "token"), wholeAt(json, "parameters"), realAt(json, "flops_token", 0),
            wholeAt(json, "tokens_epoch")};
}

} // namespace

std::string RunEnvironment::characters() const
{
    std::string joined;
    for (const std::string& text : alphabet)
        joined += text;
    return charactersOf(joined) == alphabet ? joined : std::string();
}

LearnedData RunEnvironment::learned() const
{
    const auto words = learnedWords(alphabet);
    return {characters(), scales, labels, words ? (*words)->alphabet() : std::vector<std::string>()};
}

std::shared_ptr<const Vocabulary> RunEnvironment::vocabulary() const
{
    std::shared_ptr<const Vocabulary> remembered;
    if (auto characterwise = Tokenizer::ofAlphabet(characters()))
        remembered = std::make_shared<const Tokenizer>(std::move(*characterwise));
    else if (auto words = learnedWords(alphabet))
        remembered = std::move(*words);
    if (remembered && remembered->classes() != classes) // a file edited by hand may hold anything
        return nullptr;
    return remembered;
}

std::string deviceText(const std::string& device, std::int64_t threads)
{
    if (device != "cpu" || threads == 0)
        return device;
    return fmt::format("cpu, {} thread{}", threads, threads == 1 ? "" : "s");
}

std::vector<std::string> classTexts(const Vocabulary& vocabulary)
{
    std::vector<std::string> texts;
    for (std::int32_t token = 0; token < vocabulary.classes(); ++token) {
        const std::string text = vocabulary.decode({token});
        const auto back = vocabulary.encode(text);
        if (!back || *back != std::vector<std::int32_t>{token})
            return {};
        texts.push_back(text);
    }
    return texts;
}

namespace {

std::string columnList(const std::vector<ColumnScale>& scales)
{
    std::string list;
    for (const ColumnScale& scale : scales)
        list += (list.empty() ? "" : ", ") + scale.name;
    return list;
}

} // namespace

Result<void> sameMeaning(const Dataset& data, const RunEnvironment& trained)
{
    if (data.scales() != trained.scales)
        return fail(fmt::format("its columns are {}, but the run was trained on {}", columnList(data.scales().inputs),
                                columnList(trained.scales.inputs)),
                    data.describe());
    if (!trained.labels.empty() && data.labels() != trained.labels)
        return fail("its labels differ from those the run was trained on", data.describe());
    if (trained.classes != 0 && data.classes() != trained.classes) {
        const bool ofPieces = trained.alphabet.empty(); // or of bytes
        return fail(fmt::format("it has {} classes, but the run was trained on {}{}", data.classes(), trained.classes,
                                ofPieces ? "; a run on tokens of unroll-cli prepare --tokenizer reads texts that were "
                                           "prepared with the same tokenizer"
                                         : ""),
                    data.describe());
    }
    const auto texts = classTexts(data);
    const auto differ = std::mismatch(texts.begin(), texts.end(), trained.alphabet.begin(), trained.alphabet.end());
    if (trained.alphabet.empty() || differ.first == texts.end())
        return {};
    return fail(fmt::format("its alphabet differs from the run's: it has '{}' where the run has '{}'", *differ.first,
                            differ.second == trained.alphabet.end() ? std::string() : *differ.second),
                data.describe());
}

Json environmentToJson(const RunEnvironment& environment)
{
    Json json{JsonObject{}};
    json.add("version", environment.version);
    json.add("torch", environment.torch);
    json.add("device", environment.device);
    json.add("threads", environment.threads);
    json.add("ranks", environment.ranks);
    if (!environment.products.empty())
        json.add("products", environment.products);
    json.add("seed", std::to_string(environment.seed));
    json.add("data", environment.data);
    json.add("data_hash", environment.dataHash);
    json.add("classes", environment.classes);
    json.add("steps", environment.steps);
    json.add("folder", environment.folder);
    if (environment.entropyFloor)
        json.add("entropy_floor", *environment.entropyFloor);
    if (environment.entropyExpected)
        json.add("entropy_expected", *environment.entropyExpected);
    if (environment.sliceFloor)
        json.add("entropy_floor_slice", *environment.sliceFloor);
    addMeasures(json, environment.measures);
    if (!environment.tags.empty())
        json.add("tags", textsJson(environment.tags));
    if (const auto trial = readJson(environment.trial, "trial"); trial && trial->asObject() != nullptr)
        json.add("trial", *trial);
    json.add("alphabet", alphabetJson(environment));
    if (!environment.labels.empty())
        json.add("labels", textsJson(environment.labels));
    if (!environment.scales.inputs.empty()) {
        json.add("inputs", scalesJson(environment.scales.inputs));
        json.add("targets", scalesJson(environment.scales.targets));
        json.add("horizon", environment.scales.horizon);
    }
    return json;
}

Result<RunEnvironment> environmentFromJson(const Json& json, const std::string& source)
{
    if (json.asObject() == nullptr)
        return fail("expected an object that describes a run", source);
    RunEnvironment environment{textAt(json, "version"),
                               textAt(json, "torch"),
                               textAt(json, "device"),
                               wholeAt(json, "threads"),
                               textAt(json, "products"),
                               seedAt(json),
                               textAt(json, "data"),
                               textAt(json, "data_hash"),
                               wholeAt(json, "classes"),
                               wholeAt(json, "steps"),
                               {},
                               textAt(json, "folder"),
                               {scalesAt(json, "inputs"), scalesAt(json, "targets"), wholeAt(json, "horizon")},
                               textsAt(json, "labels"),
                               realAt(json, "entropy_floor"),
                               realAt(json, "entropy_expected"),
                               realAt(json, "entropy_floor_slice"),
                               measuresFrom(json),
                               textsAt(json, "tags"),
                               {}};
    environment.ranks = std::max<std::int64_t>(1, wholeAt(json, "ranks"));
    if (const Json* trial = json.find("trial"))
        environment.trial = writeJson(*trial);
    if (const Json* alphabet = json.find("alphabet"))
        environment.alphabet = alphabetFrom(*alphabet);
    return environment;
}

} // namespace unroll
