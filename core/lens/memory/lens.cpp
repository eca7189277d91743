// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/lens/memory/context_loss.h"
#include "core/lens/memory/step_gradients.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

namespace unroll::lenses::memory {

namespace {

ParamSpec integerSetting(const char* name, std::int64_t value, double least, double most, const char* whenLeast,
                         const char* help)
{
    ParamSpec setting{};
    setting.name = name;
    setting.type = ParamType::Int;
    setting.defaultValue = value;
    setting.minimum = least;
    setting.maximum = most;
    setting.unit = "steps";
    setting.whenEmpty = whenLeast;
    setting.help = help;
    return setting;
}

LensSpec memorySpec()
{
    ParamSpec step = integerSetting("step", -1, -1, kLongestReading - 1, "the last one",
                                    "The answer at this step of the reading, counted from 0; -1: at the last.");
    step.unit.clear();
    ParamSpec answer{};
    answer.name = "answer";
    answer.type = ParamType::Text;
    answer.defaultValue = std::string();
    answer.help = "Label of the class, or name of the column, whose output is differentiated.";
    answer.whenEmpty = "the target, else the likeliest";
    ParamSpec scale{};
    scale.name = "log_scale";
    scale.type = ParamType::Bool;
    scale.defaultValue = false;
    scale.help = "Whether sizes of gradients are drawn on a logarithmic axis.";
    LensSpec spec{
        "memory",
        "Memory",
        "How far back the output depends on its inputs: gradient by step, and loss against the steps seen.",
        false,
        {step, answer, scale,
         integerSetting("tokens", 65536, 0, 1e9, "none",
                        "Steps to be read at most for the curve of the loss against the steps seen; 0: no curve."),
         integerSetting("context", 0, 0, kLongestReading, "usual",
                        "Most steps seen in that curve; 0: as many as a training sequence has, twice that "
                        "where states are carried, 256 at most.")}};
    spec.heavy = true;
    return spec;
}

std::optional<std::int64_t> numberIn(const std::string& text)
{
    std::int64_t value = 0;
    const auto [end, fault] = std::from_chars(text.data(), text.data() + text.size(), value);
    return fault == std::errc() && end == text.data() + text.size() ? std::optional(value) : std::nullopt;
}

/// Names of the outputs; none where they are not known.
std::vector<std::string> namesOf(const StepOutput& output, const LensSubject& subject)
{
    std::vector<std::string> names;
    if (!output.classes)
        for (const ColumnScale& column : subject.text->targets)
            names.push_back(column.name);
    else if (subject.data != nullptr)
        names = subject.data->labels().empty() ? subject.data->alphabet() : subject.data->labels();
    return std::ssize(names) == output.values.size(0) ? names : std::vector<std::string>();
}

/// By its name, else by its number.
Result<std::int64_t> indexOf(const std::string& asked, const std::vector<std::string>& names, const StepOutput& output)
{
    if (const auto found = std::find(names.begin(), names.end(), asked); found != names.end())
        return found - names.begin();
    const std::int64_t count = output.values.size(0);
    if (const auto number = numberIn(asked); number && *number >= 0 && *number < count)
        return *number;
    return fail(fmt::format("the network has no output named “{}”; it has {}", asked, count));
}

/// What the lens was asked about, resolved.
struct Chosen {
    std::int64_t index = 0;
    std::string words;
};

std::string cameAt(const ProbeFrame& look, std::int64_t step)
{
    return step < std::ssize(look.answers) ? look.answers[static_cast<std::size_t>(step)].came : std::string();
}

Result<Chosen> choice(const StepOutput& output, const LensSubject& subject, std::int64_t step, const std::string& asked)
{
    const std::vector<std::string> names = namesOf(output, subject);
    const std::string came = output.classes ? cameAt(subject.look, step) : std::string();
    const auto known = std::find(names.begin(), names.end(), came);
    Chosen chosen;
    const char* why = "";
    if (!asked.empty()) {
        const auto index = indexOf(asked, names, output);
        if (!index)
            return tl::unexpected(index.error());
        chosen.index = *index;
    } else if (!came.empty() && known != names.end()) {
        chosen.index = known - names.begin();
        why = ", which came,";
    } else if (output.classes) {
        chosen.index = output.values.argmax().item<std::int64_t>();
        why = ", the likeliest,";
    }
    const std::string name = names.empty() ? fmt::format("output {}", chosen.index)
                                           : fmt::format("“{}”", names[static_cast<std::size_t>(chosen.index)]);
    chosen.words = fmt::format("{} {}{}", output.classes ? "the logit of" : "the output for", name, why);
    return chosen;
}

class MemoryLens : public Lens {
public:
    const LensSpec& spec() const override { return m_spec; }

    LensNeeds needs(const LensQuery&) const override { return {.watched = {}, .forecasts = false, .answers = true}; }

    Result<std::shared_ptr<const LensData>> see(const LensSubject& subject, const LensQuery& query) const override
    {
        if (subject.model == nullptr || subject.text == nullptr)
            return fail("the network is not available");
        auto data = std::make_shared<MemoryData>();
        if (auto followed = follow(*data, subject, query.settings); !followed)
            return tl::unexpected(followed.error());
        if (subject.end.stop_requested())
            return fail("it was cancelled");
        data->curve = curve(subject, query.settings);
        return data;
    }

private:
    static Result<void> follow(MemoryData& data, const LensSubject& subject, const Params& settings)
    {
        const auto step = std::get<std::int64_t>(settings.at("step"));
        const auto choose = [&](const StepOutput& output) -> Result<std::int64_t> {
            data.whole = output.whole;
            data.step = step < 0 || output.whole ? output.steps - 1 : step;
            const auto chosen = choice(output, subject, data.step, std::get<std::string>(settings.at("answer")));
            if (!chosen)
                return tl::unexpected(chosen.error());
            data.answer = chosen->words;
            return chosen->index;
        };
        auto found = stepGradients(*subject.model, *subject.text, step, choose);
        if (!found)
            return tl::unexpected(found.error());
        data.gradient = std::move(found->size);
        data.rounding = std::move(found->rounding);
        data.characters = subject.look.characters;
        data.of = subject.look.of;
        data.logarithmic = std::get<bool>(settings.at("log_scale"));
        return {};
    }

    static ContextLoss curve(const LensSubject& subject, const Params& settings)
    {
        ContextLoss none;
        const auto budget = std::get<std::int64_t>(settings.at("tokens"));
        if (subject.data != nullptr && budget > 0)
            return contextLoss(*subject.model, *subject.data,
                               {budget, std::get<std::int64_t>(settings.at("context")), subject.end});
        none.trouble = subject.data == nullptr ? "the data are not available" : "it is switched off (tokens is 0)";
        return none;
    }

    LensSpec m_spec = memorySpec();
};

} // namespace

std::unique_ptr<Lens> make()
{
    return std::make_unique<MemoryLens>();
}

} // namespace unroll::lenses::memory
