// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/runs/race_bands.h"

#include <algorithm>
#include <cmath>
#include <map>

namespace unroll {
namespace {

using SeedCurve = std::vector<RacePoint>; ///< by step

RacePoint pointOf(const RaceSample& sample, double value)
{
    return {sample.step, static_cast<double>(sample.tokens), sample.seconds, value, {value, value}, 1};
}

/// Each value as it was measured; what is not a number is a gap.
SeedCurve measuredCurve(const RaceRun& run, RaceMetric metric)
{
    SeedCurve curve;
    for (const RaceSample& sample : run.samples)
        if (const double value = metric == RaceMetric::Accuracy ? sample.accuracy : sample.validation;
            std::isfinite(value))
            curve.push_back(pointOf(sample, value));
    return curve;
}

/// Means over spans of `span` steps that are whole, each at its last step.
SeedCurve spannedCurve(const RaceRun& run, std::int64_t span)
{
    SeedCurve curve;
    double sum = 0;
    std::int64_t count = 0;
    for (const RaceSample& sample : run.samples) {
        if (std::isfinite(sample.train)) {
            sum += sample.train;
            ++count;
        }
        if (sample.step % span != 0)
            continue;
        if (count > 0)
            curve.push_back(pointOf(sample, sum / static_cast<double>(count)));
        sum = 0;
        count = 0;
    }
    return curve;
}

RacePoint meanPoint(const std::vector<const RacePoint*>& points)
{
    std::vector<double> values;
    RacePoint mean{points.front()->step, 0, 0, 0, {}, points.size()};
    for (const RacePoint* point : points) {
        values.push_back(point->mean);
        mean.tokens += point->tokens / static_cast<double>(points.size());
        mean.seconds += point->seconds / static_cast<double>(points.size());
    }
    mean.mean = meanOf(values);
    mean.band = bootstrapInterval(values);
    return mean;
}

RaceCurve joinedCurve(const std::vector<SeedCurve>& seeds)
{
    std::map<std::int64_t, std::vector<const RacePoint*>> at;
    for (const SeedCurve& seed : seeds)
        for (const RacePoint& point : seed)
            at[point.step].push_back(&point);
    RaceCurve curve;
    std::erase_if(at, [&](const auto& each) { return each.second.size() != seeds.size(); });
    const std::size_t every = (at.size() + kRaceSpans - 1) / kRaceSpans;
    std::size_t left = at.size();
    for (const auto& [step, points] : at)
        if (--left % every == 0) // the last one always
            curve.mean.push_back(meanPoint(points));
    for (const SeedCurve& seed : seeds) {
        const std::int64_t shared = curve.mean.empty() ? -1 : curve.mean.back().step;
        SeedCurve ahead;
        for (const RacePoint& point : seed)
            if (point.step >= shared)
                ahead.push_back(point);
        if (!ahead.empty() && ahead.back().step > shared)
            curve.ahead.push_back(std::move(ahead));
    }
    return curve;
}

} // namespace

RaceCurve raceCurve(const RaceLaneResults& lane, RaceMetric metric, std::int64_t steps)
{
    const std::int64_t span = std::max<std::int64_t>(1, (steps + kRaceSpans - 1) / kRaceSpans);
    std::vector<SeedCurve> good, diverged;
    for (const RaceRun& run : lane.runs) {
        SeedCurve curve = metric == RaceMetric::Training ? spannedCurve(run, span) : measuredCurve(run, metric);
        if (!curve.empty())
            (run.state == RunState::Failed ? diverged : good).push_back(std::move(curve));
    }
    return joinedCurve(good.empty() ? diverged : good);
}

} // namespace unroll
