// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/studio/curves/curves_picture.h"

#include "app/studio/curves/curve_reasons.h"
#include "app/studio/plot/point_budget.h"
#include "app/studio/theme/number_text.h"
#include "app/studio/theme/translated.h"

#include <algorithm>
#include <cmath>
#include <tuple>

namespace unroll {

namespace {

enum Id { Raw, Marked, Smoothed, FirstOther };

/// "train 1.432": what it was last.
QString latest(const QString& name, const SeriesStore& store, const CurveChoice& choice)
{
    return name + ' ' + readingText(choice.shown(store.y(store.size() - 1)));
}

class CurvesPicture {
public:
    CurvesPicture(const ShownRun& run, std::span<const ShownRun> others, const CurvesWish& wish)
        : m_run(run), m_others(others), m_wish(wish)
    {}

    ChartPicture make()
    {
        findLines();
        m_picture.x = xRange();
        drawLines();
        m_picture.levels = m_wish.levels;
        m_picture.y = yRange();
        markWhatIsNoNumber();
        markTheBest();
        m_picture.notice = notice();
        return std::move(m_picture);
    }

private:
    struct Line {
        int id;
        const ShownRun* run;
        const SeriesStore* store;
        SeriesLook look;
        double pointsAPixel; ///< more cannot be distinguished
    };

    void findLines()
    {
        using Shape = SeriesLook::Shape;
        const CurveChoice& choice = m_wish.choice;
        for (std::size_t i = m_others.size(); i-- > 0;)
            add({FirstOther + static_cast<int>(i),
                 &m_others[i],
                 m_others[i].mainLine(choice),
                 {Shape::Line, m_others[i].color, m_others[i].name + otherUnit(m_others[i])},
                 1});
        add({Raw, &m_run, m_run.curves.find(choice.raw), {Shape::FaintLine, Theme::Role::ChartRaw, {}}, 2});
        add({Marked,
             &m_run,
             m_run.curves.find(choice.marked),
             {Shape::MarkedLine, Theme::Role::ChartValidation, tr("validation")},
             1});
        add({Smoothed,
             &m_run,
             choice.raw.empty() ? nullptr : m_run.mainLine(choice),
             {Shape::Line, m_run.color, choice.rawName},
             1});
    }

    QString notice() const
    {
        QStringList words;
        if (m_wish.held)
            words << tr("Zoomed. Double-click to autoscale again.");
        if (const QString left = leftOutText(m_run, m_others, m_wish.choice, m_wish.unit); !left.isEmpty())
            words << left;
        return words.join(' ');
    }

    /// A loss that is measured otherwise than the axis says, by its name.
    QString otherUnit(const ShownRun& other) const
    {
        const bool same = !m_wish.choice.hasFloor || !other.measures.isKnown() ||
                          other.measures.lossUnit == lossUnitOf(m_run, m_others);
        return same ? QString() : tr(" (%1)").arg(QString::fromStdString(other.measures.lossUnit));
    }

    void add(Line line)
    {
        if (line.store == nullptr || line.store->empty() ||
            !whyLeftOut(*line.run, m_wish.choice, m_wish.unit).isEmpty())
            return;
        if (!line.look.name.isEmpty())
            line.look.name = latest(line.look.name, *line.store, m_wish.choice);
        m_lines.push_back(std::move(line));
    }

    const char* xTitle() const
    {
        switch (m_wish.unit) {
        case XUnit::Tokens: return QT_TRANSLATE_NOOP("CurvesPanel", "tokens");
        case XUnit::Flops: return QT_TRANSLATE_NOOP("CurvesPanel", "FLOP of training");
        case XUnit::Epochs: return QT_TRANSLATE_NOOP("CurvesPanel", "epoch");
        case XUnit::Seconds:
            return m_wish.logX ? QT_TRANSLATE_NOOP("CurvesPanel", "seconds") : QT_TRANSLATE_NOOP("CurvesPanel", "time");
        case XUnit::Steps: break;
        }
        return QT_TRANSLATE_NOOP("CurvesPanel", "step");
    }

    /// As far as the axis reaches while nothing has come yet.
    double shortest() const
    {
        switch (m_wish.unit) {
        case XUnit::Seconds: return 1;
        case XUnit::Epochs: return 0.001;
        case XUnit::Steps:
        case XUnit::Tokens:
        case XUnit::Flops: break;
        }
        return 10;
    }

