// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/train/checkpoint.h"

#include "core/format/atomic_file.h"
#include "core/train/tensor_file.h"

#include <ATen/core/grad_mode.h>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <fstream>
#include <set>
#include <sstream>
#include <string_view>

namespace unroll {

namespace {

constexpr const char* kDropout = "generator.dropout";

NamedTensors weightsOf(const Model& model)
{
    NamedTensors named;
    for (const Weight& weight : model.weights())
        named.emplace_back(weight.name, weight.tensor);
    return named;
}

NamedTensors carriedOf(const Trainer& trainer)
{
    NamedTensors named{{kDropout, trainer.dropoutState()}};
    for (const auto& [node, state] : trainer.carriedStates())
        for (std::size_t i = 0; i < state.size(); ++i)
            named.emplace_back(fmt::format("state.{}.{}", node, i), state[i]);
    return named;
}

Json progressToJson(const RunProgress& p)
{
    Json json{JsonObject{}};
    json.add("step", p.step);
    json.add("tokens", p.tokens);
    json.add("seconds", p.seconds);
    json.add("peak_learning_rate", p.peakLearningRate);
    json.add("best_validation_loss", p.bestValidationLoss);
    json.add("best_step", p.bestStep);
    json.add("evaluations_since_best", p.evaluationsSinceBest);
    return json;
}

std::int64_t wholeOf(const Json& json, const char* key)
{
    const Json* member = json.find(key);
    return member != nullptr ? member->asInt().value_or(0) : 0;
}

double realOf(const Json& json, const char* key)
{
    const Json* member = json.find(key);
    return member != nullptr ? member->asReal().value_or(0) : 0;
}

Result<RunProgress> readProgress(const std::string& path)
{
    std::ifstream file(path, std::ios::binary);
    std::ostringstream text;
    text << file.rdbuf();
    if (!file)
        return fail("cannot be read", path);
    auto json = readJson(text.str(), path);
    if (!json)
        return tl::unexpected(json.error());
    return RunProgress{wholeOf(*json, "step"),
                       wholeOf(*json, "tokens"),
                       realOf(*json, "seconds"),
                       realOf(*json, "peak_learning_rate"),
                       realOf(*json, "best_validation_loss"),
                       wholeOf(*json, "best_step"),
                       wholeOf(*json, "evaluations_since_best")};
}

std::string shapeText(const at::Tensor& tensor)
{
    return fmt::format("[{}]", fmt::join(tensor.sizes().vec(), ", "));
}

/// Compares names and shapes, changes nothing.
WeightReport compare(const std::map<std::string, at::Tensor>& file, const NamedTensors& wanted)
{
    WeightReport report;
    std::set<std::string> known;
    for (const auto& [name, tensor] : wanted) {
        known.insert(name);
        auto found = file.find(name);
        if (found == file.end())
            report.missing.push_back(name);
        else if (found->second.sizes() != tensor.sizes())
            report.mismatched.push_back(
                fmt::format("{}: {} in the file, {} in the model", name, shapeText(found->second), shapeText(tensor)));
        else
            report.loaded.push_back(name);
    }
    for (const auto& [name, tensor] : file)
        if (known.count(name) == 0)
            report.unexpected.push_back(name);
    return report;
}

Result<WeightReport> demandAll(WeightReport report, const std::string& path)
{
    if (!report.mismatched.empty())
        return fail("does not fit: " + report.mismatched.front(), path);
    if (!report.missing.empty())
        return fail(fmt::format("lacks {}", report.missing.front()), path);
    return report;
}

void copyInto(const NamedTensors& wanted, const std::map<std::string, at::Tensor>& file,
              const std::vector<std::string>& names)
{
    const at::NoGradGuard guard;
    const std::set<std::string> chosen(names.begin(), names.end());
    for (const auto& [name, tensor] : wanted)
        if (chosen.count(name) > 0)
            at::Tensor(tensor).copy_(file.at(name));
}

States statesFrom(const std::map<std::string, at::Tensor>& file, at::Device device)
{
    States states;
    constexpr std::size_t prefix = std::string_view("state.").size();
    for (const auto& [name, tensor] : file) { // parts of one state come in order: "state.lstm.0", "state.lstm.1"
        if (name.rfind("state.", 0) != 0)
            continue;
        const std::size_t dot = name.rfind('.');
        states[name.substr(prefix, dot - prefix)].push_back(tensor.to(device));
    }
    return states;
}

} // namespace

Result<void> writeCheckpoint(const std::string& folder, const Model& model, const Trainer& trainer,
                             const RunProgress& progress)
{
    if (auto saved = saveTensors(folder + "/weights.safetensors", weightsOf(model), {{"format", "pt"}}); !saved)
        return saved;
    if (auto saved = saveTensors(folder + "/optimizer.safetensors", trainer.optimizerState()); !saved)
        return saved;
    if (auto saved = saveTensors(folder + "/carried.safetensors", carriedOf(trainer)); !saved)
        return saved;
    return format::writeFileAtomically(folder + "/progress.json", writeJson(progressToJson(progress)) + "\n");
}

Result<RunProgress> readCheckpoint(const std::string& folder, Model& model, Trainer& trainer)
{
    auto progress = readProgress(folder + "/progress.json");
    if (!progress)
        return progress;
    const std::string weightsPath = folder + "/weights.safetensors", optimizerPath = folder + "/optimizer.safetensors";
    auto weights = loadTensors(weightsPath);
    auto optimizer = loadTensors(optimizerPath);
    auto carried = loadTensors(folder + "/carried.safetensors");
    for (const auto* part : {&weights, &optimizer, &carried})
        if (!*part)
            return tl::unexpected(part->error());
    const NamedTensors modelTensors = weightsOf(model), optimizerTensors = trainer.optimizerState();
    auto modelReport = demandAll(compare(*weights, modelTensors), weightsPath);
    auto optimizerReport = demandAll(compare(*optimizer, optimizerTensors), optimizerPath);
    for (const auto* report : {&modelReport, &optimizerReport})
        if (!*report)
            return tl::unexpected(report->error());
    auto dropout = carried->find(kDropout);
    if (dropout == carried->end())
        return fail("lacks generator.dropout", folder + "/carried.safetensors");
    copyInto(modelTensors, *weights, modelReport->loaded);
    copyInto(optimizerTensors, *optimizer, optimizerReport->loaded);
    trainer.setPeakLearningRate(progress->peakLearningRate);
    trainer.restore(progress->step, progress->tokens, statesFrom(*carried, model.device()), dropout->second);
    return progress;
}

Result<WeightReport> loadWeights(const std::string& path, const Model& model, bool strict)
{
    auto file = loadTensors(path);
    if (!file)
        return tl::unexpected(file.error());
    const NamedTensors wanted = weightsOf(model);
    WeightReport report = compare(*file, wanted);
    if (strict)
        if (auto whole = demandAll(report, path); !whole)
            return whole;
    copyInto(wanted, *file, report.loaded);
    return report;
}

} // namespace unroll
