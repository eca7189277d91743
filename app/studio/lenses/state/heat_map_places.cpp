// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/studio/lenses/state/heat_map_places.h"

#include "app/studio/theme/appearance.h"
#include "app/studio/theme/metrics.h"

#include <QFontMetricsF>
#include <QWidget>
#include <algorithm>
#include <utility>

namespace unroll {

namespace {

constexpr double kBarWidth = 12;
constexpr double kProfileWidth = 48;
constexpr int kLeastWithProfile = 400; ///< px; a narrower view gives all its room to the map

} // namespace

HeatMapPlaces::HeatMapPlaces(const QWidget& view, const HeatMapData& data, const Appearance& appearance)
    : m_view(view), m_data(data), m_appearance(appearance)
{}

void HeatMapPlaces::shareSteps(std::shared_ptr<AxisZoom> steps)
{
    m_shared = std::move(steps);
    m_shares = true;
}

void HeatMapPlaces::layOutLabels()
{
    std::vector<QString> labels;
    if (!m_data.isEmpty() && m_labelled)
        for (const std::string& character : m_data.frame().characters)
            labels.push_back(QString::fromStdString(character));
    if (!m_shares || m_view.isVisible())
        steps().setExtent(m_data.cells().steps, std::max(0.0, map().width()));
    const double width = m_data.isEmpty() ? map().width() : steps().content();
    m_labels = ColumnLabels::of(labels, m_data.cells().steps, width, m_appearance.font(Type::Mono));
    m_labelLine = QFontMetricsF(m_labels.font).height();
    rows().setExtent(m_data.cells().width, std::max(0.0, map().height()));
}

double HeatMapPlaces::width() const
{
    return m_view.width();
}

QRectF HeatMapPlaces::map() const
{
    const QFontMetricsF text(m_appearance.font(Type::Caption));
    const double left = text.horizontalAdvance("0000") + space::m;
    const double beside = m_view.width() < kLeastWithProfile ? 0 : kProfileWidth + space::s;
    const double right =
        beside + kBarWidth + text.horizontalAdvance(QString(QChar(0x2212)) + "0.000") + space::l + space::m;
    const double below =
        std::max(text.height(), m_labels.lines * m_labelLine) + (m_labels.every > 1 ? text.height() : 0) + space::s;
    const double bottom = m_labelled ? below : space::xs;
    return QRectF(left, space::s, m_view.width() - left - right, m_view.height() - space::s - bottom);
}

QRectF HeatMapPlaces::characters() const
{
    const QRectF map = this->map();
    return QRectF(map.left(), map.bottom(), map.width(), m_view.height() - map.bottom());
}

/// Empty where there is no room for it.
QRectF HeatMapPlaces::profile() const
{
    const QRectF map = this->map();
    return m_view.width() < kLeastWithProfile ? QRectF()
                                              : QRectF(map.right() + space::s, map.top(), kProfileWidth, map.height());
}

QRectF HeatMapPlaces::content() const
{
    const QRectF map = this->map();
    return QRectF(map.left() - steps().offset(), map.top() - rows().offset(), steps().content(), rows().content());
}

QRectF HeatMapPlaces::scrollBar() const
{
    const QRectF map = this->map();
    return QRectF(map.right() + 1, map.top(), space::s, map.height());
}

QRectF HeatMapPlaces::cell(const HeatMapCell& cell) const
{
    const QRectF map = this->map();
    return QRectF(map.left() + steps().placeOf(cell.step), map.top() + rows().placeOf(m_data.rowOf(cell.unit)),
                  steps().cell(), rows().cell());
}

QRectF HeatMapPlaces::bar() const
{
    const double room = profile().isEmpty() ? 0 : profile().width() + space::s;
    return QRectF(map().right() + room + space::l, map().top(), kBarWidth, map().height());
}

QRectF HeatMapPlaces::label(const ColumnLabels::Label& label) const
{
    const QRectF map = this->map();
    return QRectF(map.left() + label.left - steps().offset(), map.bottom() + kLabelGap + label.line * m_labelLine,
                  label.width, m_labelLine);
}

HeatMapCell HeatMapPlaces::nearest(const QPointF& position) const
{
    const QRectF map = this->map();
    const std::int64_t row = rows().cellAt(std::clamp(position.y() - map.top(), 0.0, map.height() - 1e-6));
    return {steps().cellAt(std::clamp(position.x() - map.left(), 0.0, map.width() - 1e-6)),
            m_data.rows()[static_cast<std::size_t>(row)]};
}

std::optional<HeatMapCell> HeatMapPlaces::at(const QPointF& position) const
{
    if (m_data.isEmpty() || !map().contains(position))
        return std::nullopt;
    return nearest(position);
}

} // namespace unroll
