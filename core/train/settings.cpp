// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/train/experiment.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <functional>

namespace unroll {

namespace {

/// One row of the table that reads, writes, checks and describes the settings.
struct Setting {
    SettingSpec spec;
    std::function<ParamValue(const TrainSettings&)> get;
    std::function<void(TrainSettings&, const ParamValue&)> set;
};

template <class T, class M>
Setting field(SettingSpec spec, M TrainSettings::*member)
{
    return {std::move(spec), [member](const TrainSettings& s) { return ParamValue(T(s.*member)); },
            [member](TrainSettings& s, const ParamValue& v) { s.*member = std::get<T>(v); }};
}

Setting whole(const char* name, std::int64_t TrainSettings::*member, double least, const char* help,
              const char* unit = "", double most = 1e12)
{
    return field<std::int64_t>({name, ParamType::Int, help, least, most, {}, unit}, member);
}

Setting real(const char* name, double TrainSettings::*member, double least, double most, const char* help)
{
    return field<double>({name, ParamType::Real, help, least, most, {}, ""}, member);
}

template <class E>
Setting choice(const char* name, E TrainSettings::*member, std::vector<std::string> words, const char* help)
{
    auto index = [words](const ParamValue& v) {
        return std::find(words.begin(), words.end(), std::get<std::string>(v)) - words.begin();
    };
    return {{name, ParamType::Choice, help, {}, {}, words, ""},
            [member, words](const TrainSettings& s) { return ParamValue(words[static_cast<std::size_t>(s.*member)]); },
            [member, index](TrainSettings& s, const ParamValue& v) { s.*member = static_cast<E>(index(v)); }};
}

std::vector<Setting> makeSettings()
{
    using T = TrainSettings;
    return {
        whole("steps", &T::steps, 1, "Optimiser updates in the whole run.", "steps"),
        whole("batch", &T::batch, 1, "Sequences trained side by side.", "sequences"),
        whole("accumulation", &T::accumulation, 1, "Batches whose gradients are averaged before each update.",
              "batches"),
        choice("optimizer", &T::optimizer, {"adamw", "adam", "sgd"}, "How gradients become updates."),
        real("learning_rate", &T::learningRate, 0, 1e3, "Peak learning rate."),
        real("beta1", &T::beta1, 0, 0.999999, "Adam: memory of the gradient's mean."),
        real("beta2", &T::beta2, 0, 0.9999999, "Adam: memory of the gradient's square."),
        real("epsilon", &T::epsilon, 0, 1, "Adam: added to the root of the second moment."),
        real("weight_decay", &T::weightDecay, 0, 100,
             "Pull of the weights towards zero; spared are biases, gains and what a block names."),
        real("momentum", &T::momentum, 0, 0.999999, "SGD: memory of the update."),
        choice("schedule", &T::schedule, {"constant", "cosine"}, "How the learning rate moves after the warm-up."),
        whole("warmup", &T::warmup, 0, "Steps over which the learning rate rises from zero.", "steps"),
        real("final_learning_rate", &T::finalLearningRate, 0, 1e3, "Where the cosine schedule ends."),
        real("clip", &T::clip, 0, 1e12, "Largest norm of a clip group's gradient; 0 leaves gradients alone."),
        choice("precision", &T::precision, {"fp32", "bf16"},
               "Arithmetic of the matrix products in training, and of RNN, LSTM and GRU as a whole where they are "
               "fused. Weights, the optimiser "
               "and what goes from block to block stay in fp32; so does evaluation."),
        whole("evaluate_every", &T::evaluateEvery, 0,
              "Steps between evaluations on the validation slice; 0: only at the end.", "steps"),
        whole("evaluate_batches", &T::evaluateBatches, 1, "Size of the fixed validation slice.", "batches"),
        field<bool>(
            {"evaluate_whole", ParamType::Bool, "Evaluate the whole validation split at the end.", {}, {}, {}, ""},
            &T::evaluateWhole),
        whole("sample_every", &T::sampleEvery, 0, "Steps between generated samples; 0: never.", "steps"),
        whole("sample_tokens", &T::sampleTokens, 1, "Length of a sample.", "tokens"),
        field<std::string>({"sample_prompt",
                            ParamType::Text,
                            "What samples go on from; empty: the data's first character.",
                            {},
                            {},
                            {},
                            ""},
                           &T::samplePrompt),
        real("sample_temperature", &T::sampleTemperature, 0, 100,
             "0 takes the likeliest token, 1 samples the model's own distribution."),
        whole("checkpoint_every", &T::checkpointEvery, 0, "Steps between checkpoints; 0: only at the end.", "steps"),
        whole("log_every", &T::logEvery, 1, "Steps a row of metrics.", "steps"),
        whole("patience", &T::patience, 0,
              "Evaluations without a better validation loss before the run stops early; 0: never.", "evaluations"),
        whole("threads", &T::threads, 0, "CPU threads; 0: all cores.", "threads", static_cast<double>(kMostThreads)),
        field<std::string>({"device", ParamType::Text, "auto, cpu, cuda or cuda:1.", {}, {}, {}, ""}, &T::device),
    };
}

/// Function-local and never destroyed: nothing of ours runs at exit.
const std::vector<Setting>& settings()
{
    static const auto* table = new std::vector<Setting>(makeSettings());
    return *table;
}

const Setting* findSetting(const std::string& name)
{
    for (const Setting& setting : settings())
        if (setting.spec.name == name)
            return &setting;
    return nullptr;
}

std::string outOfRange(const SettingSpec& spec, double value)
{
    if (value < *spec.minimum)
        return fmt::format("{} must be at least {}; it is {}", spec.name, *spec.minimum, value);
    return fmt::format("{} must be at most {}; it is {}", spec.name, *spec.maximum, value);
}

Result<ParamValue> fittingNumber(const SettingSpec& spec, const ParamValue& value)
{
    const auto* whole = std::get_if<std::int64_t>(&value);
    const auto* real = std::get_if<double>(&value);
    if (whole == nullptr && (real == nullptr || spec.type == ParamType::Int))
        return fail(
            fmt::format("{} must be {}", spec.name, spec.type == ParamType::Int ? "a whole number" : "a number"));
    const double number = whole != nullptr ? static_cast<double>(*whole) : *real;
    if (!(number >= *spec.minimum && number <= *spec.maximum))
        return fail(outOfRange(spec, number));
    return spec.type == ParamType::Int ? value : ParamValue(number);
}

Result<ParamValue> fitting(const SettingSpec& spec, const ParamValue& value)
{
    switch (spec.type) {
    case ParamType::Int:
    case ParamType::Real: return fittingNumber(spec, value);
    case ParamType::Bool:
        if (std::holds_alternative<bool>(value))
            return value;
        return fail(fmt::format("{} must be true or false", spec.name));
    default: break;
    }
    const auto* text = std::get_if<std::string>(&value);
    if (text == nullptr)
        return fail(fmt::format("{} must be a text", spec.name));
    if (!spec.choices.empty() && std::find(spec.choices.begin(), spec.choices.end(), *text) == spec.choices.end())
        return fail(fmt::format("{} must be one of {}; it is {}", spec.name, fmt::join(spec.choices, ", "), *text));
    return value;
}

} // namespace

const std::vector<SettingSpec>& trainSettingSpecs()
{
    static const auto* specs = [] {
        auto* list = new std::vector<SettingSpec>;
        for (const Setting& setting : settings())
            list->push_back(setting.spec);
        return list;
    }();
    return *specs;
}

ParamValue trainSetting(const TrainSettings& from, const std::string& name)
{
    const Setting* setting = findSetting(name);
    return setting == nullptr ? ParamValue(false) : setting->get(from);
}

Result<TrainSettings> withTrainSetting(const TrainSettings& from, const std::string& name, const ParamValue& value)
{
    const Setting* setting = findSetting(name);
    if (setting == nullptr)
        return fail(fmt::format("there is no training setting called {}", name));
    auto fitted = fitting(setting->spec, value);
    if (!fitted)
        return tl::unexpected(fitted.error());
    TrainSettings result = from;
    setting->set(result, *fitted);
    return result;
}

} // namespace unroll
