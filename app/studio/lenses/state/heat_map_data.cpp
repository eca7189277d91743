// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/studio/lenses/state/heat_map_data.h"

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
    if (there && !(continued && m_scaleHeld))
        m_scale = heatScale(m_frame->signalFrames[index].look, m_cells);
    return continued;
}

void HeatMapData::setOrder(UnitOrder order)
{
    m_order = order;
    reorder();
}

void HeatMapData::reorder()
{
    m_rows = unitRows(m_cells, m_order);
    m_rowOf.resize(m_rows.size());
    for (std::size_t row = 0; row < m_rows.size(); ++row)
        m_rowOf[static_cast<std::size_t>(m_rows[row])] = static_cast<std::int64_t>(row);
}

HeatCells HeatMapData::inOrder() const
{
    return m_order == UnitOrder::Index ? m_cells : inRows(m_cells, m_rows);
}

HeatCells HeatMapData::column(std::int64_t step, std::int64_t rows) const
{
    HeatCells found{1, m_cells.width, {}, 0};
    for (const std::int64_t unit : m_rows)
        found.values.push_back(m_cells.at(step, unit));
    return reduced(found, 1, rows);
}

std::optional<HeatMapCell> HeatMapData::inside(const std::optional<HeatMapCell>& cell) const
{
    return cell && cell->step < m_cells.steps && cell->unit < m_cells.width ? cell : std::nullopt;
}

QString HeatMapData::stepWords(std::int64_t step) const
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

QString HeatMapData::rowWords(std::int64_t unit) const
{
    if (const std::int64_t n = m_frame->signalFrames[m_index].rows; n > 0)
        return tr("matrix %1, row %2, column %3").arg(unit / (n * n)).arg(unit / n % n).arg(unit % n);
    if (m_cells.heads == 0)
        return tr("unit %1").arg(unit);
    return tr("head %1 attends to %2").arg(unit / m_cells.steps + 1).arg(stepWords(unit % m_cells.steps));
}

QString HeatMapData::describe(const HeatMapCell& cell) const
{
    const QString value = valueText(m_cells.at(cell.step, cell.unit));
    const bool complex = m_frame->signalFrames[m_index].look == SignalKind::Complex;
    return tr("%1, %2:  %3")
        .arg(stepWords(cell.step), rowWords(cell.unit), complex ? tr("modulus %1").arg(value) : value);
}

} // namespace unroll
