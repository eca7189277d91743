// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/studio/lenses/state/heat_map_data.h"

#include "core/lens/unit_name.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace unroll {

namespace {

QString valueText(float value)
{
    if (std::isnan(value))
        return HeatMapData::tr("not a number");
    if (std::isinf(value))
        return HeatMapData::tr("infinite");
    return QString::number(static_cast<double>(value), 'g', 4).replace('-', QChar(0x2212));
}

/// A vector is one for all steps: its column is not that of the first character.
std::shared_ptr<const ProbeFrame> named(std::shared_ptr<const ProbeFrame> frame, std::size_t index)
{
    if (frame->signalFrames[index].steps != 1 || frame->characters.size() < 2)
        return frame;
    ProbeFrame whole = *frame;
    whole.characters = {HeatMapData::tr("whole text").toStdString()};
    return std::make_shared<const ProbeFrame>(std::move(whole));
}

} // namespace

/// Of the signal and the text that are shown already.
bool HeatMapData::goesOn(const ProbeFrame& frame, std::size_t index) const
{
    if (isEmpty())
        return false;
    const SignalFrame& now = m_frame->signalFrames[m_index];
    const SignalFrame& next = frame.signalFrames[index];
    return now.node == next.node && now.signal == next.signal && now.width == next.width &&
           m_frame->characters == frame.characters;
}

bool HeatMapData::setFrame(std::shared_ptr<const ProbeFrame> frame, std::size_t index)
{
    const bool there = frame && index < frame->signalFrames.size();
    if (there)
        frame = named(std::move(frame), index);
    const bool continued = there && goesOn(*frame, index);
    m_frame = std::move(frame);
    m_index = index;
    m_cells = there ? heatCells(m_frame->signalFrames[index]) : HeatCells{};
    if (!there)
        m_ranges.clear();
    else if (!(continued && m_scaleHeld))
        rescale();
    m_drawn = scaled(m_ranges.empty() ? HeatCells{} : m_cells, m_ranges);
    m_phases = there && m_phaseShown ? phasesOf(signal()) : std::vector<float>();
    return continued;
}

/// The ends of the scale, and the units' own ranges, of the cells of now.
void HeatMapData::rescale()
{
    const bool own = m_unitScale != UnitScale::Shared && m_cells.heads == 0;
    m_ranges = own ? unitRanges(m_cells, m_unitScale) : std::vector<UnitRange>();
    m_scale = heatScale(signal().look, m_cells, m_unitScale);
}

void HeatMapData::setUnitScale(UnitScale scale)
{
    m_unitScale = scale;
    if (isEmpty())
        return;
    rescale();
    m_drawn = scaled(m_ranges.empty() ? HeatCells{} : m_cells, m_ranges);
}

void HeatMapData::showPhase(bool shown)
{
    m_phaseShown = shown;
    m_phases = hasPhase() && shown ? phasesOf(signal()) : std::vector<float>();
}

void HeatMapData::setOrder(UnitOrder order)
{
    m_order = order;
    reorder();
}

void HeatMapData::reorder()
{
    place(unitRows(m_cells, m_order));
}

void HeatMapData::setRows(std::vector<std::int64_t> rows)
{
    std::vector<std::int64_t> sorted = rows, all = unitRows(m_cells, UnitOrder::Index);
    std::sort(sorted.begin(), sorted.end());
    if (sorted != all)
        return;
    m_order = UnitOrder::Given;
    place(std::move(rows));
}

void HeatMapData::place(std::vector<std::int64_t> rows)
{
    m_rows = std::move(rows);
    m_rowOf.resize(m_rows.size());
    for (std::size_t row = 0; row < m_rows.size(); ++row)
        m_rowOf[static_cast<std::size_t>(m_rows[row])] = static_cast<std::int64_t>(row);
}

HeatCells HeatMapData::inOrder() const
{
    return m_order == UnitOrder::Index ? drawn() : inRows(drawn(), m_rows);
}

HeatCells HeatMapData::phasesInOrder() const
{
    return inRows({m_cells.steps, m_cells.width, m_phases, m_cells.missing, 0}, m_rows);
}

HeatCells HeatMapData::column(std::int64_t step, std::int64_t rows) const
{
    HeatCells found{1, m_cells.width, {}, 0};
    for (const std::int64_t unit : m_rows)
        found.values.push_back(drawn().at(step, unit));
    return reduced(found, 1, rows);
}

std::optional<HeatMapCell> HeatMapData::inside(const std::optional<HeatMapCell>& cell) const
{
    return cell && cell->step < m_cells.steps && cell->unit < m_cells.width ? cell : std::nullopt;
}

QString HeatMapData::stepText(std::int64_t step) const
{
    if (m_frame->characters.empty())
        return tr("step %1 of %2").arg(step + 1).arg(m_cells.steps);
    const auto index = static_cast<std::size_t>(step);
    const QString character =
        index < m_frame->characters.size() ? QString::fromStdString(m_frame->characters[index]) : QString();
    return (readsCharacters(*m_frame) ? tr("“%1”, character %2 of %3") : tr("“%1”, step %2 of %3"))
        .arg(character)
        .arg(step + 1)
        .arg(m_cells.steps);
}

QString HeatMapData::rowText(std::int64_t unit) const
{
    const SignalFrame& shown = m_frame->signalFrames[m_index];
    if (m_cells.heads == 0)
        return QString::fromStdString(namesOf(shown).of(unit));
    return tr("head %1 attends to %2").arg(unit / m_cells.steps + 1).arg(stepText(unit % m_cells.steps));
}

/// Of the value as it was read the words say it already.
QString HeatMapData::drawnText(const HeatMapCell& cell) const
{
    if (!m_phases.empty())
        return tr(", phase %1")
            .arg(valueText(m_phases[static_cast<std::size_t>(cell.step * m_cells.width + cell.unit)]));
    if (m_ranges.empty() || !std::isfinite(m_cells.at(cell.step, cell.unit)))
        return {};
    const QString value = valueText(drawn().at(cell.step, cell.unit));
    return m_unitScale == UnitScale::Unit ? tr("  ·  %1 of the unit's largest |value|").arg(value)
                                          : tr("  ·  %1 standard deviations from the unit's mean").arg(value);
}

QString HeatMapData::describe(const HeatMapCell& cell) const
{
    const QString value = valueText(m_cells.at(cell.step, cell.unit));
    const bool complex = signal().look == SignalKind::Complex;
    return tr("%1, %2:  %3%4")
        .arg(stepText(cell.step), rowText(cell.unit), complex ? tr("modulus %1").arg(value) : value, drawnText(cell));
}

} // namespace unroll
