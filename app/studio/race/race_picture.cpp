// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/studio/race/race_picture.h"

#include "app/studio/plot/chart_pen.h"
#include "app/studio/race/race_table_model.h"
#include "app/studio/theme/number_text.h"
#include "app/studio/theme/translated.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <tuple>

namespace unroll {

namespace {

constexpr std::size_t kMostPointsALane = 160; ///< a chart draws some 1400 in a tick
constexpr int kAheadIds = 100;                ///< ids of faint lines begin behind those of the lanes

double xOf(const RacePoint& point, const RaceLane& lane, RaceAxis axis)
{
    switch (axis) {
    case RaceAxis::Tokens: return point.tokens;
    case RaceAxis::Seconds: return point.seconds;
    case RaceAxis::Flops: return point.tokens * lane.flops;
    default: return static_cast<double>(point.step);
    }
}

double shownValue(double value, const RaceWatch& watch)
{
    if (watch.metric == RaceMetric::Accuracy)
        return 100 * value;
    return watch.inBits ? value / std::numbers::ln2 : value;
}

QString lossUnitIn(const RaceResults& results)
{
    for (const RaceLaneResults& lane : results.lanes)
        for (const RaceRun& run : lane.runs)
            if (!run.lossUnit.empty())
                return QString::fromStdString(run.lossUnit);
    return {};
}

QString xTitleOf(RaceAxis axis)
{
    switch (axis) {
    case RaceAxis::Tokens: return tr("tokens");
    case RaceAxis::Seconds: return tr("time");
    case RaceAxis::Flops: return tr("FLOP");
    default: return tr("step");
    }
}

/// Every so-manieth point, the last one always.
template <class Point>
std::vector<const Point*> thinnedOut(const std::vector<Point>& points)
{
    const std::size_t every = std::max<std::size_t>(1, (points.size() + kMostPointsALane - 1) / kMostPointsALane);
    std::vector<const Point*> kept;
    for (std::size_t i = 0; i < points.size(); ++i)
        if (i % every == 0 || i + 1 == points.size())
            kept.push_back(&points[i]);
    return kept;
}

class RacePainter {
public:
    RacePainter(const RaceResults& results, const RaceCurves& curves, const RaceWatch& watch)
        : m_results(results), m_curves(curves), m_watch(watch)
    {}

    ChartPicture make()
    {
        const std::size_t drawn = std::min(m_curves.size(), kOverlayColors.size());
        for (std::size_t lane = drawn; lane-- > 0;)
            addLane(lane);
        m_picture.x = range(m_x, m_watch.logX);
        m_picture.x.title = xTitleOf(m_watch.axis);
        m_picture.x.isTime = m_watch.axis == RaceAxis::Seconds && !m_watch.logX;
        m_picture.y = range(m_y, m_watch.logY);
        if (!m_watch.logY && m_y.first <= m_y.second)
            std::tie(m_picture.y.low, m_picture.y.high) = padded(m_y.first, m_y.second);
        m_picture.y.title = yTitle();
        if (m_watch.held) {
            hold(m_picture.x, m_watch.held->first);
            hold(m_picture.y, m_watch.held->second);
        }
        m_picture.notice = notice();
        return std::move(m_picture);
    }

private:
    using Extent = std::pair<double, double>;

    void addLane(std::size_t lane)
    {
        const Theme::Role color = *laneColor(lane);
        const RaceLane& of = m_results.lanes[lane].lane;
        if (!of.refused.empty())
            return;
        int id = kAheadIds * static_cast<int>(lane + 1);
        for (const auto& ahead : m_curves[lane].ahead)
            addLine(++id, {SeriesLook::Shape::FaintLine, color, {}}, ahead, of);
        const auto& mean = m_curves[lane].mean;
        QString name = QString::fromStdString(of.name);
        if (!mean.empty())
            name += ' ' + readingText(shownValue(mean.back().mean, m_watch));
        addBand(color, mean, of);
        addLine(static_cast<int>(lane), {SeriesLook::Shape::Line, color, name}, mean, of);
    }

    bool isShown(double x, double y) const { return !(m_watch.logX && x <= 0) && !(m_watch.logY && y <= 0); }

    void addLine(int id, const SeriesLook& look, const std::vector<RacePoint>& points, const RaceLane& lane)
    {
        ChartSeries series{id, look, {}};
        for (const RacePoint* point : thinnedOut(points)) {
            const double x = xOf(*point, lane, m_watch.axis), y = shownValue(point->mean, m_watch);
            if (!isShown(x, y))
                continue;
            series.points.emplace_back(x, y);
            take(m_x, x);
            take(m_y, y);
        }
        if (!series.points.empty() || !look.name.isEmpty())
            m_picture.series.push_back(std::move(series));
    }

