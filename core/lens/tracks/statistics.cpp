// SPDX-License-Identifier: GPL-3.0-or-later
// All comparisons are products of centred rows: a unit's ranks with a binary feature give Mann-Whitney's U, its values
// with a number Pearson's r.
//
// Neighbouring steps are alike, in the signals as in the features, so that n steps are worth fewer. The variance of a
// correlation of two series that have nothing to do with each other is (1 + 2 sum_k rho_x(k) rho_y(k)) / n (Bartlett
// 1935, 1946), rho their autocorrelations: p-values take n over that factor for the number of samples. It holds for
// ranks and for 0/1 alike, needs no assumption on the distribution, and costs a Fourier transform a row, where shuffles
// that reach the p-values a correction over thousands of pairs asks for would need thousands of passes. The sum is cut
// at a quarter of the steps, the greatest partial sum is taken: estimates of slow series come out too small. With few
// samples left t has heavy tails, where the normal approximation of U would see discoveries; with many the two agree.
//
// The chance level beside a score needs no such approximation: the best unit on features that are moved along the data
// by a random distance, round the end (circular shifts), which keeps both autocorrelations as they are.
#include "core/lens/tracks/statistics.h"

#include "core/data/random.h"

#include <ATen/Parallel.h>
#include <ATen/TensorOperators.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/empty_like.h>
#include <ATen/ops/fft_irfft.h>
#include <ATen/ops/fft_rfft.h>
#include <ATen/ops/full.h>
#include <ATen/ops/isfinite.h>
#include <ATen/ops/mm.h>
#include <ATen/ops/sort.h>

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <limits>
#include <map>

namespace unroll::lenses::tracks {

namespace {

constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
constexpr std::int64_t kFewest = 16; ///< steps that a comparison needs
constexpr int kTogether = 10;        ///< shuffles in one product
constexpr std::int64_t kUnitsOfAThread = 16;

/// Steps at which some features are known, and what the units have there.
struct Known {
    std::vector<std::int64_t> place; ///< of each step among them; -1: not known
    std::vector<std::size_t> features;
    std::int64_t steps = 0;
};

std::vector<Known> groupsOf(const std::vector<Feature>& features, std::size_t steps)
{
    std::map<std::vector<bool>, std::size_t> groups;
    std::vector<Known> found;
    for (std::size_t f = 0; f < features.size(); ++f) {
        std::vector<bool> known(steps);
        for (std::size_t i = 0; i < steps; ++i)
            known[i] = std::isfinite(features[f].values[i]);
        const auto [group, isNew] = groups.try_emplace(known, found.size());
        if (isNew) {
            Known& made = found.emplace_back();
            made.place.assign(steps, -1);
            for (std::size_t i = 0; i < steps; ++i)
                if (known[i])
                    made.place[i] = made.steps++;
        }
        found[group->second].features.push_back(f);
    }
    return found;
}

/// Rows of `steps` numbers with mean 0, and their lengths.
struct Rows {
    at::Tensor centred; ///< [rows, steps]
    at::Tensor norms;   ///< [rows]; 0: the row does not vary
};

/// Sums of squares that are roundings of the mean count as none.
Rows centredRows(const at::Tensor& values)
{
    Rows rows{values - values.mean(1, true), {}};
    rows.norms = rows.centred.norm(2, 1);
    const at::Tensor size = values.abs().amax(1) * std::sqrt(static_cast<double>(values.size(1)));
    rows.norms.masked_fill_(rows.norms.le(size * 1e-14), 0);
    return rows;
}

/// The next length whose only factors are 2, 3 and 5: its Fourier transform is fast.
std::int64_t fastLength(std::int64_t least)
{
    for (std::int64_t length = least;; ++length) {
        std::int64_t rest = length;
        for (const std::int64_t factor : {2, 3, 5})
            while (rest % factor == 0)
                rest /= factor;
        if (rest == 1)
            return length;
    }
}

/// [rows, lags + 1]: autocorrelations, shrunk towards 0 by (steps - lag) / steps, as they are estimated.
at::Tensor autocorrelations(const Rows& rows, std::int64_t lags)
{
    const std::int64_t length = fastLength(rows.centred.size(1) + lags);
    const at::Tensor power = at::fft_rfft(rows.centred, length).abs().square();
    const at::Tensor sums = at::fft_irfft(power, length).slice(1, 0, lags + 1);
    return (sums / rows.norms.square().clamp_min(1e-300).unsqueeze(1)).contiguous();
}

/// Of a product of two of these one factor of the shrinking is taken back: [lags + 1].
at::Tensor unshrinking(std::int64_t lags, std::int64_t steps)
{
    at::Tensor factors = at::empty({lags + 1}, at::kDouble);
    for (std::int64_t lag = 0; lag <= lags; ++lag)
        factors.mutable_data_ptr<double>()[lag] = static_cast<double>(steps) / static_cast<double>(steps - lag);
    return factors;
}

/// Independent samples that `steps` of two such series are worth; one of them unshrunk.
double samplesOf(const double* x, const double* y, std::int64_t lags, std::int64_t steps)
{
    double sum = 0, greatest = 0;
    for (std::int64_t lag = 1; lag <= lags; ++lag) {
        sum += x[lag] * y[lag];
        greatest = std::max(greatest, sum);
    }
    return static_cast<double>(steps) / (1 + 2 * greatest);
}

class Comparison {
public:
    Comparison(const at::Tensor& units, const std::vector<Feature>& features, const AssociationOptions& options)
        : m_features(features), m_options(options), m_steps(units.size(1)), m_count(units.size(0))
    {
        m_good = at::isfinite(units).all(1);
        m_units = units.masked_fill(m_good.logical_not().unsqueeze(1), 0).contiguous();
        m_order = std::get<1>(at::sort(m_units, 1)).contiguous();
        const auto rows = static_cast<std::int64_t>(features.size());
        m_found.scores = at::full({rows, m_count}, kNone, at::kDouble);
        m_found.p = m_found.scores.clone();
        m_found.chance.assign(features.size(), kNone);
        m_found.reasons.assign(features.size(), "");
        m_found.known.assign(features.size(), 0);
        m_found.on.assign(features.size(), kNone);
    }

