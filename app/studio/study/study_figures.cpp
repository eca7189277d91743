// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/studio/study/study_figures.h"

#include "app/studio/theme/translated.h"

#include <algorithm>
#include <numeric>

namespace unroll {

namespace {

/// Settings by their importance; those without one behind the others, as the study has them.
std::vector<std::size_t> byImportance(const StudyResults& results)
{
    std::vector<std::size_t> order(results.axes.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
        return results.axes[a].importance.value_or(-1) > results.axes[b].importance.value_or(-1);
    });
    return order;
}

void addTrial(FigureSeries& series, const StudyPlot& plot, std::size_t trial, std::size_t axis)
{
    const StudyTrial& of = plot.results()->trials[trial];
    series.x.push_back(*of.places[axis]);
    series.y.push_back(*of.reached());
    series.units.push_back(of.number);
    series.notes.push_back(plot.trialText(trial).toStdString());
    if (!series.dim)
        series.shade.push_back(plot.rank(trial).value_or(0));
}

FigurePanel sliceOf(const StudyPlot& plot, std::size_t axis)
{
    const StudyResults& results = *plot.results();
    const StudyAxis& of = results.axes[axis];
    FigurePanel panel{of.key, of.key};
    if (of.importance)
        panel.title += "  " + QString::number(100 * *of.importance, 'f', 0).toStdString() + " %";
    panel.x.log = of.log;
    for (const std::string& choice : of.choices)
        panel.x.labels.push_back(choice);
    if (of.choices.empty()) {
        const AxisRange& range = plot.range(axis);
        const AxisRange wider = range.between(-0.03, 1.03); // points at the ends are whole
        panel.x.low = wider.low;
        panel.x.high = wider.high;
    }
    const AxisRange& value = plot.range(plot.valueAxis());
    panel.y = {results.metric, value.low, value.high, value.log};
    FigureSeries others{.name = {}, .kind = FigureSeries::Kind::Points, .dim = true};
    FigureSeries finished{.name = {}, .kind = FigureSeries::Kind::Points};
    for (const std::size_t trial : results.ranked())
        if (results.trials[trial].places[axis] && results.trials[trial].reached())
            addTrial(plot.rank(trial) && plot.isWithin(trial) ? finished : others, plot, trial, axis);
    panel.series = {std::move(others), std::move(finished)};
    return panel;
}

} // namespace

Figure studySlices(const StudyPlot& plot)
{
    Figure figure;
    for (const std::size_t axis : byImportance(*plot.results()))
        figure.panels.push_back(sliceOf(plot, axis));
    return figure;
}

Figure studyImportances(const StudyPlot& plot)
{
    const StudyResults& results = *plot.results();
    Figure figure;
    FigurePanel panel{"importance", {}};
    FigureSeries bars{.name = "importance", .kind = FigureSeries::Kind::Bars};
    for (const std::size_t axis : byImportance(results)) {
        const StudyAxis& of = results.axes[axis];
        if (!of.importance)
            continue;
        bars.x.push_back(static_cast<double>(panel.x.labels.size()));
        bars.y.push_back(100 * *of.importance);
        bars.notes.push_back(
            tr("%1: %2 %").arg(QString::fromStdString(of.key)).arg(bars.y.back(), 0, 'f', 1).toStdString());
        panel.x.labels.push_back(of.key);
    }
    const auto finished = std::count_if(results.trials.begin(), results.trials.end(),
                                        [](const StudyTrial& trial) { return trial.value.has_value(); });
    if (bars.x.empty()) {
        figure.shows = tr("Importance needs two or more finished trials with different values; there are %1.")
                           .arg(finished)
                           .toStdString();
        return figure;
    }
    figure.shows =
        tr("Share of the variation in %1 that each setting explains, by Optuna (PED-ANOVA), from %2 finished "
           "trials. Shares of few trials are rough.")
            .arg(QString::fromStdString(results.metric))
            .arg(finished)
            .toStdString();
    panel.y = {.title = tr("share, %").toStdString(), .low = 0, .high = 100};
    panel.series.push_back(std::move(bars));
    figure.panels.push_back(std::move(panel));
    return figure;
}

} // namespace unroll
