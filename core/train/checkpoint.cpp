// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/train/checkpoint.h"

#include "core/base/input_file.h"
#include "core/format/atomic_file.h"
#include "core/train/tensor_file.h"

#include <ATen/core/grad_mode.h>
#include <ATen/ops/isfinite.h>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <array>
#include <set>
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

constexpr std::string_view kForm = "form "; ///< before a weight's name in the metadata of a file

std::map<std::string, std::string> formsOf(const Model& model)
{
    std::map<std::string, std::string> forms;
    for (const Weight& weight : model.weights())
        if (!weight.form.empty())
            forms[std::string(kForm) + weight.name] = weight.form;
    return forms;
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
    if (p.closing)
        json.add("closing", rowToJson(*p.closing));
    return json;
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

std::string shapeText(const std::vector<std::int64_t>& shape)
{
    return fmt::format("[{}]", fmt::join(shape, ", "));
}

/// Why a tensor of the file cannot stand for one of the model; nothing: it can.
std::optional<Misfit> misfit(const TensorFile& file, const std::string& name, const at::Tensor& tensor)
{
    if (auto unread = file.unread.find(name); unread != file.unread.end())
        return Misfit{name, {}, tensor.sizes().vec(), unread->second};
    const at::Tensor& found = file.tensors.at(name);
    if (found.sizes() == tensor.sizes())
        return {};
    return Misfit{name, found.sizes().vec(), tensor.sizes().vec()};
}

/// The same of what its numbers mean. A file that says nothing of it is taken at the word of whoever chose it.
std::optional<Misfit> otherForm(const TensorFile& file, const std::map<std::string, std::string>& forms,
                                const std::string& name)
{
    const std::string key = std::string(kForm) + name;
    const auto wanted = forms.find(key), found = file.metadata.find(key);
    if (wanted == forms.end() || found == file.metadata.end() || wanted->second == found->second)
        return {};
    return Misfit{name, {}, {}, {}, found->second, wanted->second};
}

/// Compares names, types, shapes and forms, changes nothing.
WeightReport compare(const TensorFile& file, const NamedTensors& wanted,
                     const std::map<std::string, std::string>& forms = {})
{
    WeightReport report;
    std::set<std::string> known;
    for (const auto& [name, tensor] : wanted) {
        known.insert(name);
        if (file.tensors.count(name) + file.unread.count(name) == 0)
            report.missing.push_back(name);
        else if (auto fault = misfit(file, name, tensor))
            report.mismatched.push_back(std::move(*fault));
        else if (auto other = otherForm(file, forms, name))
            report.mismatched.push_back(std::move(*other));
        else
            report.loaded.push_back(name);
    }
    const auto noteUnknown = [&](const auto& named) {
        for (const auto& [name, value] : named)
            if (known.count(name) == 0)
                report.unexpected.push_back(name);
    };
    noteUnknown(file.tensors);
    noteUnknown(file.unread);
    return report;
}

Result<WeightReport> demandAll(WeightReport report, const std::string& path)
{
    if (!report.mismatched.empty())
        return fail("does not fit: " + report.mismatched.front().text("file"), path);
    if (!report.missing.empty())
        return fail(fmt::format("lacks {}", report.missing.front()), path);
    return report;
}

void copyInto(const NamedTensors& wanted, const TensorFile& file, const std::vector<std::string>& names)
{
    const at::NoGradGuard guard;
    const std::set<std::string> chosen(names.begin(), names.end());
    for (const auto& [name, tensor] : wanted)
        if (chosen.count(name) > 0)
            at::Tensor(tensor).copy_(file.tensors.at(name));
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

std::string Misfit::text(const std::string& there) const
{
    if (!wantedForm.empty())
        return fmt::format("{}: {} in the {}, {} in the model", name, foundForm, there, wantedForm);
    return unreadType.empty()
               ? fmt::format("{}: {} in the {}, {} in the model", name, shapeText(found), there, shapeText(wanted))
               : fmt::format("{}: type {} in the {}, which is not read here", name, unreadType, there);
}

Result<void> writeCheckpoint(const std::string& folder, const Model& model, const Trainer& trainer,
                             const RunProgress& progress)
{
    std::map<std::string, std::string> metadata = formsOf(model);
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
    const NamedTensors modelTensors = weightsOf(model), optimizerTensors = trainer.optimizerState();
    auto modelReport =
        demandAll(compare(files->weights, modelTensors, formsOf(model)), folder + "/weights.safetensors");
    auto optimizerReport = demandAll(compare(files->optimizer, optimizerTensors), folder + "/optimizer.safetensors");
    for (const auto* report : {&modelReport, &optimizerReport})
        if (!*report)
            return tl::unexpected(report->error());
    const RunProgress& progress = files->progress;
    const double peak = progress.learningRate == learningRate ? progress.peakLearningRate : trainer.peakLearningRate();
    auto notes = trainer.restore({progress.step, progress.tokens, peak, progress.streams,
                                  statesFrom(files->carried, model.device()), files->carried.tensors.at(kDropout)});
    if (!notes)
        return fail(notes.error().message, folder + "/carried.safetensors");
    copyInto(modelTensors, files->weights, modelReport->loaded);
    copyInto(optimizerTensors, files->optimizer, optimizerReport->loaded);
    return ReadCheckpoint{progress, std::move(*notes)};
}

Result<WeightReport> loadWeights(const std::string& path, const Model& model, bool strict)
{
    auto file = loadTensors(path);
    if (!file)
        return tl::unexpected(file.error());
    const NamedTensors wanted = weightsOf(model);
    WeightReport report = compare(*file, wanted, formsOf(model));
    if (strict)
        if (auto whole = demandAll(report, path); !whole)
            return whole;
    copyInto(wanted, *file, report.loaded);
    return report;
}

KeptWeights keepWeights(const Model& model, std::string origin)
{
    KeptWeights kept{std::move(origin), {}, formsOf(model)};
    for (const auto& [name, tensor] : weightsOf(model))
        kept.tensors.push_back(ownedCopy(name, tensor));
    return kept;
}

WeightReport takeWeights(const KeptWeights& weights, const Model& model)
{
    TensorFile found;
    for (const format::OwnedTensor& tensor : weights.tensors)
        found.tensors[tensor.name] = tensorOf(tensor);
    found.metadata = weights.metadata;
    const NamedTensors wanted = weightsOf(model);
    WeightReport report = compare(found, wanted, formsOf(model));
    copyInto(wanted, found, report.loaded);
    return report;
}

} // namespace unroll