    Association take()
    {
        for (const Known& group : groupsOf(m_features, static_cast<std::size_t>(m_steps))) {
            if (m_options.end.stop_requested())
                break;
            compare(group, true);
            compare(group, false);
        }
        if (!m_options.significance) {
            m_found.q = m_found.p;
            return std::move(m_found);
        }
        const double* p = m_found.p.const_data_ptr<double>();
        const std::vector<double> q = adjusted({p, p + m_found.p.numel()});
        m_found.q = at::empty_like(m_found.p);
        std::copy(q.begin(), q.end(), m_found.q.mutable_data_ptr<double>());
        return std::move(m_found);
    }

private:
    /// The binary features of a group, or the others.
    void compare(const Known& group, bool binary)
    {
        std::vector<std::size_t> varying;
        for (const std::size_t f : group.features)
            if (m_features[f].binary() == binary && describe(f, group))
                varying.push_back(f);
        if (varying.empty())
            return;
        const Rows units = centredRows(binary ? ranksOf(group) : valuesOf(group));
        const Rows targets = centredRows(targetsOf(varying, group));
        const at::Tensor good = m_good.logical_and(units.norms.gt(0)).contiguous();
        score(varying, group, units, targets, good);
        if (m_options.shuffles > 0)
            shuffle(varying, group, units, targets, good);
    }

    /// What is to be said of the feature alone; false: it is not available.
    bool describe(std::size_t f, const Known& group)
    {
        double least = std::numeric_limits<double>::infinity(), greatest = -least, sum = 0;
        for (const float value : m_features[f].values)
            if (std::isfinite(value)) {
                least = std::min(least, static_cast<double>(value));
                greatest = std::max(greatest, static_cast<double>(value));
                sum += static_cast<double>(value);
            }
        m_found.known[f] = group.steps;
        if (m_features[f].binary() && group.steps > 0)
            m_found.on[f] = sum / static_cast<double>(group.steps);
        std::string& reason = m_found.reasons[f];
        if (group.steps < kFewest)
            reason = fmt::format("it is known at {} of {} steps", group.steps, m_steps);
        else if (!(least < greatest))
            reason = !m_features[f].binary() ? "it does not change over these steps"
                     : greatest > 0          ? "it is on at every one of these steps"
                                             : "it is off at every one of these steps";
        return reason.empty();
    }

