// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/train/checkpoint.h"

#include "core/base/input_file.h"
#include "core/format/atomic_file.h"
#include "core/runs/run_checkpoints.h"
#include "core/train/tensor_file.h"
#include "core/train/weight_names.h"

#include <ATen/core/grad_mode.h>
#include <ATen/ops/isfinite.h>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <string_view>
#include <utility>

namespace unroll {

namespace {

constexpr const char* kDropout = "generator.dropout";
constexpr std::size_t kMostEnvironment = 1 << 24; ///< bytes of environment.json

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

Result<void> demandAll(const WeightReport& report, const std::string& path)
{
    if (!report.mismatched.empty())
        return fail("does not match: " + report.mismatched.front().text("file"), path);
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
    return fail(fmt::format("was trained on data with {}", legend.numbers ? "other columns" : "another alphabet"),
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
    return writeCheckpoint(folder, model, trainer, progress, trainer.state());
}

Result<void> writeCheckpoint(const std::string& folder, const Model& model, const Trainer& trainer,
                             const RunProgress& progress, const TrainerState& state)
{
    std::map<std::string, std::string> metadata = metadataOf(model, legendOf(trainer.data()));
    metadata["format"] = "pt";
    if (auto saved = saveTensors(folder + "/weights.safetensors", weightsOf(model), metadata); !saved)
        return saved;
    if (auto saved = saveTensors(folder + "/optimizer.safetensors", trainer.optimizerState()); !saved)
        return saved;
    if (auto saved = saveTensors(folder + "/carried.safetensors", carriedOf(state)); !saved)
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

tl::expected<ReadCheckpoint, CheckpointFault> readCheckpoint(const std::string& folder, double learningRate,
                                                             Model& model, Trainer& trainer)
{
    auto files = readFiles(folder);
    if (!files)
        return tl::unexpected(CheckpointFault(files.error()));
    const std::string weightsPath = folder + "/weights.safetensors";
    if (auto same = demandSameLegend(files->weights, legendOf(trainer.data()), weightsPath); !same)
        return tl::unexpected(CheckpointFault(same.error(), true));
    const auto wanted = wantedOf(model.weights()), moments = wantedOf(trainer.optimizerState());
    const WeightMatch weights(files->weights, wanted, {}), optimizer(files->optimizer, moments, {});
    for (const auto& whole :
         {demandAll(weights.report(), weightsPath), demandAll(optimizer.report(), folder + "/optimizer.safetensors")})
        if (!whole)
            return tl::unexpected(CheckpointFault(whole.error(), true));
    const RunProgress& progress = files->progress;
    const double peak = progress.learningRate == learningRate ? progress.peakLearningRate : trainer.peakLearningRate();
    auto notes =
        trainer.restore({progress.step, progress.tokens, peak, progress.plan.value_or(trainer.plan()), progress.streams,
                         statesFrom(files->carried, model.device()), files->carried.tensors.at(kDropout)});
    if (!notes)
        return tl::unexpected(CheckpointFault({notes.error().message, folder + "/carried.safetensors"}));
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
    const auto text = readWholeFile(run, kMostEnvironment);
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
        return fail(fmt::format("contains {} of the model's weights quantised ({}), with unknown scale: dequantise "
                                "them and save F32, BF16, F16 or F64",
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
