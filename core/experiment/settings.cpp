// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/experiment/settings.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <string_view>

namespace unroll {

namespace {

/// One row of the table that reads, writes, checks and describes the settings.
struct Setting {
    ParamSpec spec;
    std::function<ParamValue(const TrainSettings&)> get;
    std::function<void(TrainSettings&, const ParamValue&)> set;
};

template <class T, class M>
Setting field(ParamType type, const char* name, M TrainSettings::*member, const char* help)
{
    Setting made;
    made.spec = {.name = name, .type = type, .defaultValue = T(TrainSettings{}.*member), .help = help};
    made.get = [member](const TrainSettings& s) { return ParamValue(T(s.*member)); };
    made.set = [member](TrainSettings& s, const ParamValue& v) { s.*member = std::get<T>(v); };
    return made;
}

Setting whole(const char* name, std::int64_t TrainSettings::*member, double least, const char* help,
              const char* unit = "", double most = 1e12)
{
    Setting made = field<std::int64_t>(ParamType::Int, name, member, help);
    made.spec.minimum = least;
    made.spec.maximum = most;
    made.spec.unit = unit;
    return made;
}

Setting real(const char* name, double TrainSettings::*member, double least, double most, const char* help)
{
    Setting made = field<double>(ParamType::Real, name, member, help);
    made.spec.minimum = least;
    made.spec.maximum = most;
    return made;
}

/// The choices are in the order of the enumeration.
template <class E>
Setting choice(const char* name, E TrainSettings::*member, std::vector<ChoiceSpec> choices, const char* help)
{
    const auto wordOf = [choices](E value) { return choices[static_cast<std::size_t>(value)].value; };
    const auto index = [choices](const std::string& word) {
        return std::find_if(choices.begin(), choices.end(),
                            [&](const ChoiceSpec& each) { return each.value == word; }) -
               choices.begin();
    };
    Setting made;
    made.spec = {.name = name,
                 .type = ParamType::Choice,
                 .defaultValue = wordOf(TrainSettings{}.*member),
                 .help = help,
                 .choices = choices};
    made.get = [member, wordOf](const TrainSettings& s) { return ParamValue(wordOf(s.*member)); };
    made.set = [member, index](TrainSettings& s, const ParamValue& v) {
        s.*member = static_cast<E>(index(std::get<std::string>(v)));
    };
    return made;
}

/// It counts with these choices of another setting alone.
Setting with(const char* other, std::vector<std::string> choices, Setting made)
{
    made.spec.when = {{other, std::move(choices)}};
    return made;
}

/// Under one heading in panels; the file knows no headings.
void append(std::vector<Setting>& table, const char* group, std::vector<Setting> settings)
{
    for (Setting& setting : settings) {
        setting.spec.group = group;
        table.push_back(std::move(setting));
    }
}

using T = TrainSettings;

std::vector<Setting> lengthSettings()
{
    return {
        whole("steps", &T::steps, 1, "Optimiser updates in the whole run.", "steps"),
        whole("batch", &T::batch, 1, "Sequences per batch.", "sequences"),
        whole("accumulation", &T::accumulation, 1, "Gradient accumulation: batches averaged per update.", "batches")};
}

Setting optimizerChoice()
{
    std::vector<ChoiceSpec> choices;
    for (const OptimizerSpec& optimizer : optimizerSpecs())
        choices.push_back({optimizer.id, optimizer.summary});
    Setting made = field<std::string>(ParamType::Choice, "optimizer", &T::optimizer, "The optimiser.");
    made.spec.choices = std::move(choices);
    return made;
}

/// A setting of some optimisers, kept under its name. Only what differs from the default is, so that equal settings are
/// equal.
Setting ofOptimizer(const ParamSpec& spec)
{
    Setting made;
    made.spec = spec;
    made.get = [name = spec.name, fallback = spec.defaultValue](const TrainSettings& s) {
        const auto found = s.optimizerSettings.find(name);
        return found == s.optimizerSettings.end() ? fallback : found->second;
    };
    made.set = [name = spec.name, fallback = spec.defaultValue](TrainSettings& s, const ParamValue& v) {
        if (v == fallback)
            s.optimizerSettings.erase(name);
        else
            s.optimizerSettings[name] = v;
    };
    return made;
}

/// Those that have a setting of this name.
std::vector<std::string> optimizersWith(const std::string& name)
{
    std::vector<std::string> ids;
    for (const OptimizerSpec& optimizer : optimizerSpecs())
        if (std::any_of(optimizer.settings.begin(), optimizer.settings.end(),
                        [&](const ParamSpec& spec) { return spec.name == name; }))
            ids.push_back(optimizer.id);
    return ids;
}

std::vector<Setting> optimizerSettings()
{
    std::vector<Setting> table{optimizerChoice(),
                               real("learning_rate", &T::learningRate, 0, 1e3, "Peak learning rate.")};
    for (const OptimizerSpec& optimizer : optimizerSpecs())
        for (const ParamSpec& spec : optimizer.settings) {
            const bool isThere = std::any_of(table.begin(), table.end(),
                                             [&](const Setting& each) { return each.spec.name == spec.name; });
            if (isThere)
                continue;
            const auto ids = optimizersWith(spec.name);
            Setting made = ofOptimizer(spec);
            table.push_back(ids.size() == optimizerSpecs().size() ? made : with("optimizer", ids, made));
        }
    return table;
}

std::vector<Setting> scheduleSettings()
{
    return {
        choice("schedule", &T::schedule,
               {{"constant", "The learning rate stays at its peak."},
                {"cosine", "Cosine decay to the final learning rate."}},
               "Learning rate schedule after the warm-up."),
        whole("warmup", &T::warmup, 0, "Linear warm-up, in steps.", "steps"),
        real("start_learning_rate", &T::startLearningRate, 0, 1e3,
             "Learning rate of the first update of the warm-up; 0: the peak divided by the steps of the warm-up."),
        with("schedule", {"cosine"},
             whole("decay_steps", &T::decaySteps, 0, "Length of the cosine after the warm-up; 0: to the last step.",
                   "steps")),
        with("schedule", {"cosine"},
             real("final_learning_rate", &T::finalLearningRate, 0, 1e3, "Final learning rate of the cosine schedule.")),
        with("schedule", {"cosine"},
             choice("schedule_on_resume", &T::continuation,
                    {{"keep", "It ends as planned and stays at the final learning rate."},
                     {"stretch", "It continues from the current rate and ends at the new last step."},
                     {"restart", "It restarts with warm-up and peak and ends at the new last step."}},
                    "Schedule of a run that is resumed with another number of steps."))};
}

std::vector<Setting> arithmeticSettings()
{
    return {
        real("clip", &T::clip, 0, 1e12, "Gradient clipping: largest norm per clip group; 0: off."),
        choice(
            "precision", &T::precision,
            {{"fp32", "Single precision throughout, on a GPU too."},
             {"tf32",
              "TF32: on NVIDIA GPUs since Ampere, matrix products round factors to 10 bits; elsewhere as fp32."},
             {"bf16", "Factors of matrix products in bfloat16: faster with hardware support, about 3 digits."}},
            "Arithmetic of the matrix products in training, and of RNN, LSTM and GRU as a whole where they are fused. "
            "Weights, optimiser states and activations between blocks stay in fp32; with bf16, evaluation does too."),
        choice("products", &T::products,
               {{"auto", "AMX if the processor has it, else the library; a resumed run keeps its choice."},
                {"library", "MKL, or oneDNN on AVX-512 processors not made by Intel."},
                {"amx", "AMX, each number as the sum of three bfloat16 numbers: as exact as fp32."}},
               "Backend of fp32 matrix products on the CPU. Each rounds the last bits differently.")};
}

std::vector<Setting> evaluationSettings()
{
    return {whole("evaluate_every", &T::evaluateEvery, 0,
                  "Steps between evaluations on the validation slice; 0: only at the end.", "steps"),
            whole("evaluate_batches", &T::evaluateBatches, 1, "Size of the fixed validation slice.", "batches"),
            field<bool>(ParamType::Bool, "evaluate_whole", &T::evaluateWhole,
                        "Evaluate the whole validation split at the end.")};
}

std::vector<Setting> sampleSettings()
{
    return {whole("sample_every", &T::sampleEvery, 0, "Steps between generated samples; 0: never.", "steps"),
            whole("sample_tokens", &T::sampleTokens, 1, "Length of a sample.", "tokens"),
            field<std::string>(ParamType::Text, "sample_prompt", &T::samplePrompt,
                               "Prompt of the samples; empty: the first character of the data."),
            real("sample_temperature", &T::sampleTemperature, 0, 100,
                 "0 takes the likeliest token, 1 samples from the model's distribution."),
            whole("sample_top_k", &T::sampleTopK, 0, "Draws among so many of the likeliest tokens; 0: among all.",
                  "tokens"),
            real("sample_top_p", &T::sampleTopP, 0, 1,
                 "Draws among the fewest likeliest tokens whose probabilities add up to this; 1: among all."),
            field<std::string>(ParamType::Text, "sample_stop", &T::sampleStop,
                               "A sample stops at this text; empty: at its full length.")};
}

std::vector<Setting> recordSettings()
{
    return {
        whole("checkpoint_every", &T::checkpointEvery, 0, "Steps between checkpoints; 0: only at the end.", "steps"),
        whole("log_every", &T::logEvery, 1, "Steps between rows of metrics.", "steps")};
}

std::vector<Setting> machineSettings()
{
    return {
        whole("threads", &T::threads, 0, "CPU threads; 0: all cores.", "threads", static_cast<double>(kMostThreads)),
        field<std::string>(ParamType::Text, "device", &T::device, "auto, cpu, cuda or cuda:1.")};
}

std::vector<Setting> makeSettings()
{
    std::vector<Setting> table;
    append(table, "", lengthSettings());
    append(table, "Optimiser", optimizerSettings());
    append(table, "Learning rate", scheduleSettings());
    append(table, "Gradients and arithmetic", arithmeticSettings());
    append(table, "Evaluation", evaluationSettings());
    append(table, "Samples", sampleSettings());
    append(table, "Checkpoints and metrics", recordSettings());
    append(table, "Evaluation",
           {whole("patience", &T::patience, 0, "Early stopping: evaluations without a better validation loss; 0: off.",
                  "evaluations")});
    append(table, "Machine", machineSettings());
    return table;
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

/// Whether such a device could be; whether it is here is found out where it is opened.
bool isDeviceName(std::string_view name)
{
    if (name == "auto" || name == "cpu" || name == "cuda")
        return true;
    constexpr std::string_view kNumbered = "cuda:";
    return name.starts_with(kNumbered) && name.size() > kNumbered.size() &&
           name.find_first_not_of("0123456789", kNumbered.size()) == std::string_view::npos;
}

} // namespace

const std::vector<ParamSpec>& trainSettingSpecs()
{
    static const auto* specs = [] {
        auto* list = new std::vector<ParamSpec>;
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

double optimizerSetting(const TrainSettings& settings, const std::string& name)
{
    const OptimizerSpec* optimizer = findOptimizer(settings.optimizer);
    if (optimizer == nullptr)
        return 0;
    for (const ParamSpec& spec : optimizer->settings)
        if (spec.name == name)
            return std::get<double>(trainSetting(settings, name));
    return 0;
}

Result<TrainSettings> withTrainSetting(const TrainSettings& from, const std::string& name, const ParamValue& value)
{
    const Setting* setting = findSetting(name);
    if (setting == nullptr)
        return fail(fmt::format("there is no training setting named {}", name));
    if (const std::string fault = paramFault(setting->spec, value); !fault.empty())
        return fail(fault);
    if (name == "device" && !isDeviceName(std::get<std::string>(value)))
        return fail(fmt::format("device must be auto, cpu, cuda or cuda:1; it is '{}'", std::get<std::string>(value)));
    TrainSettings result = from;
    setting->set(result, *asParamOf(setting->spec.type, value));
    return result;
}

} // namespace unroll
