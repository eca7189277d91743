// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/lens/answers/answers.h"

namespace unroll::lenses::answers {

namespace {

LensSpec answersSpec()
{
    ParamSpec step{};
    step.name = "step";
    step.type = ParamType::Int;
    step.defaultValue = std::int64_t{-1};
    step.minimum = -1;
    step.help = "Step whose likeliest classes are listed; -1: the last.";
    return {.id = "answers",
            .title = "Answers",
            .summary = "Predictions beside the targets at every step: probability, loss, likeliest classes.",
            .takesSignal = false,
            .settings = {step}};
}

class AnswersLens : public Lens {
public:
    const LensSpec& spec() const override { return m_spec; }

    LensNeeds needs(const LensQuery&) const override { return {.watched = {}, .forecasts = true, .answers = true}; }

    Result<std::shared_ptr<const LensData>> see(const LensSubject& subject, const LensQuery& query) const override
    {
        const ProbeFrame& look = subject.look;
        if (look.answers.empty())
            return fail("the network predicts none of the targets of the data");
        auto data = std::make_shared<AnswersData>();
        data->labels = look.characters;
        data->answers = look.answers;
        data->forecasts = look.forecasts;
        data->of = look.of;
        data->lossUnit = look.lossUnit;
        data->cursor = std::get<std::int64_t>(query.settings.at("step"));
        return data;
    }

private:
    LensSpec m_spec = answersSpec();
};

} // namespace

std::unique_ptr<Lens> make()
{
    return std::make_unique<AnswersLens>();
}

} // namespace unroll::lenses::answers
