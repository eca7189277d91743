// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/lens/forecast/forecast.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace unroll {

namespace {

FigureSeries lineOf(const std::string& name, const std::vector<float>& values)
{
    FigureSeries line{.name = name, .x = {}, .y = {values.begin(), values.end()}};
    for (std::size_t step = 0; step < values.size(); ++step)
        line.x.push_back(static_cast<double>(step));
    return line;
}

} // namespace

Figure ForecastData::figure() const
{
    Figure figure;
    figure.shows = fmt::format(
        "Predicted and actual values at {} of {}, in the column's own unit; the closer the lines, the better "
        "the forecast.",
        columns.front().told.size() == 1 ? std::string("the one step")
                                         : fmt::format("each of {} steps", columns.front().told.size()),
        of.empty() ? "the reading" : of);
    for (const Forecast& column : columns) {
        FigurePanel panel{.id = column.column, .title = column.column};
        panel.x = {.title = "step", .steps = true};
        panel.series = {lineOf("actual", column.right), lineOf("predicted", column.told)};
        figure.panels.push_back(std::move(panel));
        for (const float value : column.told)
            figure.missing += std::isfinite(value) ? 0 : 1;
    }
    return figure;
}

} // namespace unroll

namespace unroll::lenses::forecast {

namespace {

class ForecastLens : public Lens {
public:
    const LensSpec& spec() const override { return m_spec; }

    LensNeeds needs(const LensQuery&) const override { return {{}, true}; }

    Result<std::shared_ptr<const LensData>> see(const LensSubject& subject, const LensQuery&) const override
    {
        const auto tells = [](const Forecast& column) { // one number a sequence is not a forecast
            return std::count_if(column.told.begin(), column.told.end(), [](float x) { return !std::isnan(x); }) != 1 ||
                   column.told.size() == 1;
        };
        if (subject.look.forecasts.empty() || !tells(subject.look.forecasts.front()))
            return fail("the network does not predict numbers step by step");
        auto data = std::make_shared<ForecastData>();
        data->columns = subject.look.forecasts;
        data->of = subject.look.of;
        return data;
    }

private:
    LensSpec m_spec{"forecast", "Forecast by step", "Predicted and actual values at every step of the reading.", false};
};

} // namespace

std::unique_ptr<Lens> make()
{
    return std::make_unique<ForecastLens>();
}

} // namespace unroll::lenses::forecast
