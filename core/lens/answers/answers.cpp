// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/lens/answers/answers.h"

#include "core/base/number_text.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace unroll {

namespace {

/// "nats/token" -> "nats": of one step.
std::string unitOfStep(const std::string& lossUnit)
{
    return lossUnit.substr(0, lossUnit.find('/'));
}

std::string lossText(double loss, const std::string& lossUnit)
{
    const std::string unit = unitOfStep(lossUnit);
    return fmt::format("{:.4g}{}", loss, unit.empty() ? "" : " " + unit);
}

/// Points where a line would not be seen: beside gaps.
FigureSeries seriesOf(std::string name, std::vector<double> y)
{
    FigureSeries series{.name = std::move(name), .x = {}, .y = std::move(y)};
    bool isAlone = true;
    for (std::size_t i = 0; i < series.y.size(); ++i) {
        series.x.push_back(static_cast<double>(i));
        isAlone = isAlone && !(i > 0 && std::isfinite(series.y[i]) && std::isfinite(series.y[i - 1]));
    }
    if (isAlone)
        series.kind = FigureSeries::Kind::Points;
    return series;
}

std::vector<double> doubles(const std::vector<float>& values)
{
    return {values.begin(), values.end()};
}

/// What was read up to the step, with its end: `..."and the ho"`.
std::string contextOf(const AnswersData& data, std::int64_t step)
{
    constexpr std::int64_t kShown = 12;
    if (data.labels.empty())
        return {};
    const bool areWords = std::any_of(data.labels.begin(), data.labels.end(), [](const std::string& label) {
        return std::count_if(label.begin(), label.end(), [](char byte) { return (byte & 0xc0) != 0x80; }) > 1;
    });
    std::string text;
    const std::int64_t first = std::max<std::int64_t>(step - kShown + 1, 0);
    for (std::int64_t t = first; t <= step; ++t)
        text += (areWords && t > first ? " " : "") + data.labels[static_cast<std::size_t>(t)];
    return fmt::format(" after \"{}{}\"", first > 0 ? "..." : "", text);
}

FigurePanel lossPanel(const AnswersData& data)
{
    std::vector<double> losses;
    for (const StepAnswer& answer : data.answers)
        losses.push_back(answer.loss);
    const std::string unit = unitOfStep(data.lossUnit);
    FigurePanel panel{.id = "loss", .title = "Loss at each step"};
    panel.x = {.title = "step", .steps = true, .labels = data.labels};
    panel.y.title = unit.empty() ? "loss" : fmt::format("loss ({})", unit);
    panel.series = {seriesOf("loss", std::move(losses))};
    if (const auto mean = data.meanLoss())
        panel.rules.push_back({false, *mean, "mean"});
    return panel;
}

FigurePanel probabilityPanel(const AnswersData& data)
{
    std::vector<double> chances;
    FigurePanel panel{.id = "probability", .title = "Probability of the target"};
    std::vector<std::string> notes;
    for (const StepAnswer& answer : data.answers) {
        chances.push_back(answer.probability);
        notes.push_back(answer.came.empty() ? "nothing is asked"
                                            : fmt::format("target \"{}\": {:.4g}", answer.came, answer.probability));
    }
    panel.x = {.title = "step", .steps = true, .labels = data.labels};
    panel.y = {.title = "probability", .low = 0, .high = 1};
    panel.series = {seriesOf("probability", std::move(chances))};
    panel.series.front().notes = std::move(notes);
    return panel;
}

FigurePanel forecastPanel(const AnswersData& data, std::size_t column)
{
    const Forecast& forecast = data.forecasts[column];
    FigurePanel panel{.id = fmt::format("forecast_{}", column + 1), .title = forecast.column};
    panel.x = {.title = "step", .steps = true};
    panel.y.title = forecast.column;
    panel.series = {seriesOf("actual", doubles(forecast.right)), seriesOf("predicted", doubles(forecast.told))};
    return panel;
}

FigureTable likeliestTable(const AnswersData& data)
{
    const std::int64_t step = data.cursorStep();
    const StepAnswer& answer = data.answers[static_cast<std::size_t>(step)];
    FigureTable table{.id = "likeliest",
                      .title = fmt::format("Likeliest at step {}{}", grouped(step + 1), contextOf(data, step)),
                      .columns = {"predicted", "probability", "what came"},
                      .rows = {}};
    bool isListed = answer.came.empty();
    const auto add = [&](const std::string& label, double probability) {
        const bool came = !answer.came.empty() && label == answer.came;
        isListed = isListed || came;
        table.rows.push_back({.cells = {label, fmt::format("{:.4g}", probability), came ? "came" : ""}, .step = step});
    };
    for (const ClassChance& chance : answer.likeliest)
        add(chance.label, chance.probability);
    if (!isListed)
        add(answer.came, answer.probability);
    return table;
}

FigureTable numbersTable(const AnswersData& data)
{
    const std::int64_t step = data.cursorStep();
    const auto text = [](float value) {
        return std::isnan(value) ? std::string("none") : fmt::format("{:.4g}", value);
    };
    FigureTable table{.id = "at_step",
                      .title = fmt::format("At step {}", grouped(step + 1)),
                      .columns = {"target", "predicted", "actual"},
                      .rows = {}};
    for (const Forecast& each : data.forecasts)
        table.rows.push_back({.cells = {each.column, text(each.told[static_cast<std::size_t>(step)]),
                                        text(each.right[static_cast<std::size_t>(step)])},
                              .step = step});
    return table;
}

std::string surpriseText(const AnswersData& data, std::int64_t step)
{
    const StepAnswer& answer = data.answers[static_cast<std::size_t>(step)];
    const std::string place = fmt::format("Step {}{}", grouped(step + 1), contextOf(data, step));
    if (!data.tellsClasses())
        return fmt::format("{}: loss {}.", place, lossText(answer.loss, data.lossUnit));
    const std::string rather = answer.likeliest.empty() || answer.likeliest.front().label == answer.came
                                   ? std::string()
                                   : fmt::format("; likeliest was \"{}\" ({:.2g})", answer.likeliest.front().label,
                                                 answer.likeliest.front().probability);
    return fmt::format("{}: target \"{}\", probability {:.2g}, loss {}{}.", place, answer.came, answer.probability,
                       lossText(answer.loss, data.lossUnit), rather);
}

/// The mean, and the places that the network expected least.
std::vector<std::string> findingsOf(const AnswersData& data)
{
    constexpr std::size_t kPlaces = 3;
    const auto mean = data.meanLoss();
    if (!mean)
        return {data.targets() == 0
                    ? "This reading has no targets, so there is no loss."
                    : "The loss is n/a: it is not finite, or of a kind that is not computed step by step."};
    std::vector<std::string> findings{fmt::format("Mean loss {:.4g}{} over {}.", *mean,
                                                  data.lossUnit.empty() ? "" : " " + data.lossUnit,
                                                  counted(data.targets(), "target"))};
    if (data.targets() > 1)
        for (const std::int64_t step : data.mostSurprising(kPlaces))
            findings.push_back(surpriseText(data, step));
    return findings;
}

/// Those that should be there.
std::int64_t missingIn(const AnswersData& data)
{
    std::int64_t missing = 0;
    for (const StepAnswer& answer : data.answers)
        missing += answer.asked > 0 && !std::isfinite(answer.loss);
    return missing;
}

} // namespace