    at::Tensor ranksOf(const Known& group) const
    {
        at::Tensor ranks = at::empty({m_count, group.steps}, at::kDouble);
        double* to = ranks.mutable_data_ptr<double>();
        at::parallel_for(0, m_count, kUnitsOfAThread, [&](std::int64_t first, std::int64_t last) {
            for (std::int64_t u = first; u < last; ++u)
                midranks(m_units.const_data_ptr<double>() + u * m_steps,
                         m_order.const_data_ptr<std::int64_t>() + u * m_steps, group.place, to + u * group.steps);
        });
        return ranks;
    }

    at::Tensor valuesOf(const Known& group) const
    {
        if (group.steps == m_steps)
            return m_units;
        return m_units.index_select(1, stepsOf(group));
    }

    static at::Tensor stepsOf(const Known& group)
    {
        at::Tensor steps = at::empty({group.steps}, at::kLong);
        for (std::size_t i = 0; i < group.place.size(); ++i)
            if (group.place[i] >= 0)
                steps.mutable_data_ptr<std::int64_t>()[group.place[i]] = static_cast<std::int64_t>(i);
        return steps;
    }

    at::Tensor targetsOf(const std::vector<std::size_t>& features, const Known& group) const
    {
        at::Tensor targets = at::empty({static_cast<std::int64_t>(features.size()), group.steps}, at::kDouble);
        double* to = targets.mutable_data_ptr<double>();
        for (const std::size_t f : features)
            for (const float value : m_features[f].values)
                if (std::isfinite(value))
                    *to++ = static_cast<double>(value);
        return targets;
    }

    /// What a product of centred ranks and a centred 0/1 is divided by: with n1 on and n0 off it is U - n1 n0 / 2.
    double pairsOf(std::size_t f, const Known& group) const
    {
        const auto n = static_cast<double>(group.steps);
        return n * m_found.on[f] * (n * (1 - m_found.on[f]));
    }

    void score(const std::vector<std::size_t>& features, const Known& group, const Rows& units, const Rows& targets,
               const at::Tensor& good)
    {
        const at::Tensor products = at::mm(targets.centred, units.centred.t()).contiguous();
        const double *product = products.const_data_ptr<double>(), *norm = units.norms.const_data_ptr<double>();
        for (std::size_t k = 0; k < features.size(); ++k) {
            const std::size_t f = features[k];
            const auto row = static_cast<std::int64_t>(k);
            const double size = targets.norms.const_data_ptr<double>()[k];
            double* scores = m_found.scores.mutable_data_ptr<double>() + static_cast<std::int64_t>(f) * m_count;
            double* p = m_found.p.mutable_data_ptr<double>() + static_cast<std::int64_t>(f) * m_count;
            for (std::int64_t u = 0; u < m_count; ++u) {
                if (!good.const_data_ptr<bool>()[u])
                    continue;
                const double r = std::clamp(product[row * m_count + u] / (norm[u] * size), -1.0, 1.0);
                scores[u] = m_features[f].binary()
                                ? std::clamp(0.5 + product[row * m_count + u] / pairsOf(f, group), 0.0, 1.0)
                                : r;
                p[u] = r; // until it is judged
            }
        }
        if (m_options.significance)
            judge(features, group, units, targets);
        else
            for (const std::size_t f : features)
                m_found.p.select(0, static_cast<std::int64_t>(f)).fill_(kNone);
    }