    AxisRange xRange() const
    {
        const bool isTime = m_wish.unit == XUnit::Seconds && !m_wish.logX;
        const double shortest = m_wish.logX ? 0 : this->shortest();
        AxisRange axis{0, shortest, m_wish.logX, tr(xTitle()), isTime};
        if (m_wish.held) {
            std::tie(axis.low, axis.high) = m_wish.held->x;
            return aboveZero(axis, leastX());
        }
        for (const ShownRun* run : runs()) {
            axis.low = std::min(axis.low, run->curves.clock().first(m_wish.unit));
            axis.high = std::max(axis.high, run->curves.clock().last(m_wish.unit) * (axis.log ? 1 : 1.01));
        }
        return aboveZero(axis, leastX());
    }

    /// Of the runs that have started and can be drawn.
    std::vector<const ShownRun*> runs() const
    {
        std::vector<const ShownRun*> all{&m_run};
        for (const ShownRun& other : m_others)
            all.push_back(&other);
        std::erase_if(all, [&](const ShownRun* run) {
            return run->curves.empty() || !whyLeftOut(*run, m_wish.choice, m_wish.unit).isEmpty();
        });
        return all;
    }

    /// The least x above 0.
    double leastX() const
    {
        double least = INFINITY;
        for (const ShownRun* run : runs())
            least = std::min(least, run->curves.clock().firstPositive(m_wish.unit));
        return least;
    }

    /// A logarithmic axis begins at the least value above 0 where it would begin below.
    static AxisRange aboveZero(AxisRange axis, double least)
    {
        if (!axis.log)
            return axis;
        if (!(axis.low > 0))
            axis.low = std::isfinite(least) ? least : 1;
        axis.high = std::max(axis.high, axis.low * 1.5);
        return axis;
    }

    /// Part of the x axis, in shares of it.
    struct Part {
        double from = 0;
        double to = 1;
    };

    /// Edges of spans that are equally wide on the screen, as steps of that run.
    std::vector<double> edges(const RunClock& clock, std::size_t spans, Part part) const
    {
        std::vector<double> all(spans + 1);
        for (std::size_t s = 0; s <= spans; ++s) {
            const double share =
                part.from + (part.to - part.from) * static_cast<double>(s) / static_cast<double>(spans);
            all[s] = clock.stepAt(m_wish.unit, m_picture.x.valueAt(share));
        }
        return all;
    }

    /// Where the line runs: a short run wants no points for the rest of the axis.
    Part part(const Line& line) const
    {
        const RunClock& clock = line.run->curves.clock();
        const auto share = [&](double step) {
            const double x = clock.at(m_wish.unit, step);
            return m_wish.logX && x <= 0 ? 0.0 : std::clamp(m_picture.x.shareOf(x), 0.0, 1.0);
        };
        const Part covered{share(line.store->x(0)), share(line.store->x(line.store->size() - 1))};
        return covered.from < covered.to ? covered : Part{};
    }

    std::size_t wanted(const Line& line) const
    {
        const RunClock& clock = line.run->curves.clock();
        const auto [first, last] =
            line.store->range(clock.stepAt(m_wish.unit, m_picture.x.low), clock.stepAt(m_wish.unit, m_picture.x.high));
        const Part covered = part(line);
        const double pixels = std::max(100.0, m_wish.width) * (covered.to - covered.from);
        const std::size_t pairs = (last - first + 1) / 2; // a span draws two
        return std::max<std::size_t>(2, std::min(2 * pairs, static_cast<std::size_t>(line.pointsAPixel * pixels)));
    }

    void drawLines()
    {
        std::vector<std::size_t> wishes;
        for (const Line& line : m_lines)
            wishes.push_back(wanted(line));
        const std::vector<std::size_t> shares = shareBudget(wishes, m_wish.budget);
        for (std::size_t i = 0; i < m_lines.size(); ++i)
            m_picture.series.push_back(drawn(m_lines[i], shares[i]));
    }

