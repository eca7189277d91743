// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/train/checkpoint.h"

#include "core/base/input_file.h"
#include "core/format/atomic_file.h"
#include "core/train/run_checkpoints.h"
#include "core/train/tensor_file.h"
#include "core/train/weight_names.h"

#include <ATen/core/grad_mode.h>
#include <ATen/ops/isfinite.h>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <string_view>
#include <utility>

namespace unroll {

namespace {

constexpr const char* kDropout = "generator.dropout";
constexpr std::size_t kMostProgress = 1 << 16; ///< bytes of progress.json

NamedTensors weightsOf(const Model& model)
{
    NamedTensors named;
    for (const Weight& weight : model.weights())
        named.emplace_back(weight.name, weight.tensor);
    return named;
}

/// What a file says beside the weights: what their numbers and their indices stand for.
std::map<std::string, std::string> metadataOf(const Model& model, const Legend& legend)
{
    std::map<std::string, std::string> metadata;
    for (const Weight& weight : model.weights())
        if (!weight.form.empty())
            metadata[formKey(weight.name)] = weight.form;
    addLegend(legend, metadata);
    return metadata;
}

NamedTensors carriedOf(const TrainerState& state)
{
    NamedTensors named{{kDropout, state.dropout}};
    for (const auto& [node, parts] : state.carried)
        for (std::size_t i = 0; i < parts.size(); ++i)
            named.emplace_back(fmt::format("state.{}.{}", node, i), parts[i]);
    return named;
}

/// The members of progress.json, for writing (const) and reading alike.
template <class Progress>
auto wholeMembers(Progress& p)
{
    return std::array{std::pair{"step", &p.step},
                      std::pair{"tokens", &p.tokens},
                      std::pair{"best_step", &p.bestStep},
                      std::pair{"evaluations_since_best", &p.evaluationsSinceBest},
                      std::pair{"stream_batches", &p.streams.batches},
                      std::pair{"stream_sequences", &p.streams.sequences},
                      std::pair{"stream_steps", &p.streams.steps}};
}

template <class Progress>
auto realMembers(Progress& p)
{
    return std::array{std::pair{"seconds", &p.seconds}, std::pair{"peak_learning_rate", &p.peakLearningRate},
                      std::pair{"learning_rate", &p.learningRate},
                      std::pair{"best_validation_loss", &p.bestValidationLoss}};
}

Json rowToJson(const MetricRow& row)
{
    Json json{JsonObject{}};
    json.add("tokens", row.tokens);
    json.add("seconds", row.seconds);
    Json values{JsonObject{}};
    for (const auto& [name, value] : row.values)
        values.add(name, value);
    json.add("values", std::move(values));
    return json;
}

Result<MetricRow> rowFromJson(const Json& json, std::int64_t step, const std::string& path)
{
    const Json *tokens = json.find("tokens"), *seconds = json.find("seconds"), *values = json.find("values");
    const auto count = tokens == nullptr ? std::nullopt : tokens->asInt();
    const auto time = seconds == nullptr ? std::nullopt : seconds->asReal();
    const JsonObject* named = values == nullptr ? nullptr : values->asObject();
    if (!count || !time || named == nullptr)
        return fail("\"closing\" must hold \"tokens\", \"seconds\" and \"values\"", path);
    MetricRow row{step, *count, *time, {}};
    for (const auto& [name, value] : *named)
        if (const auto number = value.asReal()) // what was not finite is measured again
            row.values[name] = *number;
    return row;
}

Json progressToJson(const RunProgress& p)
{
    Json json{JsonObject{}};
    for (const auto& [key, value] : wholeMembers(p))
        json.add(key, *value);
    for (const auto& [key, value] : realMembers(p))
        json.add(key, *value);
    json.add("stream_data", p.streams.data);
    if (p.emptyUpdates > 0)
        json.add("updates_without_targets", p.emptyUpdates);
    if (p.plan) {
        json.add("schedule_begin", p.plan->begin);
        json.add("schedule_end", p.plan->end);
        json.add("schedule_share", p.plan->share);
        json.add("schedule_warms", p.plan->warms);
    }
    if (p.closing)
        json.add("closing", rowToJson(*p.closing));
    return json;
}

/// Nothing where the checkpoint says nothing of it.
Result<std::optional<SchedulePlan>> planFromJson(const Json& json, const std::string& path)
{
    if (json.find("schedule_begin") == nullptr)
        return std::nullopt;
    SchedulePlan plan;
    for (const auto& [key, value] : {std::pair("schedule_begin", &plan.begin), {"schedule_end", &plan.end}}) {
        const Json* member = json.find(key);
        *value = member == nullptr ? -1 : member->asInt().value_or(-1);
        if (*value < 0)
            return fail(fmt::format("\"{}\" must be a whole number of at least 0", key), path);
    }
    const Json *share = json.find("schedule_share"), *warms = json.find("schedule_warms");
    plan.share = share == nullptr ? -1 : share->asReal().value_or(-1);
    if (plan.share < 0)
        return fail("\"schedule_share\" must be a number of at least 0", path);
    if (warms == nullptr || !warms->asBool())
        return fail("\"schedule_warms\" must be true or false", path);
    plan.warms = *warms->asBool();
    return plan;
}

Result<RunProgress> progressFromJson(const Json& json, const std::string& path)
{
    static const Json nothing;
    const auto member = [&](const char* key) -> const Json& {
        const Json* found = json.find(key);
        return found == nullptr ? nothing : *found;
    };
    RunProgress p;
    for (const auto& [key, value] : wholeMembers(p)) {
        *value = member(key).asInt().value_or(-1);
        if (*value < 0)
            return fail(fmt::format("\"{}\" must be a whole number of at least 0", key), path);
    }
    for (const auto& [key, value] : realMembers(p)) {
        *value = member(key).asReal().value_or(-1);
        if (*value < 0)
            return fail(fmt::format("\"{}\" must be a number of at least 0", key), path);
    }
    const std::string* data = member("stream_data").asString();
    if (data == nullptr)
        return fail("\"stream_data\" must be a text", path);
    p.streams.data = *data;
    if (const Json* empty = json.find("updates_without_targets")) {
        p.emptyUpdates = empty->asInt().value_or(-1);
        if (p.emptyUpdates < 0)
            return fail("\"updates_without_targets\" must be a whole number of at least 0", path);
    }
    auto plan = planFromJson(json, path);
    if (!plan)
        return tl::unexpected(plan.error());
    p.plan = *plan;
    if (const Json* closing = json.find("closing")) {
        auto row = rowFromJson(*closing, p.step, path);
        if (!row)
            return tl::unexpected(row.error());
        p.closing = std::move(*row);
    }
    return p;
}

Result<RunProgress> readProgress(const std::string& path)
{
    const auto text = readWholeFile(path, kMostProgress);
    if (!text)
        return tl::unexpected(text.error());
    auto json = readJson(*text, path);
    if (!json)
        return tl::unexpected(json.error());
    return progressFromJson(*json, path);
}

Result<void> demandAll(const WeightReport& report, const std::string& path)
{
    if (!report.mismatched.empty())
        return fail("does not fit: " + report.mismatched.front().text("file"), path);
    if (!report.missing.empty())
        return fail(fmt::format("lacks {}", report.missing.front()), path);
    return {};
}

/// Classes in another order, or others, would be other weights.
Result<void> demandSameLegend(const TensorFile& file, const Legend& legend, const std::string& path)
{
    const Legend there = legendFrom(file.metadata);
    if (!legend.said() || !there.said() || legend == there)
        return {};
    return fail(
        fmt::format("was trained on data with {} than these", legend.numbers ? "other columns" : "another alphabet"),
        path);
}

States statesFrom(const TensorFile& file, at::Device device)
{
    States states;
    constexpr std::size_t prefix = std::string_view("state.").size();
    for (const auto& [name, tensor] :
         file.tensors) { // parts of one state come in order: "state.lstm.0", "state.lstm.1"
        if (name.rfind("state.", 0) != 0)
            continue;
        const std::size_t dot = name.rfind('.');
        states[name.substr(prefix, dot - prefix)].push_back(tensor.to(device));
    }
    return states;
}

struct CheckpointFiles {
    RunProgress progress;
    TensorFile weights, optimizer, carried;
};

Result<CheckpointFiles> readFiles(const std::string& folder)
{
    auto progress = readProgress(folder + "/progress.json");
    if (!progress)
        return tl::unexpected(progress.error());
    CheckpointFiles files{std::move(*progress), {}, {}, {}};
    for (const auto& [name, part] : {std::pair{"weights", &files.weights}, std::pair{"optimizer", &files.optimizer},
                                     std::pair{"carried", &files.carried}}) {
        auto read = loadTensors(fmt::format("{}/{}.safetensors", folder, name));
        if (!read)
            return tl::unexpected(read.error());
        *part = std::move(*read);
    }
    if (files.carried.tensors.count(kDropout) == 0)
        return fail(fmt::format("lacks {}", kDropout), folder + "/carried.safetensors");
    return files;
}

} // namespace

Result<void> writeCheckpoint(const std::string& folder, const Model& model, const Trainer& trainer,
                             const RunProgress& progress)
{
    std::map<std::string, std::string> metadata = metadataOf(model, legendOf(trainer.data()));
    metadata["format"] = "pt";
    if (auto saved = saveTensors(folder + "/weights.safetensors", weightsOf(model), metadata); !saved)
        return saved;
    if (auto saved = saveTensors(folder + "/optimizer.safetensors", trainer.optimizerState()); !saved)
        return saved;
    if (auto saved = saveTensors(folder + "/carried.safetensors", carriedOf(trainer.state())); !saved)
        return saved;
    return format::writeFileAtomically(folder + "/progress.json", writeJson(progressToJson(progress)) + "\n");
}

std::string weightThatIsNotFinite(const Model& model)
{
    for (const Weight& weight : model.weights())
        if (weight.tensor.is_floating_point() && !at::isfinite(weight.tensor).all().item<bool>())
            return weight.name;
    return {};
}

Result<ReadCheckpoint> readCheckpoint(const std::string& folder, double learningRate, Model& model, Trainer& trainer)
{
    auto files = readFiles(folder);
    if (!files)
        return tl::unexpected(files.error());
    const std::string weightsPath = folder + "/weights.safetensors";
    if (auto same = demandSameLegend(files->weights, legendOf(trainer.data()), weightsPath); !same)
        return tl::unexpected(same.error());
    const auto wanted = wantedOf(model.weights()), moments = wantedOf(trainer.optimizerState());
    const WeightMatch weights(files->weights, wanted, {}), optimizer(files->optimizer, moments, {});
    for (const auto& whole :
         {demandAll(weights.report(), weightsPath), demandAll(optimizer.report(), folder + "/optimizer.safetensors")})
        if (!whole)
            return tl::unexpected(whole.error());
    const RunProgress& progress = files->progress;
    const double peak = progress.learningRate == learningRate ? progress.peakLearningRate : trainer.peakLearningRate();
    auto notes = trainer.restore({progress.step, progress.tokens, peak, progress.plan.value_or(trainer.plan()), progress.streams,
                                  statesFrom(files->carried, model.device()), files->carried.tensors.at(kDropout)});
    if (!notes)
        return fail(notes.error().message, folder + "/carried.safetensors");
    weights.apply();
    optimizer.apply();
    return ReadCheckpoint{progress, std::move(*notes)};
}

namespace {

/// Runs from before the metadata said it know it themselves: the folder two above that of a checkpoint's weights.
void recallLegend(TensorFile& file, const std::string& path)
{
    if (legendFrom(file.metadata).said())
        return;
    const auto run = std::filesystem::absolute(path).parent_path().parent_path().parent_path() / "environment.json";
    const auto text = readWholeFile(run, kMostProgress * 256);
    const auto json = text ? readJson(*text, run.string()) : tl::unexpected(text.error());
    if (const auto environment = json ? environmentFromJson(*json, run.string()) : tl::unexpected(json.error()))
        addLegend(legendOf(*environment), file.metadata);
}

/// The file of a run's newest checkpoint, or of an export, where a folder is named.
Result<std::string> weightsFileAt(const std::string& path)
{
    std::error_code error;
    if (!std::filesystem::is_directory(path, error))
        return path;
    const auto checkpoints = RunCheckpoints(path).all();
    const auto folder = checkpoints.empty() ? std::filesystem::path(path) : checkpoints.front().folder;
    const auto file = folder / "weights.safetensors";
    if (std::filesystem::exists(file, error))
        return file.string();
    return fail("is a folder without a checkpoint or a weights.safetensors; name a .safetensors file, or a run", path);
}

} // namespace

Result<WeightReport> loadWeights(const std::string& path, const Model& model)
{
    auto file = loadTensors(path);
    if (!file)
        return tl::unexpected(file.error());
    const auto wanted = wantedOf(model.weights());
    const WeightMatch match(*file, wanted, {});
    if (auto whole = demandAll(match.report(), path); !whole)
        return tl::unexpected(whole.error());
    match.apply();
    return match.report();
}

Result<WeightReport> initialWeights(const std::string& path, const Model& model, const Legend& legend)
{
    const auto place = weightsFileAt(path);
    if (!place)
        return tl::unexpected(place.error());
    auto file = loadTensors(*place);
    if (!file)
        return tl::unexpected(file.error());
    recallLegend(*file, *place);
    const auto wanted = wantedOf(model.weights());
    const WeightMatch match(*file, wanted, {.legend = legend, .foreign = true});
    if (const auto& quantised = match.quantised(); !quantised.empty())
        return fail(
            fmt::format("holds {} of the model's weights quantised ({}), and the scale of their numbers is not known: "
                        "dequantise them and save F32, BF16, F16 or F64",
                        quantised.size(), fmt::join(quantised, ", ")),
            *place);
    if (match.report().taken() == 0) {
        std::string words = nothingFits(match.report(), "file");
        for (const std::string& note : match.report().notes)
            words += "\n  " + note;
        return fail(std::move(words), *place);
    }
    match.apply();
    return match.report();
}

KeptWeights keepWeights(const Model& model, std::string origin, const Legend& legend)
{
    KeptWeights kept{std::move(origin), {}, metadataOf(model, legend)};
    for (const auto& [name, tensor] : weightsOf(model))
        kept.tensors.push_back(ownedCopy(name, tensor));
    return kept;
}

WeightReport takeWeights(const KeptWeights& weights, const Model& model, const Legend& legend)
{
    TensorFile found;
    for (const format::OwnedTensor& tensor : weights.tensors)
        found.tensors[tensor.name] = tensorOf(tensor);
    found.metadata = weights.metadata;
    const auto wanted = wantedOf(model.weights());
    const WeightMatch match(found, wanted, {.legend = legend, .there = "run"});
    match.apply();
    return match.report();
}

} // namespace unroll