    /// The p-values of the correlations that stand in their place.
    void judge(const std::vector<std::size_t>& features, const Known& group, const Rows& units, const Rows& targets)
    {
        const std::int64_t lags = group.steps / 4;
        const at::Tensor x = autocorrelations(units, lags);
        const at::Tensor y = (autocorrelations(targets, lags) * unshrinking(lags, group.steps)).contiguous();
        for (std::size_t k = 0; k < features.size(); ++k) {
            double* p = m_found.p.mutable_data_ptr<double>() + static_cast<std::int64_t>(features[k]) * m_count;
            const double* of = y.const_data_ptr<double>() + static_cast<std::int64_t>(k) * (lags + 1);
            for (std::int64_t u = 0; u < m_count; ++u)
                if (!std::isnan(p[u]))
                    p[u] = correlationP(p[u],
                                        samplesOf(x.const_data_ptr<double>() + u * (lags + 1), of, lags, group.steps));
        }
    }

    /// In single precision: the level is a quantile of a few numbers.
    void shuffle(const std::vector<std::size_t>& features, const Known& group, const Rows& units, const Rows& targets,
                 const at::Tensor& good)
    {
        const bool binary = m_features[features.front()].binary();
        at::Tensor rows = binary ? units.centred : units.centred / units.norms.clamp_min(1e-300).unsqueeze(1);
        rows = (rows * good.unsqueeze(1)).to(at::kFloat).t();
        at::Tensor moving = targets.centred.clone();
        for (std::size_t k = 0; k < features.size(); ++k)
            moving.select(0, static_cast<std::int64_t>(k))
                .div_(binary ? pairsOf(features[k], group) : targets.norms.const_data_ptr<double>()[k]);
        moving = moving.to(at::kFloat).contiguous();
        Random random(m_options.seed, static_cast<std::uint64_t>(group.steps));
        std::vector<std::vector<double>> best(features.size());
        for (int done = 0; done < m_options.shuffles && !m_options.end.stop_requested(); done += kTogether)
            shuffled(moving, rows, std::min(kTogether, m_options.shuffles - done), random, best);
        for (std::size_t k = 0; k < features.size(); ++k)
            m_found.chance[features[k]] = levelOf(best[k], binary);
    }

    static void shuffled(const at::Tensor& moving, const at::Tensor& rows, int count, Random& random,
                         std::vector<std::vector<double>>& best)
    {
        const std::int64_t features = moving.size(0), steps = moving.size(1);
        at::Tensor moved = at::empty({count * features, steps}, at::kFloat);
        float* to = moved.mutable_data_ptr<float>();
        for (int i = 0; i < count; ++i) {
            const auto shift = random.between(1, steps - 1);
            for (std::int64_t k = 0; k < features; ++k, to += steps) {
                const float* from = moving.const_data_ptr<float>() + k * steps;
                std::rotate_copy(from, from + shift, from + steps, to);
            }
        }
        const at::Tensor peaks = at::mm(moved, rows).abs().amax(1).contiguous();
        for (std::int64_t i = 0; i < count * features; ++i)
            best[static_cast<std::size_t>(i % features)].push_back(
                static_cast<double>(peaks.const_data_ptr<float>()[i]));
    }

    /// The quantile 0.95, between its neighbours.
    static double levelOf(std::vector<double> best, bool binary)
    {
        if (best.empty())
            return kNone;
        std::sort(best.begin(), best.end());
        const double at = 0.95 * static_cast<double>(best.size() - 1);
        const auto below = static_cast<std::size_t>(at);
        const double above = best[std::min(below + 1, best.size() - 1)];
        const double level = best[below] + (at - static_cast<double>(below)) * (above - best[below]);
        return binary ? 0.5 + level : level;
    }

    const std::vector<Feature>& m_features;
    const AssociationOptions& m_options;
    std::int64_t m_steps, m_count;
    at::Tensor m_good;  ///< [units]: all values are numbers
    at::Tensor m_units; ///< [units, steps]; zeros where they are not
    at::Tensor m_order; ///< [units, steps]: steps by value, sorted once
    Association m_found;
};

} // namespace

Association associate(const at::Tensor& units, const std::vector<Feature>& features, const AssociationOptions& options)
{
    return Comparison(units, features, options).take();
}

} // namespace unroll::lenses::tracks