    /// The line's points in the axes' units. What a logarithmic axis has no place for is left out, and marked where it
    /// is a value.
    ChartSeries drawn(const Line& line, std::size_t budget)
    {
        const RunClock& clock = line.run->curves.clock();
        ChartSeries series{line.id, line.look, {}};
        for (QPointF point : line.store->decimated(edges(clock, std::max<std::size_t>(1, budget / 2), part(line)))) {
            point = {clock.at(m_wish.unit, point.x()), m_wish.choice.shown(point.y())};
            if (m_wish.logX && point.x() <= 0)
                continue;
            if (!std::isfinite(point.y())) // a loss of 800 nats is one, its perplexity is none
                m_picture.marks.push_back({ChartMark::Kind::NotANumber, point.x(), line.look.color});
            else if (m_wish.logY && point.y() <= 0)
                m_picture.marks.push_back({ChartMark::Kind::NotPositive, point.x(), line.look.color});
            else
                series.points.push_back(point);
        }
        return series;
    }

    AxisRange yRange() const
    {
        AxisRange axis{0, 1, m_wish.logY, m_wish.choice.axis};
        const auto [low, high] = yExtent();
        if (m_wish.held && m_wish.held->y) {
            std::tie(axis.low, axis.high) = *m_wish.held->y;
            return aboveZero(axis, low);
        }
        if (!(low <= high))
            return aboveZero(axis, 0.01);
        if (axis.log) {
            axis.low = low / 1.08;
            axis.high = high * 1.08;
            return axis;
        }
        std::tie(axis.low, axis.high) = padded(low, high);
        return axis;
    }

    /// Of the levels and of what is drawn within x, whose points hold its extremes; of the lines that only pass
    /// through, their ends.
    std::pair<double, double> yExtent() const
    {
        const AxisRange& x = m_picture.x;
        auto extent = yExtent([&](const QPointF& point) { return point.x() >= x.low && point.x() <= x.high; });
        if (!(extent.first <= extent.second))
            extent = yExtent([](const QPointF&) { return true; });
        for (const ChartLevel& level : m_picture.levels)
            if (!m_wish.logY || level.y > 0)
                extent = {std::min(extent.first, level.y), std::max(extent.second, level.y)};
        return extent;
    }

    template <class Counts>
    std::pair<double, double> yExtent(const Counts& counts) const
    {
        std::pair<double, double> extent{INFINITY, -INFINITY};
        for (const ChartSeries& series : m_picture.series)
            for (const QPointF& point : series.points)
                if (counts(point))
                    extent = {std::min(extent.first, point.y()), std::max(extent.second, point.y())};
        return extent;
    }

    void markWhatIsNoNumber()
    {
        const auto columns = static_cast<std::size_t>(std::max(100.0, m_wish.width));
        for (const Line& line : m_lines) {
            if (line.id == Smoothed)
                continue;
            const SeriesStore* measured =
                line.run->curves.find(line.id == Marked ? m_wish.choice.marked : m_wish.choice.main());
            const Theme::Role color = line.run == &m_run ? Theme::Role::Error : line.run->color;
            const RunClock& clock = line.run->curves.clock();
            if (measured->notNumbers().empty())
                continue;
            for (const double step : measured->notNumbersWithin(edges(clock, columns, {})))
                m_picture.marks.push_back({ChartMark::Kind::NotANumber, clock.at(m_wish.unit, step), color});
        }
    }

    void markTheBest()
    {
        const SeriesStore* store = m_run.curves.find(m_wish.choice.marked);
        if (store == nullptr || m_wish.choice.best == CurveChoice::Best::None ||
            !whyLeftOut(m_run, m_wish.choice, m_wish.unit).isEmpty())
            return;
        const auto places = store->extremePlaces(0, store->size());
        if (!places)
            return;
        const bool isLeast = m_wish.choice.best == CurveChoice::Best::Least;
        const std::size_t i = isLeast ? places->least : places->greatest;
        const double best = m_wish.choice.shown(store->y(i));
        if (!std::isfinite(best))
            return;
        m_picture.best = {{m_run.curves.clock().at(m_wish.unit, store->x(i)), best},
                          tr("best %1").arg(readingText(best)),
                          Theme::Role::ChartValidation,
                          isLeast};
    }

    const ShownRun& m_run;
    std::span<const ShownRun> m_others;
    const CurvesWish& m_wish;
    std::vector<Line> m_lines;
    ChartPicture m_picture;
};

} // namespace

ChartPicture pictureOf(const ShownRun& run, std::span<const ShownRun> others, const CurvesWish& wish)
{
    return CurvesPicture(run, others, wish).make();
}

} // namespace unroll