    void addBand(Theme::Role color, const std::vector<RacePoint>& points, const RaceLane& lane)
    {
        ChartBand band{color, {}};
        for (const RacePoint* point : thinnedOut(points)) {
            const double x = xOf(*point, lane, m_watch.axis);
            const double low = shownValue(point->band.low, m_watch), high = shownValue(point->band.high, m_watch);
            if (point->seeds < 2 || !isShown(x, low))
                continue;
            band.edges.push_back({x, low, high});
            take(m_y, low);
            take(m_y, high);
        }
        if (band.edges.size() > 1)
            m_picture.bands.push_back(std::move(band));
    }

    static void take(Extent& extent, double value)
    {
        extent = {std::min(extent.first, value), std::max(extent.second, value)};
    }

    static AxisRange range(const Extent& extent, bool log)
    {
        AxisRange axis{0, 1, log, {}};
        if (!(extent.first <= extent.second)) {
            axis.low = log ? 0.1 : 0;
            return axis;
        }
        axis.low = log ? extent.first / 1.05 : 0;
        axis.high = std::max(extent.second * (log ? 1.05 : 1.01), axis.low + (log ? axis.low : 1e-9));
        return axis;
    }

    static void hold(AxisRange& axis, const AxisRange& by)
    {
        if (axis.log && by.low <= 0)
            return;
        axis.low = by.low;
        axis.high = by.high;
    }

    QString yTitle() const
    {
        if (m_watch.metric == RaceMetric::Accuracy)
            return tr("accuracy, %");
        const QString unit = m_watch.inBits ? tr("bits/token") : lossUnitIn(m_results);
        return unit.isEmpty() ? tr("loss") : unit;
    }

    QString notice() const
    {
        if (m_watch.held)
            return tr("Zoomed. Double-click to autoscale again.");
        if (!(m_x.first <= m_x.second))
            return tr("No measurements yet.");
        if (m_curves.size() > kOverlayColors.size())
            return tr("The first %1 of %2 lanes are drawn.").arg(kOverlayColors.size()).arg(m_curves.size());
        return {};
    }

    const RaceResults& m_results;
    const RaceCurves& m_curves;
    const RaceWatch& m_watch;
    ChartPicture m_picture;
    Extent m_x{INFINITY, -INFINITY}, m_y{INFINITY, -INFINITY};
};

const RacePoint* nearestPoint(const std::vector<RacePoint>& points, const RaceLane& lane, RaceAxis axis, double x)
{
    const RacePoint* best = nullptr;
    for (const RacePoint& point : points)
        if (best == nullptr || std::abs(xOf(point, lane, axis) - x) < std::abs(xOf(*best, lane, axis) - x))
            best = &point;
    return best;
}

} // namespace

RaceCurves raceCurves(const RaceResults& results, RaceMetric metric)
{
    RaceCurves curves;
    for (const RaceLaneResults& lane : results.lanes)
        curves.push_back(raceCurve(lane, metric, results.race.steps));
    return curves;
}

ChartPicture racePicture(const RaceResults& results, const RaceCurves& curves, const RaceWatch& watch)
{
    return RacePainter(results, curves, watch).make();
}

RaceReadings readRaceAt(const RaceResults& results, const RaceCurves& curves, const RaceWatch& watch, double x)
{
    RaceReadings readings;
    std::vector<std::pair<double, Reading>> lanes;
    for (std::size_t lane = 0; lane < std::min(curves.size(), kOverlayColors.size()); ++lane) {
        const RaceLane& of = results.lanes[lane].lane;
        const RacePoint* point = nearestPoint(curves[lane].mean, of, watch.axis, x);
        if (point == nullptr)
            continue;
        const double at = xOf(*point, of, watch.axis), value = shownValue(point->mean, watch);
        if (lanes.empty())
            readings.x = at;
        QString words = QString::fromStdString(of.name) + ' ' + readingText(value);
        if (point->seeds > 1)
            words += tr(" (%1 – %2)")
                         .arg(readingText(shownValue(point->band.low, watch)),
                              readingText(shownValue(point->band.high, watch)));
        lanes.emplace_back(value, Reading{words, laneColor(lane), QPointF(at, value)});
        if (readings.lines.empty())
            readings.lines.push_back({tr("step %1").arg(countText(point->step))});
    }
    std::stable_sort(lanes.begin(), lanes.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
    for (auto& [value, line] : lanes)
        readings.lines.push_back(std::move(line));
    return readings;
}

} // namespace unroll
