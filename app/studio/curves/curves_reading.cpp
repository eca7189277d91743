// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/studio/curves/curves_reading.h"

#include "app/studio/curves/curve_reasons.h"
#include "app/studio/theme/number_text.h"
#include "app/studio/theme/translated.h"

#include <cmath>

namespace unroll {

namespace {

QString stepText(double step)
{
    return countText(static_cast<std::int64_t>(std::llround(step)));
}

QString secondsText(double seconds)
{
    return seconds < 60 ? tr("%1 s").arg(readingText(seconds)) : durationText(seconds);
}

/// A store of a run, read on the axis' unit.
class Curve {
public:
    Curve(const ShownRun& run, const SeriesStore& store, const CurveChoice& choice, XUnit unit)
        : m_store(store), m_clock(run.curves.clock()), m_choice(choice), m_unit(unit)
    {}

    double x(std::size_t i) const { return m_clock.at(m_unit, m_store.x(i)); }
    double step(std::size_t i) const { return m_store.x(i); }
    double y(std::size_t i) const { return m_choice.shown(m_store.y(i)); }
    QPointF point(std::size_t i) const { return {x(i), y(i)}; }
    std::size_t last() const { return m_store.size() - 1; }

    std::size_t nearest(double at) const
    {
        const double step = m_clock.stepAt(m_unit, at);
        const auto [first, end] = m_store.range(step, step);
        std::size_t best = first;
        for (std::size_t i = first; i < end; ++i)
            if (std::abs(x(i) - at) < std::abs(x(best) - at))
                best = i;
        return best;
    }

private:
    const SeriesStore& m_store;
    const RunClock& m_clock;
    const CurveChoice& m_choice;
    XUnit m_unit;
};

class Reader {
public:
    Reader(const ShownRun& run, std::span<const ShownRun> others, const CurveChoice& choice, XUnit unit)
        : m_run(run), m_others(others), m_choice(choice), m_unit(unit)
    {}

    CurvesReading at(double x)
    {
        const std::optional<Curve> leading = leadingCurve();
        if (!leading)
            return {};
        const std::size_t i = leading->nearest(x);
        m_reading.x = leading->x(i);
        m_reading.lines.push_back({place(leading->step(i))});
        readRun();
        for (const ShownRun& other : m_others)
            readOther(other);
        return std::move(m_reading);
    }

private:
    std::optional<Curve> curve(const ShownRun& run, const SeriesStore* store) const
    {
        if (store == nullptr || !whyLeftOut(run, m_choice, m_unit).isEmpty())
            return std::nullopt;
        return std::optional<Curve>(std::in_place, run, *store, m_choice, m_unit);
    }

    /// On whose steps the crosshair stands.
    std::optional<Curve> leadingCurve() const
    {
        for (const std::string& metric : {m_choice.raw, m_choice.marked})
            if (auto found = curve(m_run, m_run.curves.find(metric)))
                return found;
        for (const ShownRun& other : m_others)
            if (auto found = curve(other, other.curves.find(m_choice.main())))
                return found;
        return {};
    }

    QString place(double step) const
    {
        switch (m_unit) {
        case XUnit::Tokens: return tr("%1 tokens, step %2").arg(stepText(m_reading.x), stepText(step));
        case XUnit::Flops: return tr("%1 FLOP, step %2").arg(scaledText(m_reading.x), stepText(step));
        case XUnit::Epochs: return tr("epoch %1, step %2").arg(readingText(m_reading.x), stepText(step));
        case XUnit::Seconds: return tr("%1, step %2").arg(secondsText(m_reading.x), stepText(step));
        case XUnit::Steps: break;
        }
        return tr("step %1").arg(stepText(step));
    }

    void add(const Curve& curve, std::size_t i, const QString& words, Theme::Role color)
    {
        m_reading.lines.push_back(
            {words, color, std::isfinite(curve.y(i)) ? std::optional(curve.point(i)) : std::nullopt});
    }

    void readRun()
    {
        if (const auto raw = curve(m_run, m_run.curves.find(m_choice.raw))) {
            const std::size_t i = raw->nearest(m_reading.x);
            add(*raw, i, m_choice.rawName + ' ' + readingText(raw->y(i)), Theme::Role::ChartRaw);
            const Curve smoothed(m_run, m_run.smoothed.store(), m_choice, m_unit);
            if (m_choice.isNoisy)
                add(smoothed, i, tr("smoothed %1").arg(readingText(smoothed.y(i))), m_run.color);
        }
        if (const auto marked = curve(m_run, m_run.curves.find(m_choice.marked))) {
            const std::size_t i = marked->nearest(m_reading.x);
            add(*marked, i, tr("validation %1 at %2").arg(readingText(marked->y(i)), stepText(marked->step(i))),
                Theme::Role::ChartValidation);
        }
    }

    void readOther(const ShownRun& other)
    {
        const auto line = curve(other, other.mainLine(m_choice));
        if (!line)
            return;
        if (m_reading.x < line->x(0))
            m_reading.lines.push_back({tr("%1 starts later").arg(other.name), other.color});
        else if (m_reading.x > line->x(line->last()))
            m_reading.lines.push_back(
                {tr("%1 ended at %2").arg(other.name, readingText(line->y(line->last()))), other.color});
        else {
            const std::size_t i = line->nearest(m_reading.x);
            add(*line, i, other.name + ' ' + readingText(line->y(i)), other.color);
        }
    }

    const ShownRun& m_run;
    std::span<const ShownRun> m_others;
    const CurveChoice& m_choice;
    XUnit m_unit;
    CurvesReading m_reading;
};

} // namespace

CurvesReading readCurves(const ShownRun& run, std::span<const ShownRun> others, const CurveChoice& choice, XUnit unit,
                         double x)
{
    return Reader(run, others, choice, unit).at(x);
}

} // namespace unroll