std::int64_t AnswersData::cursorStep() const
{
    const std::int64_t last = std::ssize(answers) - 1;
    return cursor < 0 ? last : std::min(cursor, last);
}

std::int64_t AnswersData::targets() const
{
    std::int64_t all = 0;
    for (const StepAnswer& answer : answers)
        all += answer.asked;
    return all;
}

std::optional<double> AnswersData::meanLoss() const
{
    double sum = 0;
    for (const StepAnswer& answer : answers)
        if (answer.asked > 0)
            sum += answer.loss * static_cast<double>(answer.asked);
    const double mean = sum / static_cast<double>(targets());
    return std::isfinite(mean) ? std::optional(mean) : std::nullopt;
}

std::vector<std::int64_t> AnswersData::mostSurprising(std::size_t count) const
{
    std::vector<std::int64_t> steps;
    for (std::size_t step = 0; step < answers.size(); ++step)
        if (std::isfinite(answers[step].loss))
            steps.push_back(static_cast<std::int64_t>(step));
    const auto lossAt = [&](std::int64_t step) { return answers[static_cast<std::size_t>(step)].loss; };
    std::stable_sort(steps.begin(), steps.end(), [&](auto a, auto b) { return lossAt(a) > lossAt(b); });
    steps.resize(std::min(steps.size(), count));
    return steps;
}

Figure AnswersData::figure() const
{
    Figure figure;
    figure.shows = fmt::format(
        "{} at {} of {}: {}.",
        tellsClasses() ? "Probability of the target, and its loss," : "Loss of the predicted values",
        answers.size() == 1 ? std::string("the one step") : "each of " + counted(std::ssize(answers), "step"),
        of.empty() ? "the reading" : of,
        tellsClasses() ? "a high loss is a surprise" : "below it predicted beside actual values");
    figure.findings = findingsOf(*this);
    figure.missing = missingIn(*this);
    figure.panels.push_back(lossPanel(*this));
    if (tellsClasses()) {
        figure.panels.push_back(probabilityPanel(*this));
        figure.tables.push_back(likeliestTable(*this));
    } else {
        for (std::size_t column = 0; column < forecasts.size(); ++column)
            figure.panels.push_back(forecastPanel(*this, column));
        figure.tables.push_back(numbersTable(*this));
    }
    return figure;
}

} // namespace unroll
