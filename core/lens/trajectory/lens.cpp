// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/lens/trajectory/feature_shade.h"
#include "core/lens/trajectory/trajectory.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <limits>
#include <set>

namespace unroll {

namespace {

constexpr double kNotKnown = std::numeric_limits<double>::quiet_NaN();

std::string noteOf(const TrajectoryData& data, std::size_t step)
{
    const std::string token = step < data.labels.size() ? ": " + data.labels[step] : "";
    return fmt::format("step {}{}", step + 1, token);
}

/// The steps that are shaded (or those that are not), as points.
FigureSeries pointsOf(const TrajectoryData& data, bool shaded)
{
    FigureSeries points{
        .name = shaded ? "steps" : "steps without a colour", .kind = FigureSeries::Kind::Points, .x = {}, .y = {}};
    points.dim = !shaded;
    for (std::size_t step = 0; step < data.shade.size(); ++step) {
        if (std::isnan(data.shade[step]) == shaded)
            continue;
        points.x.push_back(data.scores[0][step]);
        points.y.push_back(data.scores[1][step]);
        points.notes.push_back(noteOf(data, step));
        if (shaded)
            points.shade.push_back(data.shade[step]);
    }
    return points;
}

FigurePanel planePanel(const TrajectoryData& data)
{
    FigurePanel panel{.id = "plane", .title = data.name};
    panel.x.title = fmt::format("PC 1 ({:.1f} % of the variance)", 100 * data.explained[0]);
    panel.y.title = fmt::format("PC 2 ({:.1f} % of the variance)", 100 * data.explained[1]);
    panel.square = true;
    panel.series.push_back({.name = "order of steps",
                            .kind = FigureSeries::Kind::Line,
                            .x = data.scores[0],
                            .y = data.scores[1],
                            .dim = true});
    for (const bool shaded : {false, true})
        if (FigureSeries points = pointsOf(data, shaded); !points.x.empty())
            panel.series.push_back(std::move(points));
    if (data.step >= 0) {
        const auto at = static_cast<std::size_t>(data.step);
        panel.series.push_back({.name = "cursor",
                                .kind = FigureSeries::Kind::Points,
                                .x = {data.scores[0][at]},
                                .y = {data.scores[1][at]},
                                .notes = {noteOf(data, at)}});
    }
    return panel;
}

std::string colourText(const TrajectoryData& data)
{
    switch (data.colour) {
    case TrajectoryData::Colour::Step: return "by step, from the first to the last";
    case TrajectoryData::Colour::Token: return "by token, in their order";
    case TrajectoryData::Colour::Feature: return "by " + data.featureWords;
    case TrajectoryData::Colour::Answer: return "by the model's probability of the target, 0 to 1";
    }
    return "";
}

std::vector<std::string> findingsOf(const TrajectoryData& data)
{
    std::vector<std::string> findings{fmt::format("{:.1f} % of the variance lies in this plane; {} numbers a step.",
                                                  100 * (data.explained[0] + data.explained[1]), data.width)};
    if (data.used < data.steps)
        findings.push_back(fmt::format("{} of {} steps are left out: not all of their values are numbers.",
                                       data.steps - data.used, data.steps));
    if (data.explained[0] - data.explained[1] < 1e-9)
        findings.push_back("Both components have the same variance: the plane is theirs, its directions are not.");
    return findings;
}

} // namespace

Figure TrajectoryData::figure() const
{
    Figure figure;
    figure.shows = fmt::format(
        "{} at {} steps of {} in the plane of its two largest principal components; steps are joined in their order "
        "and coloured {}.",
        name, steps, of.empty() ? "the reading" : of, colourText(*this));
    figure.missing = missing;
    figure.findings = findingsOf(*this);
    figure.panels = {planePanel(*this)};
    FigureArray directions{.name = "loadings", .shape = {2, width}, .values = loadings[0]};
    directions.values.insert(directions.values.end(), loadings[1].begin(), loadings[1].end());
    figure.arrays = {
        std::move(directions), {"explained", {2}, {explained[0], explained[1]}}, {"shade", {steps}, shade}};
    if (!feature.empty())
        figure.arrays.push_back({"feature", {steps}, feature});
    return figure;
}

namespace lenses::trajectory {

namespace {

using Colour = TrajectoryData::Colour;

/// As the setting names them; a query that is not complete has the default.
Colour colourOf(const LensQuery& query)
{
    const auto found = query.settings.find("colour");
    const auto* word = found == query.settings.end() ? nullptr : std::get_if<std::string>(&found->second);
    if (word == nullptr || *word == "step")
        return Colour::Step;
    return *word == "token" ? Colour::Token : *word == "feature" ? Colour::Feature : Colour::Answer;
}

/// From 0 to 1; a single one is 0.
double shareOf(std::size_t index, std::size_t count)
{
    return count > 1 ? static_cast<double>(index) / static_cast<double>(count - 1) : 0;
}

Result<std::vector<double>> shadeOf(const ProbeFrame& look, Colour colour, std::size_t steps)
{
    std::vector<double> shade(steps, kNotKnown);
    if (colour == Colour::Step)
        for (std::size_t step = 0; step < steps; ++step)
            shade[step] = shareOf(step, steps);
    if (colour == Colour::Token) {
        if (look.characters.size() != steps)
            return fail("numbers were read: there are no tokens to colour by");
        const std::set<std::string> kinds(look.characters.begin(), look.characters.end());
        for (std::size_t step = 0; step < steps; ++step)
            shade[step] =
                shareOf(static_cast<std::size_t>(std::distance(kinds.begin(), kinds.find(look.characters[step]))),
                        kinds.size());
    }
    if (colour == Colour::Answer) {
        if (look.answers.size() != steps)
            return fail("this reading has no probability of a target at each step to colour by");
        for (std::size_t step = 0; step < steps; ++step)
            if (!look.answers[step].came.empty())
                shade[step] = static_cast<double>(look.answers[step].probability);
        if (std::all_of(shade.begin(), shade.end(), [](double value) { return std::isnan(value); }))
            return fail("no step of this reading has a target class, so there is no probability to colour by");
    }
    return shade;
}

LensSpec trajectorySpec()
{
    ParamSpec colour{};
    colour.name = "colour";
    colour.type = ParamType::Choice;
    colour.defaultValue = std::string("step");
    colour.help = "What the points are coloured by.";
    colour.choices = {{"step", "By step, from the first to the last."},
                      {"token", "By the token that is read."},
                      {"answer", "By the model's probability of the target."},
                      {"feature", "By a feature of the data."}};
    ParamSpec feature{};
    feature.name = "feature";
    feature.type = ParamType::Text;
    feature.defaultValue = std::string();
    feature.help = "Feature that colours, by its name or id in What units track: quotations, in_quotes.";
    feature.whenEmpty = "the first that changes in the reading";
    ParamSpec step{};
    step.name = "step";
    step.type = ParamType::Int;
    step.defaultValue = std::int64_t{-1};
    step.minimum = -1;
    step.help = "Step that is marked, from 0; -1: none.";
    return {"trajectory",
            "Trajectory",
            "A signal's path over the steps of the reading, in the plane of its two largest principal components.",
            true,
            {colour, feature, step}};
}

class TrajectoryLens : public Lens {
public:
    const LensSpec& spec() const override { return m_spec; }

