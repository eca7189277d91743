// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/lens/state/state.h"
#include "core/lens/unit_name.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <numbers>

namespace unroll {

namespace {

FigureCells::Scale scaleOf(SignalKind look, UnitScale scale)
{
    if (look == SignalKind::Attention)
        return FigureCells::Scale::Share;
    if (scale == UnitScale::Standardised)
        return FigureCells::Scale::Signed;
    const bool own = scale == UnitScale::Unit;
    switch (look) {
    case SignalKind::Bounded: return FigureCells::Scale::Bounded;
    case SignalKind::Gate: return FigureCells::Scale::Share;
    case SignalKind::Complex: return own ? FigureCells::Scale::Share : FigureCells::Scale::Positive;
    default: return own ? FigureCells::Scale::Bounded : FigureCells::Scale::Signed;
    }
}

/// Row by row, as a picture has them.
FigureCells cellsOf(const std::string& name, const HeatCells& cells, const std::vector<std::int64_t>& rows)
{
    FigureCells drawn{.name = name, .rows = std::ssize(rows), .columns = cells.steps, .values = {}, .units = rows};
    drawn.values.reserve(rows.size() * static_cast<std::size_t>(cells.steps));
    for (const std::int64_t unit : rows)
        for (std::int64_t step = 0; step < cells.steps; ++step)
            drawn.values.push_back(cells.at(step, unit));
    return drawn;
}

FigureArray rawOf(const SignalFrame& frame)
{
    FigureArray raw{"raw", {frame.steps, frame.width}, {frame.values.begin(), frame.values.end()}};
    if (frame.look == SignalKind::Complex)
        raw.shape = {frame.steps, frame.width / 2, 2};
    else if (const std::int64_t matrices = matrixCount(frame); matrices > 0) {
        raw.shape = {frame.steps, matrices, frame.rows, frame.columns};
        raw.axes = {"step", frame.axes.matrix, frame.axes.row, frame.axes.column};
    } else if (attentionHeads(frame) > 0)
        raw.shape = {frame.steps, attentionHeads(frame), frame.width / attentionHeads(frame)};
    return raw;
}

std::string orderText(UnitOrder order)
{
    switch (order) {
    case UnitOrder::Peak: return ", the one that peaks first on top";
    case UnitOrder::Mean: return ", the one of the largest mean size on top";
    case UnitOrder::Similarity:
        return ", those that rise and fall together beside each other (average linkage of 1 - r)";
    case UnitOrder::Given:
        return ", those that track one feature beside each other, the strongest on top, those that track none below";
    case UnitOrder::Index: break;
    }
    return "";
}

std::string scaleText(UnitScale scale)
{
    switch (scale) {
    case UnitScale::Unit: return " Each unit is divided by its own largest |value|.";
    case UnitScale::Standardised: return " Each unit minus its mean, divided by its standard deviation.";
    case UnitScale::Shared: break;
    }
    return "";
}

std::string rowText(const SignalFrame& frame)
{
    if (attentionHeads(frame) > 0)
        return "a head and a step that is attended to";
    return frame.rows > 0                      ? "a number of the matrices"
           : frame.look == SignalKind::Complex ? "the size of a unit"
                                               : "a unit";
}

FigurePanel panelOf(const ProbeFrame& look, const std::string& id, const std::string& title)
{
    FigurePanel panel{.id = id, .title = title};
    panel.x = {.title = "step", .steps = true, .labels = look.characters};
    panel.y.title = unitHeading(namesOf(look.signalFrames.front()));
    return panel;
}

void addRanges(Figure& figure, const std::vector<UnitRange>& ranges)
{
    const auto count = static_cast<std::int64_t>(ranges.size());
    FigureArray centre{"centre", {count}, {}}, size{"size", {count}, {}};
    for (const UnitRange& range : ranges) {
        centre.values.push_back(range.centre);
        size.values.push_back(range.size);
    }
    figure.arrays.push_back(std::move(centre));
    figure.arrays.push_back(std::move(size));
}

/// The largest size of what is drawn of a step; 0: there is none.
double reachAt(const HeatCells& cells, std::int64_t step)
{
    double reach = 0;
    for (std::int64_t unit = 0; unit < cells.width; ++unit)
        if (const double size = std::abs(static_cast<double>(cells.at(step, unit))); std::isfinite(size))
            reach = std::max(reach, size);
    return reach;
}

/// A row of the panel is a row of the matrix.
FigurePanel matrixPanel(const SignalFrame& frame, const HeatCells& cells, std::int64_t step, std::int64_t matrix)
{
    FigurePanel panel{.id = fmt::format("{}_{}", frame.axes.matrix, matrix), .title = namesOf(frame).matrix(matrix)};
    panel.x.title = frame.axes.column;
    panel.y.title = frame.axes.row;
    panel.square = true;
    FigureCells drawn{
        .name = frame.node + "." + frame.signal, .rows = frame.rows, .columns = frame.columns, .values = {}};
    const std::int64_t size = frame.rows * frame.columns;
    for (std::int64_t unit = matrix * size; unit < (matrix + 1) * size; ++unit)
        drawn.values.push_back(cells.at(step, unit));
    panel.cells = std::move(drawn);
    return panel;
}

std::string matricesShow(const StateData& data)
{
    const SignalFrame& frame = data.look.signalFrames.front();
    const auto step = static_cast<std::size_t>(data.at);
    const std::string label =
        step < data.look.characters.size() ? fmt::format(" (\"{}\")", data.look.characters[step]) : std::string();
    return fmt::format(
        "{} of {} at step {}{} of {}, counted from 0: a map for each {}, a row is a {}, a column a {}.{}", frame.signal,
        frame.node, data.at, label, data.look.of.empty() ? "the reading" : data.look.of, frame.axes.matrix,
        frame.axes.row, frame.axes.column, scaleText(data.scale));
}

void addMatrices(Figure& figure, const StateData& data)
{
    const SignalFrame& frame = data.look.signalFrames.front();
    const HeatCells cells = data.drawn();
    const double reach = reachAt(cells, data.at);
    for (std::int64_t matrix = 0; matrix < matrixCount(frame); ++matrix) {
        FigurePanel panel = matrixPanel(frame, cells, data.at, matrix);
        panel.cells->scale = scaleOf(frame.look, data.scale);
        panel.cells->reach = reach;
        figure.panels.push_back(std::move(panel));
    }
}

} // namespace

std::string mapText(const SignalFrame& frame, UnitOrder order)
{
    return fmt::format("a row is {}{}, a column a step", rowText(frame), orderText(order));
}

std::string stateShows(const SignalFrame& frame, const std::string& of, const std::string& read, UnitScale scale)
{
    return fmt::format("{} of {} at {} of {}: {}.{}", frame.signal, frame.node,
                       frame.steps == 1 ? "the one step" : fmt::format("each of {} steps", frame.steps),
                       of.empty() ? "the reading" : of, read, scaleText(scale));
}

std::vector<std::int64_t> StateData::unitRowsDrawn() const
{
    return rows.empty() ? unitRows(heatCells(look.signalFrames.front()), order) : rows;
}

HeatCells StateData::drawn() const
{
    HeatCells cells = heatCells(look.signalFrames.front());
    return ranges.empty() ? scaled(std::move(cells), scale) : scaled(std::move(cells), ranges);
}

void StateData::addMap(Figure& figure, const HeatCells& cells) const
{
    const SignalFrame& frame = look.signalFrames.front();
    const std::vector<std::int64_t> placed = unitRowsDrawn();
    const std::string name = frame.node + "." + frame.signal;
    FigurePanel values = panelOf(look, "values", frame.node + " " + frame.signal);
    values.cells = cellsOf(name, drawn(), placed);
    values.cells->scale = scaleOf(frame.look, scale);
    for (const std::int64_t unit : placed)
        values.y.labels.push_back(namesOf(frame).place(unit));
    figure.panels.push_back(std::move(values));
    if (std::vector<float> phases = phasesOf(frame); !phases.empty()) {
        FigurePanel phase = panelOf(look, "phase", frame.node + " " + frame.signal + ", phase in radians");
        phase.cells = cellsOf(name + ".phase", {cells.steps, cells.width, std::move(phases), cells.missing, 0}, placed);
        phase.cells->period = 2 * std::numbers::pi;
        phase.y.labels = figure.panels.front().y.labels;
        figure.panels.push_back(std::move(phase));
    }
}

Figure StateData::figure() const
{
    const SignalFrame& frame = look.signalFrames.front();
    const HeatCells cells = heatCells(frame);
    Figure figure;
    figure.missing = cells.missing;
    if (draw == StateDraw::Matrices) {
        figure.shows = matricesShow(*this);
        addMatrices(figure, *this);
    } else {
        figure.shows = stateShows(frame, look.of, mapText(frame, order), scale);
        addMap(figure, cells);
    }
    figure.arrays.push_back(rawOf(frame));
    if (scale != UnitScale::Shared && cells.heads == 0)
        addRanges(figure, ranges.empty() ? unitRanges(cells, scale) : ranges);
    return figure;
}

} // namespace unroll
