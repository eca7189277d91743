// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/experiment_options.h"

#include "app/cli/option_values.h"

#include "core/experiment/adjust.h"
#include "core/experiment/gallery.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <functional>
#include <iostream>

namespace unroll::cli {
namespace {

/// Refuses what the setting refuses, in its words: nothing may come into a run that its file could not hold.
CLI::Validator fitting(const char* setting)
{
    return {[setting](const std::string& text) -> std::string {
                const auto& specs = trainSettingSpecs();
                const auto spec =
                    std::find_if(specs.begin(), specs.end(), [&](const auto& each) { return each.name == setting; });
                const auto value = parseValue(spec->type, text);
                if (!value)
                    return fmt::format("{} {}", setting, value.error().message);
                const auto set = withTrainSetting({}, setting, *value);
                return set ? std::string() : set.error().message;
            },
            ""};
}

/// Takes a value as the setting takes it, and no other way.
template <class T>
std::function<void(const std::string&)> into(std::optional<T>& value)
{
    return [&value](const std::string& text) { value = std::get<T>(*parseValue(ParamType::Int, text)); };
}

/// What is piped in without an end must not fill the memory.
Result<std::string> readPiped(std::istream& stream, const std::string& name)
{
    std::string text;
    for (std::array<char, 65536> piece; stream.read(piece.data(), piece.size()) || stream.gcount() > 0;) {
        text.append(piece.data(), static_cast<std::size_t>(stream.gcount()));
        if (text.size() > kMostExperimentBytes)
            return fail(fmt::format("is longer than {} bytes", kMostExperimentBytes), name);
    }
    return text;
}

} // namespace

void addExperimentOptions(CLI::App& verb, ExperimentOptions& options, bool training)
{
    verb.add_option("--data", options.data,
                    "read this file (or folder) instead of the experiment's data; - for standard input");
    verb.add_option("--set", options.assignments, "NODE.PARAM=VALUE or training.NAME=VALUE; repeatable")
        ->allow_extra_args(false);
    if (!training)
        return;
    verb.add_option_function<std::string>("--steps", into(options.steps), "optimiser updates")
        ->check(fitting("steps"))
        ->type_name("NUMBER");
    addSeed(
        verb, [&options](std::uint64_t seed) { options.seed = seed; }, "of weights, data and dropout");
    verb.add_option("--device", options.device, "auto, cpu, cuda or cuda:1")->check(fitting("device"));
    verb.add_option_function<std::string>("--threads", into(options.threads), "CPU threads; 0: all cores")
        ->check(fitting("threads"))
        ->type_name("NUMBER");
}

Result<Experiment> adjusted(Experiment experiment, const BlockRegistry& registry, const ExperimentOptions& options)
{
    auto result = withChanges(std::move(experiment), registry, options.data, options.assignments);
    if (!result)
        return result;
    TrainSettings& training = result->training;
    training.steps = options.steps.value_or(training.steps);
    result->seed = options.seed.value_or(result->seed);
    training.threads = options.threads.value_or(training.threads);
    if (!options.device.empty())
        training.device = options.device;
    return result;
}

Result<Experiment> readExperiment(const std::string& pathOrName)
{
    const auto fromText = [](const Result<std::string>& text, const std::string& name) -> Result<Experiment> {
        return text ? experimentFromText(*text, name) : tl::unexpected(text.error());
    };
    if (pathOrName == "-")
        return fromText(readPiped(std::cin, "standard input"), "standard input");
    const auto path = findExperiment(pathOrName);
    if (!path)
        return tl::unexpected(path.error());
    std::error_code error;
    if (std::filesystem::is_fifo(*path, error) || std::filesystem::is_character_file(*path, error)) {
        std::ifstream pipe(*path, std::ios::binary);
        return fromText(readPiped(pipe, path->string()), path->string());
    }
    return loadExperiment(path->string());
}

} // namespace unroll::cli