    LensNeeds needs(const LensQuery& query) const override
    {
        LensNeeds own = Lens::needs(query);
        own.answers = colourOf(query) == Colour::Answer;
        return own;
    }

    Result<std::shared_ptr<const LensData>> see(const LensSubject& subject, const LensQuery& query) const override
    {
        const auto shown = signalOf(subject.look, query);
        if (!shown)
            return tl::unexpected(shown.error());
        const SignalFrame& frame = **shown;
        if (frame.steps == 0 || frame.width == 0)
            return fail("the signal " + frame.signal + " of " + frame.node + " has no values");
        const std::int64_t step = std::get<std::int64_t>(query.settings.at("step"));
        if (step >= frame.steps)
            return fail(fmt::format("the reading has {} steps; step {} is not one of them", frame.steps, step + 1));
        auto found = principalComponents(frame);
        if (!found)
            return fail(frame.node + " " + frame.signal + ": " + found.error().message);
        auto data = std::make_shared<TrajectoryData>(std::move(*found));
        data->colour = colourOf(query);
        if (auto coloured = colour(*data, subject, query); !coloured)
            return tl::unexpected(coloured.error());
        data->step = step;
        data->labels = subject.look.characters;
        data->name = frame.node + " " + frame.signal;
        data->of = subject.look.of;
        return data;
    }

private:
    static Result<void> colour(TrajectoryData& data, const LensSubject& subject, const LensQuery& query)
    {
        if (data.colour != Colour::Feature) {
            auto shade = shadeOf(subject.look, data.colour, static_cast<std::size_t>(data.steps));
            if (!shade)
                return tl::unexpected(shade.error());
            data.shade = std::move(*shade);
            return {};
        }
        if (subject.data == nullptr || subject.text == nullptr)
            return fail("features need the data, which are not available");
        auto found = featureShade(*subject.text, *subject.data, std::get<std::string>(query.settings.at("feature")));
        if (!found)
            return tl::unexpected(found.error());
        if (std::ssize(found->shade) != data.steps)
            return fail("the signal has other steps than the reading");
        data.shade = std::move(found->shade);
        data.feature = std::move(found->values);
        data.featureWords = std::move(found->words);
        return {};
    }

    LensSpec m_spec = trajectorySpec();
};

} // namespace

std::unique_ptr<Lens> make()
{
    return std::make_unique<TrajectoryLens>();
}

} // namespace lenses::trajectory

} // namespace unroll
