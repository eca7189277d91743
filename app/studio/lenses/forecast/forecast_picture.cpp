// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/studio/lenses/forecast/forecast_picture.h"

#include "app/studio/theme/number_text.h"
#include "app/studio/theme/translated.h"

#include <algorithm>
#include <cmath>

namespace unroll {

namespace {

constexpr Theme::Role kRightColor = Theme::Role::ChartValidation;
constexpr Theme::Role kToldColor = Theme::Role::ChartTrain;

std::vector<QPointF> pointsOf(const std::vector<float>& values)
{
    std::vector<QPointF> points;
    for (std::size_t i = 0; i < values.size(); ++i)
        if (std::isfinite(values[i]))
            points.emplace_back(static_cast<double>(i + 1), static_cast<double>(values[i]));
    return points;
}

AxisRange heightOf(const std::vector<ChartSeries>& all, const QString& title)
{
    AxisRange axis{0, 1, false, title};
    double low = INFINITY, high = -INFINITY;
    for (const ChartSeries& series : all)
        for (const QPointF& point : series.points) {
            low = std::min(low, point.y());
            high = std::max(high, point.y());
        }
    if (low <= high)
        std::tie(axis.low, axis.high) = padded(low, high);
    return axis;
}

} // namespace

ChartPicture forecastPicture(const Forecast& forecast)
{
    ChartPicture picture;
    picture.series = {{0, {SeriesLook::Shape::Line, kRightColor, tr("actual")}, pointsOf(forecast.right)},
                      {1, {SeriesLook::Shape::Line, kToldColor, tr("predicted")}, pointsOf(forecast.told)}};
    picture.x = {1, std::max(2.0, static_cast<double>(forecast.told.size())), false, tr("step")};
    picture.y = heightOf(picture.series, QString::fromStdString(forecast.column));
    return picture;
}

std::vector<Reading> readForecast(const Forecast& forecast, double x)
{
    if (forecast.told.empty())
        return {};
    const double step = std::clamp(std::round(x), 1.0, static_cast<double>(forecast.told.size()));
    const auto i = static_cast<std::size_t>(step) - 1;
    const double right = static_cast<double>(forecast.right[i]), told = static_cast<double>(forecast.told[i]);
    std::vector<Reading> lines{{tr("step %1").arg(countText(static_cast<std::int64_t>(step)))}};
    const auto add = [&](const QString& name, double value, Theme::Role color) {
        if (std::isfinite(value))
            lines.push_back({tr("%1 %2").arg(name, readingText(value)), color, QPointF(step, value)});
    };
    add(tr("actual"), right, kRightColor);
    add(tr("predicted"), told, kToldColor);
    if (std::isfinite(right) && std::isfinite(told))
        lines.push_back({tr("error %1").arg(readingText(std::abs(told - right)))});
    return lines;
}

} // namespace unroll
