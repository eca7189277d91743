// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/lens/spectrum/linear_maps.h"

#include "core/lens/spectrum/sparse_map.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/isfinite.h>
#include <ATen/ops/linalg_svdvals.h>
#include <ATen/ops/where.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace unroll::lenses::spectrum {

std::vector<double> numbersOf(const at::Tensor& values)
{
    const at::Tensor flat = values.detach().to(at::kDouble).cpu().flatten().contiguous();
    const double* first = flat.const_data_ptr<double>();
    return {first, first + flat.numel()};
}

std::vector<std::complex<double>> eigenvaluesOf(const at::Tensor& matrix)
{
    const SparseMap map(matrix);
    return map.eigenvalues(map.circles());
}

Spectrum spectrumOf(std::string id, std::string title, const SparseMap& map,
                    const std::vector<std::vector<std::int64_t>>& circles)
{
    Spectrum made{std::move(id), std::move(title), map.eigenvalues(circles), {}};
    if (map.isDiagonal())
        for (std::int64_t i = 0; i < map.size(); ++i)
            made.units.push_back(i);
    return made;
}

std::vector<double> singularValuesOf(const at::Tensor& matrix)
{
    return numbersOf(at::linalg_svdvals(matrix));
}

namespace {

/// Steps from one matrix that is examined to the next.
std::int64_t strideOf(const at::Tensor& values)
{
    constexpr double kWork = 2e8; // rows columns least summed over the matrices: a second or so
    const auto rows = static_cast<double>(values.size(2)), columns = static_cast<double>(values.size(3));
    const double all = rows * columns * std::min(rows, columns) * static_cast<double>(values.size(0) * values.size(1));
    return std::max<std::int64_t>(1, static_cast<std::int64_t>(std::ceil(all / kWork)));
}

/// `singular`: the largest first; none where the matrix is not finite. `rounding`: of a number, times the longer side.
void append(MatrixTrack::Head& head, const std::vector<double>& singular, double rounding)
{
    constexpr double none = std::numeric_limits<double>::quiet_NaN();
    const bool there = !singular.empty();
    head.largest.push_back(there ? singular.front() : none);
    head.smallest.push_back(there ? singular.back() : none);
    const std::size_t middle = singular.size() / 2;
    head.median.push_back(!there                     ? none
                          : singular.size() % 2 == 1 ? singular[middle]
                                                     : (singular[middle - 1] + singular[middle]) / 2);
    head.condition.push_back(there ? singular.front() / singular.back() : none);
    head.distance.push_back(there ? distanceFromOrthogonal(singular) : none);
    const auto above = [&](double value) { return value > rounding * singular.front(); };
    head.rank.push_back(there ? static_cast<double>(std::count_if(singular.begin(), singular.end(), above)) : none);
}

} // namespace

MatrixTrack trackOf(const std::string& signal, const at::Tensor& values)
{
    MatrixTrack track{.signal = signal, .steps = {}, .heads = {}, .rows = values.size(2), .columns = values.size(3)};
    constexpr double kOfFloats = 1e-7; // the network computes in single precision
    const double rounding = kOfFloats * static_cast<double>(std::max(track.rows, track.columns));
    track.heads.resize(static_cast<std::size_t>(values.size(1)));
    const std::int64_t stride = strideOf(values);
    const at::Tensor some = values.slice(0, 0, values.size(0), stride).detach().to(at::kDouble).cpu();
    const at::Tensor finite = at::isfinite(some).flatten(2).all(2);
    const at::Tensor clean = at::where(finite.unsqueeze(-1).unsqueeze(-1), some, 0);
    const std::vector<double> all = numbersOf(at::linalg_svdvals(clean)), there = numbersOf(finite);
    const auto n = static_cast<std::size_t>(track.size());
    for (std::size_t i = 0; i < there.size(); ++i) {
        const auto first = all.begin() + static_cast<std::ptrdiff_t>(i * n);
        append(track.heads[i % track.heads.size()],
               there[i] != 0 ? std::vector<double>(first, first + track.size()) : std::vector<double>(), rounding);
    }
    for (std::int64_t step = 0; step < values.size(0); step += stride)
        track.steps.push_back(step);
    return track;
}

namespace {

/// The mean of both in the middle, where there is an even number; NaN of none.
double medianOf(std::vector<double> values)
{
    if (values.empty())
        return std::numeric_limits<double>::quiet_NaN();
    std::sort(values.begin(), values.end());
    const std::size_t middle = values.size() / 2;
    return values.size() % 2 == 1 ? values[middle] : (values[middle - 1] + values[middle]) / 2;
}

} // namespace

HalfLives halfLivesOf(const std::string& signal, bool inverted, const at::Tensor& gates, std::int64_t& missing)
{
    HalfLives found{.signal = signal, .inverted = inverted, .median = {}, .trouble = {}};
    const std::vector<double> values = numbersOf(gates);
    const auto units = static_cast<std::size_t>(gates.size(1));
    for (std::size_t unit = 0; unit < units; ++unit) {
        std::vector<double> lives;
        for (std::size_t i = unit; i < values.size(); i += units)
            if (std::isfinite(values[i]))
                lives.push_back(halfLifeOf(inverted ? 1 - values[i] : values[i]));
            else
                ++missing;
        found.median.push_back(medianOf(std::move(lives)));
    }
    return found;
}

const SignalSpec* keepingGate(const BlockSpec& spec)
{
    for (const SignalSpec& signal : spec.signalSpecs)
        if (signal.keeps)
            return &signal;
    return nullptr;
}

at::Tensor unscaled(const at::Tensor& gate, const at::Tensor& scale)
{
    if (!scale.defined() || gate.size(0) < 2)
        return gate;
    return gate.slice(0, 1) * (scale.slice(0, 1) - scale.slice(0, 0, -1)).exp();
}

bool isInverted(const at::Tensor& gate, const at::Tensor& diagonal, const std::vector<std::int64_t>& widths)
{
    double kept = 2, replaced = 2;
    std::int64_t from = 0;
    for (const std::int64_t width : widths) {
        if (width == gate.size(0)) {
            const at::Tensor part = diagonal.narrow(0, from, width);
            kept = std::min(kept, (part - gate).abs().mean().item<double>());
            replaced = std::min(replaced, (part - (1 - gate)).abs().mean().item<double>());
        }
        from += width;
    }
    return replaced < kept;
}

} // namespace unroll::lenses::spectrum
