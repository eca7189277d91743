// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/studio/figure/figure_text.h"

#include "app/studio/figure/figure_style.h"
#include "app/studio/theme/number_text.h"
#include "app/studio/theme/translated.h"

#include <QStringList>
#include <cmath>

namespace unroll {

namespace {

constexpr int kMostNamed = 4; ///< series whose values are said at one step

QString text(const std::string& words)
{
    return QString::fromStdString(words);
}

/// The label of a whole place; empty: it has none.
QString labelAt(const FigureAxis& axis, double value)
{
    const double place = std::round(value);
    const bool named = std::abs(value - place) < 1e-6 && place >= 0 && place < static_cast<double>(axis.labels.size());
    return named ? text(axis.labels[static_cast<std::size_t>(place)]) : QString();
}

/// Where on one axis: "step 13 “e”", "AUC 0.9", "lstm".
QString placeText(const FigureAxis& axis, double value)
{
    const QString label = labelAt(axis, value);
    if (axis.steps) {
        const QString step = tr("step %1").arg(valueText(value + 1));
        return label.isEmpty() ? step : step + QStringLiteral(" “%1”").arg(label);
    }
    if (!label.isEmpty())
        return label;
    return axis.title.empty() ? valueText(value) : text(axis.title) + ' ' + valueText(value);
}

QString rowText(const FigurePanel& panel, std::int64_t row)
{
    const auto at = static_cast<std::size_t>(row);
    if (at < panel.y.labels.size())
        return text(panel.y.labels[at]);
    if (at < panel.cells->units.size())
        return tr("unit %1").arg(panel.cells->units[at]);
    return (panel.y.title.empty() ? tr("row") : text(panel.y.title)) + ' ' + QString::number(row);
}

QString intervalText(const FigureSeries& series, std::size_t i)
{
    if (i >= series.low.size() || i >= series.high.size() || !std::isfinite(series.low[i]) ||
        !std::isfinite(series.high[i]))
        return {};
    return tr(" (%1 to %2)").arg(valueText(series.low[i]), valueText(series.high[i]));
}

} // namespace

QString markText(const FigurePlot& plot, const FigureMark& mark)
{
    const FigurePanel& panel = plot.panel();
    if (!plot.has(mark))
        return {};
    if (!mark.series) {
        const float value = panel.cells->values[static_cast<std::size_t>(mark.row * panel.cells->columns + mark.index)];
        return tr("%1, %2:  %3")
            .arg(placeText(panel.x, static_cast<double>(mark.index)), rowText(panel, mark.row),
                 valueText(static_cast<double>(value)));
    }
    const FigureSeries& series = panel.series[*mark.series];
    const auto i = static_cast<std::size_t>(mark.index);
    const QString name = series.name.empty() ? QString() : text(series.name) + ":  ";
    if (i < series.notes.size() && !series.notes[i].empty())
        return name + text(series.notes[i]);
    const QString unit = i < series.units.size() && series.units[i] >= 0 && panel.x.title != "unit"
                             ? tr("  ·  unit %1").arg(series.units[i])
                             : QString();
    const QString label = labelAt(panel.y, series.y[i]);
    const QString value = (panel.y.title.empty() || !label.isEmpty() ? QString() : text(panel.y.title) + ' ') +
                          (label.isEmpty() ? valueText(series.y[i]) : label);
    return name + placeText(panel.x, series.x[i]) + ",  " + value + intervalText(series, i) + unit;
}

QString stepValuesText(const FigurePlot& plot, std::int64_t step)
{
    const FigurePanel& panel = plot.panel();
    QStringList said;
    for (const FigureSeries& series : panel.series) {
        if (series.kind == FigureSeries::Kind::Points || said.size() == kMostNamed)
            continue;
        for (std::size_t i = 0; i < series.x.size(); ++i)
            if (std::abs(series.x[i] - static_cast<double>(step)) < 1e-6) {
                said << (series.name.empty() ? QString() : text(series.name) + ' ') + valueText(series.y[i]) +
                            intervalText(series, i);
                break;
            }
    }
    return said.isEmpty() ? QString()
                          : placeText(panel.x, static_cast<double>(step)) + ":  " + said.join(QStringLiteral(",  "));
}

QString panelText(const FigurePanel& panel)
{
    QStringList parts;
    if (panel.cells)
        parts << tr("%1 rows of %2 values").arg(countText(panel.cells->rows), countText(panel.cells->columns));
    for (const FigureSeries& series : panel.series) {
        const QString count = countText(std::ssize(series.x));
        const QString kind = series.kind == FigureSeries::Kind::Line     ? tr("a line of %1 values").arg(count)
                             : series.kind == FigureSeries::Kind::Points ? tr("%1 points").arg(count)
                                                                         : tr("%1 bars").arg(count);
        parts << (series.name.empty() ? kind : text(series.name) + ", " + kind);
    }
    return parts.join("; ");
}

QString showsText(const Figure& figure)
{
    QString words = text(figure.shows);
    if (figure.missing > 0)
        words += figure.missing == 1 ? tr("  ·  1 value is not finite")
                                     : tr("  ·  %1 values are not finite").arg(countText(figure.missing));
    return words;
}

} // namespace unroll
