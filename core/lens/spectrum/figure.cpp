// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/lens/spectrum/spectrum.h"

#include "core/base/number_text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace unroll {

namespace {

constexpr std::size_t kSeparateHeads = 8; ///< more are drawn as one line with a band

std::string stepsText(double steps)
{
    if (std::isinf(steps))
        return "without end";
    return fmt::format("{:.3g} step{}", steps, steps == 1 ? "" : "s");
}

/// How the mode of an eigenvalue of this modulus goes on; within 0.01 % of 1 it is said to stay.
std::string courseText(double modulus)
{
    constexpr double growing = 1.0001;
    return modulus > growing ? "doubling in " + stepsText(halfLifeOf(1 / modulus))
                             : "half-life " + stepsText(halfLifeOf(modulus));
}

/// The eigenvalues of a map of the state decay or grow; those of weights are inside a gate's or a candidate's function.
enum class Eigenvalues { OfState, OfWeights };

FigurePanel discPanel(const Spectrum& spectrum, Eigenvalues whose)
{
    FigurePanel panel{.id = spectrum.id, .title = spectrum.title};
    const double reach = 1.05 * std::max(1.0, spectrum.radius());
    panel.x = {.title = "real part", .low = -reach, .high = reach};
    panel.y = {.title = "imaginary part", .low = -reach, .high = reach};
    panel.square = true;
    panel.height = 2;
    panel.circles.push_back({.x = 0, .y = 0, .radius = 1, .label = {}}); // the axes say its radius
    if (whose == Eigenvalues::OfState)
        for (const int steps : {1, 3, 10, 30, 100, 300})
            panel.circles.push_back({.x = 0,
                                     .y = 0,
                                     .radius = std::pow(0.5, 1.0 / steps),
                                     .label = fmt::format("{} step{}", steps, steps == 1 ? "" : "s")});
    FigureSeries points{.name = "eigenvalues", .kind = FigureSeries::Kind::Points, .x = {}, .y = {}};
    points.units = spectrum.units;
    for (const std::complex<double>& value : spectrum.eigenvalues) {
        points.x.push_back(value.real());
        points.y.push_back(value.imag());
        points.notes.push_back(fmt::format("{:.4g} {} {:.4g}i, modulus {:.4g}", value.real(),
                                           value.imag() < 0 ? "-" : "+", std::abs(value.imag()), std::abs(value)));
        if (whose == Eigenvalues::OfState)
            points.notes.back() += ", " + courseText(std::abs(value));
    }
    panel.series.push_back(std::move(points));
    return panel;
}

std::string nearCircle(const Spectrum& spectrum)
{
    const auto near = std::count_if(spectrum.eigenvalues.begin(), spectrum.eigenvalues.end(),
                                    [](const auto& value) { return std::abs(std::abs(value) - 1) <= 0.01; });
    return fmt::format("{:.3g} % of {} eigenvalues are within 1 % of the unit circle",
                       100 * static_cast<double>(near) / static_cast<double>(spectrum.eigenvalues.size()),
                       grouped(std::ssize(spectrum.eigenvalues)));
}

std::string stateFinding(const Spectrum& spectrum)
{
    const double radius = spectrum.radius();
    if (radius == 0)
        return fmt::format(
            "All {} eigenvalues are 0: a change is gone after a fixed number of steps, as in a window of "
            "keys, and has no half-life.",
            grouped(std::ssize(spectrum.eigenvalues)));
    return fmt::format("Spectral radius {:.4g}, {}; {}.", radius, courseText(radius), nearCircle(spectrum));
}

std::string weightsFinding(const Spectrum& spectrum)
{
    return fmt::format("Spectral radius of {}: {:.4g}; {}.", spectrum.title, spectrum.radius(), nearCircle(spectrum));
}

std::string singularFinding(const std::vector<double>& singular)
{
    return fmt::format("Singular values of the Jacobian {:.3g} to {:.3g}, condition number {:.3g}, distance from "
                       "orthogonal {:.3g}.",
                       singular.back(), singular.front(), singular.front() / singular.back(),
                       distanceFromOrthogonal(singular));
}

std::string growthFinding(const Growth& growth, std::int64_t steps)
{
    if (std::isinf(growth.exponent) && growth.exponent < 0)
        return "Leading Lyapunov exponent: minus infinity; a change of the state is gone before the reading ends.";
    if (!std::isfinite(growth.exponent))
        return "Leading Lyapunov exponent: n/a, for a derivative along the reading is not finite.";
    constexpr double kRounding = 1e-5; // of single precision, over some steps
    const std::string what =
        std::abs(growth.exponent) < kRounding ? std::string("a small change keeps its size")
        : growth.exponent > 0
            ? fmt::format("a small change doubles in {}", stepsText(std::log(2.0) / growth.exponent))
            : fmt::format("half of a small change is left after {}", stepsText(halfLifeOf(std::exp(growth.exponent))));
    const std::string how =
        growth.byUnits ? "that of the unit that forgets last, for no unit reads another"
        : growth.readings == 1
            ? std::string("vector-Jacobian products")
            : fmt::format("vector-Jacobian products, the reading gone through {} times", growth.readings);
    return fmt::format("Leading Lyapunov exponent {:.4g} a step (natural logarithm, mean of {} steps; {}): {}{}.",
                       growth.exponent, steps, how, what,
                       growth.settled ? "" : "; it has not settled to 1 %, and slower changes may last longer");
}

FigurePanel growthPanel(const SpectrumData& data)
{
    FigurePanel panel{.id = "growth", .title = "Growth of a change of the state"};
    panel.x = {.title = "step", .steps = true, .labels = data.characters};
    panel.y.title = "ln of the factor";
    FigureSeries line{.name = "growth", .x = {}, .y = data.growth.byStep};
    for (std::size_t t = 0; t < line.y.size(); ++t)
        line.x.push_back(static_cast<double>(t));
    panel.series.push_back(std::move(line));
    panel.rules.push_back({.vertical = false, .at = 0, .label = ""});
    if (std::isfinite(data.growth.exponent))
        panel.rules.push_back({.vertical = false, .at = data.growth.exponent, .label = "Lyapunov exponent"});
    return panel;
}

/// Sorted, the shortest first; units that keep all come last and have no point.
FigurePanel halfLifePanel(const HalfLives& lives)
{
    FigurePanel panel{.id = "half_lives", .title = "Half-life by unit, from gate " + lives.signal};
    panel.x.title = "units, sorted";
    panel.y = {.title = "half-life (steps)", .log = true};
    std::vector<std::size_t> order(lives.median.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::erase_if(order, [&](std::size_t unit) { return std::isnan(lives.median[unit]); });
    std::stable_sort(order.begin(), order.end(),
                     [&](std::size_t a, std::size_t b) { return lives.median[a] < lives.median[b]; });
    FigureSeries points{.name = "half_life", .kind = FigureSeries::Kind::Points, .x = {}, .y = {}};
    for (const std::size_t unit : order) {
        const double life = lives.median[unit];
        points.x.push_back(static_cast<double>(points.x.size()));
        points.y.push_back(std::isinf(life) ? std::numeric_limits<double>::quiet_NaN() : life);
        points.units.push_back(static_cast<std::int64_t>(unit));
        points.notes.push_back(fmt::format("unit {}: {}", unit, stepsText(life)));
    }
    panel.series.push_back(std::move(points));
    return panel;
}

std::string halfLifeFinding(const HalfLives& lives)
{
    std::vector<double> sorted;
    for (const double life : lives.median)
        if (!std::isnan(life))
            sorted.push_back(life);
    if (sorted.empty())
        return "Gate " + lives.signal + " has no finite value.";
    std::sort(sorted.begin(), sorted.end());
    const auto endless = std::count_if(sorted.begin(), sorted.end(), [](double life) { return std::isinf(life); });
    std::string text =
        fmt::format("Half-lives from gate {}{}: {} to {}, half of the units below {}", lives.signal,
                    lives.inverted         ? " (1 - " + lives.signal + " is kept)"
                    : !lives.scale.empty() ? fmt::format(" exp({0}_t - {0}_(t-1))", lives.scale)
                                           : "",
                    stepsText(sorted.front()), stepsText(sorted.back()), stepsText(sorted[sorted.size() / 2]));
    if (endless > 0)
        text += fmt::format("; {} keep all, to rounding, at most steps", endless);
    return text + ".";
}

/// One line for each head, or where there are many their middle with a band from the least to the greatest.
FigurePanel trackPanel(const MatrixTrack& track, const std::string& id, const std::string& title,
                       const std::vector<double> MatrixTrack::Head::*middle,
                       const std::vector<double> MatrixTrack::Head::*low,
                       const std::vector<double> MatrixTrack::Head::*high)
{
    FigurePanel panel{.id = track.signal + "_" + id, .title = title + " of " + track.signal};
    panel.x = {.title = "step", .steps = true};
    const std::vector<double> x(track.steps.begin(), track.steps.end());
    const bool banded = middle != low;
    if (track.heads.size() <= kSeparateHeads) {
        for (std::size_t i = 0; i < track.heads.size(); ++i) {
            FigureSeries line{.name = fmt::format("head {}", i), .x = x, .y = track.heads[i].*middle};
            if (banded) {
                line.low = track.heads[i].*low;
                line.high = track.heads[i].*high;
            }
            panel.series.push_back(std::move(line));
        }
        return panel;
    }
    FigureSeries line{.name = fmt::format("median of {} heads", track.heads.size()), .x = x, .y = {}};
    for (std::size_t t = 0; t < x.size(); ++t) {
        std::vector<double> middles;
        double least = std::numeric_limits<double>::infinity(), most = -least;
        for (const MatrixTrack::Head& head : track.heads) {
            if (std::isnan((head.*middle)[t]))
                continue;
            middles.push_back((head.*middle)[t]);
            least = std::min(least, (head.*low)[t]);
            most = std::max(most, (head.*high)[t]);
        }
        std::sort(middles.begin(), middles.end());
        constexpr double none = std::numeric_limits<double>::quiet_NaN();
        line.y.push_back(middles.empty() ? none : middles[middles.size() / 2]);
        line.low.push_back(middles.empty() ? none : least);
        line.high.push_back(middles.empty() ? none : most);
    }
    panel.series.push_back(std::move(line));
    return panel;
}

/// The least and greatest of all heads and steps; NaN is left out.
std::pair<double, double> rangeOf(const MatrixTrack& track, const std::vector<double> MatrixTrack::Head::*values)
{
    double least = std::numeric_limits<double>::infinity(), most = 0;
    for (const MatrixTrack::Head& head : track.heads)
        for (const double value : head.*values)
            if (!std::isnan(value)) {
                least = std::min(least, value);
                most = std::max(most, value);
            }
    return {std::min(least, most), most};
}

std::string trackFinding(const MatrixTrack& track)
{
    using Head = MatrixTrack::Head;
    if (track.invertible())
        return fmt::format(
            "{}: condition number at most {:.3g}, distance from orthogonal at most {:.3g} along the reading.",
            track.signal, rangeOf(track, &Head::condition).second, rangeOf(track, &Head::distance).second);
    const auto [least, most] = rangeOf(track, &Head::rank);
    return fmt::format("{}: matrices of {} x {}, of rank {} to {} along the reading: singular values above rounding.",
                       track.signal, track.rows, track.columns, least, most);
}

void addTrack(Figure& figure, const MatrixTrack& track, const std::vector<std::string>& characters)
{
    using Head = MatrixTrack::Head;
    std::vector<FigurePanel> panels = {trackPanel(track, "singular_values",
                                                  "Singular values (median, and from the smallest to the largest)",
                                                  &Head::median, &Head::smallest, &Head::largest)};
    panels[0].y = {.title = "singular value", .log = true};
    if (track.invertible()) {
        panels.push_back(
            trackPanel(track, "condition", "Condition number", &Head::condition, &Head::condition, &Head::condition));
        panels.back().y = {.title = "condition number", .log = true};
        panels.push_back(trackPanel(track, "distance", "Distance from orthogonal", &Head::distance, &Head::distance,
                                    &Head::distance));
        panels.back().y.title = "‖AᵀA - I‖ / √n";
    } else {
        panels.push_back(trackPanel(track, "rank", "Rank", &Head::rank, &Head::rank, &Head::rank));
        panels.back().y = {.title = "singular values above rounding", .low = 0};
    }
    figure.findings.push_back(trackFinding(track));
    for (FigurePanel& panel : panels) {
        panel.x.labels = characters;
        figure.panels.push_back(std::move(panel));
    }
}

/// "64 parts of 16 numbers and 128 of 1"; empty: the whole state is one, or every number is its own.
std::string blocksFinding(const std::map<std::int64_t, std::int64_t>& blocks)
{
    if (blocks.size() < 2 && (blocks.empty() || blocks.begin()->first == 1 || blocks.begin()->second == 1))
        return {};
    std::vector<std::string> parts;
    for (auto each = blocks.rbegin(); each != blocks.rend(); ++each)
        parts.push_back(fmt::format("{} of {}{}", each->second, each->first, parts.empty() ? " numbers" : ""));
    return fmt::format("The state falls into parts that feed back only into themselves: {}.", fmt::join(parts, ", "));
}

/// What flips its sign from step to step.
std::string signFinding(const Spectrum& spectrum)
{
    double least = 0;
    for (const std::complex<double>& value : spectrum.eigenvalues)
        if (value.imag() == 0)
            least = std::min(least, value.real());
    return least < -1e-3
               ? fmt::format("The most negative real eigenvalue is {:.4g}: its mode flips sign at each step.", least)
               : std::string();
}

constexpr const char* kRings =
    " A mode on the unit circle never decays; the rings are half-lives of 1, 3, 10, 30, 100 and 300 steps.";
constexpr const char* kMemories =
    " Further down, the matrices along the reading: as many outer products are told apart as the rank says.";
constexpr const char* kMatrices =
    " Further down, what the matrices do along the reading: condition number 1 and distance 0 are a rotation.";

void addState(Figure& figure, const SpectrumData& data)
{
    const std::string reading = data.of.empty() ? "the reading" : data.of;
    if (data.spectra.empty())
        figure.shows = fmt::format("What becomes of a small change of the state of {} ({}, {} numbers) along the {} "
                                   "steps of {}, all else held: it grows at steps above 0 and decays at those below.",
                                   data.node, data.parts, grouped(data.numbers), data.steps, reading);
    else
        figure.shows =
            fmt::format("Eigenvalues of the Jacobian of the state of {} ({}, {} numbers{}) from one step to the next, "
                        "at step {} of {} of {}, all else held.{}",
                        data.node, data.parts, grouped(data.numbers), data.complexState ? ", complex in pairs" : "",
                        data.step + 1, data.steps, reading, kRings);
    if (!data.matrices.empty())
        figure.shows += data.matrices.front().invertible() ? kMatrices : kMemories;
    if (data.unscaled)
        figure.shows +=
            " The state is kept scaled by exp(-m); what is shown is of the numbers before scaling, and m is "
            "not among them.";
    if (data.rounds)
        figure.shows += " The node rounds, so derivatives are the straight-through estimate.";
    for (const Spectrum& spectrum : data.spectra)
        figure.findings.push_back(stateFinding(spectrum));
    for (const Spectrum& spectrum : data.spectra)
        if (const std::string flips = signFinding(spectrum); !flips.empty())
            figure.findings.push_back(flips);
    if (const std::string parts = blocksFinding(data.blocks); !parts.empty())
        figure.findings.push_back(parts);
    if (data.growth.trouble.empty())
        figure.findings.push_back(growthFinding(data.growth, data.steps));
    if (!data.singular.empty())
        figure.findings.push_back(singularFinding(data.singular));
    else if (!data.spectra.empty())
        figure.findings.push_back("Singular values are not taken of a state of this size.");
    if (!data.trouble.empty())
        figure.findings.push_back("No eigenvalues: " + data.trouble + ".");
    if (data.growth.trouble.empty())
        figure.panels.push_back(growthPanel(data));
    else if (data.growth.trouble != data.trouble)
        figure.findings.push_back("No Lyapunov exponent: " + data.growth.trouble + ".");
    if (!data.halfLives.trouble.empty())
        figure.findings.push_back("No half-lives of gate " + data.halfLives.signal + ": " + data.halfLives.trouble +
                                  ".");
    else if (!data.halfLives.signal.empty()) {
        figure.findings.push_back(halfLifeFinding(data.halfLives));
        figure.panels.push_back(halfLifePanel(data.halfLives));
    }
    for (const MatrixTrack& track : data.matrices)
        addTrack(figure, track, data.characters);
    if (!data.singular.empty())
        figure.arrays.push_back({"singular_values", {std::ssize(data.singular)}, data.singular});
    if (!data.jacobian.empty())
        figure.arrays.push_back({"jacobian", {data.numbers, data.numbers}, data.jacobian});
}

} // namespace

Figure SpectrumData::figure() const
{
    Figure figure;
    figure.missing = missing;
    for (const Spectrum& spectrum : spectra)
        figure.panels.push_back(discPanel(spectrum, ofWeights ? Eigenvalues::OfWeights : Eigenvalues::OfState));
    if (!ofWeights) {
        addState(figure, *this);
        return figure;
    }
    figure.shows =
        fmt::format("Eigenvalues of the recurrent matrices of {}. Each multiplies the state before the function "
                    "of a gate or of the candidate, so they are no rates at which the state decays or grows: "
                    "`of` set to state has those.",
                    node);
    for (const Spectrum& spectrum : spectra)
        figure.findings.push_back(weightsFinding(spectrum));
    for (const std::string& matrix : leftOut)
        figure.findings.push_back("No eigenvalues of " + matrix + ".");
    return figure;
}

} // namespace unroll
