// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/lens/alike/windows.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <set>

namespace unroll::lenses::alike {

Pattern patternOf(std::span<const float> values, std::int64_t width, const std::vector<AlikeUnit>& units)
{
    Pattern pattern;
    pattern.steps = std::ssize(values) / width;
    pattern.words = (units.size() + 63) / 64;
    pattern.on.assign(static_cast<std::size_t>(pattern.steps) * pattern.words, 0);
    pattern.known = pattern.on;
    for (std::int64_t step = 0; step < pattern.steps; ++step)
        for (std::size_t i = 0; i < units.size(); ++i) {
            const double value = static_cast<double>(values[static_cast<std::size_t>(step * width + units[i].unit)]);
            const std::size_t word = static_cast<std::size_t>(step) * pattern.words + i / 64;
            const std::uint64_t bit = std::uint64_t{1} << (i % 64);
            if (!std::isfinite(value)) {
                ++pattern.missing;
                continue;
            }
            pattern.known[word] |= bit;
            if (value > units[i].threshold)
                pattern.on[word] |= bit;
        }
    return pattern;
}

double quantileOf(std::vector<double> values, double share)
{
    std::erase_if(values, [](double value) { return !std::isfinite(value); });
    if (values.empty())
        return std::numeric_limits<double>::quiet_NaN();
    const double place = share * static_cast<double>(values.size() - 1);
    const auto below = values.begin() + static_cast<std::ptrdiff_t>(place);
    std::nth_element(values.begin(), below, values.end());
    const double low = *below, part = place - std::floor(place);
    return part > 0 ? low + part * (*std::min_element(below + 1, values.end()) - low) : low;
}

namespace {

std::int64_t agreeing(const Pattern& stream, std::int64_t step, const Pattern& span)
{
    std::int64_t pairs = 0;
    const std::size_t offset = static_cast<std::size_t>(step) * stream.words;
    for (std::size_t i = 0; i < span.on.size(); ++i)
        pairs += std::popcount(~(stream.on[offset + i] ^ span.on[i]) & stream.known[offset + i] & span.known[i]);
    return pairs;
}

} // namespace

std::vector<Window> scoredWindows(const std::vector<Pattern>& streams, const Pattern& span,
                                  const std::optional<SpanPlace>& own)
{
    std::vector<Window> windows;
    for (std::size_t stream = 0; stream < streams.size(); ++stream)
        for (std::int64_t step = 0; step + span.steps <= streams[stream].steps; ++step)
            if (!own || own->stream != stream || std::abs(step - own->step) >= span.steps)
                windows.push_back({stream, step, agreeing(streams[stream], step, span)});
    return windows;
}

std::vector<Window> bestWindows(std::vector<Window> windows, std::int64_t length, std::size_t most)
{
    std::stable_sort(windows.begin(), windows.end(),
                     [](const Window& a, const Window& b) { return a.agreeing > b.agreeing; });
    std::vector<Window> best;
    std::set<std::pair<std::size_t, std::int64_t>> covered;
    for (const Window& window : windows) {
        if (best.size() == most)
            break;
        if (covered.contains({window.stream, window.step}) ||
            covered.contains({window.stream, window.step + length - 1}))
            continue;
        best.push_back(window);
        for (std::int64_t i = 0; i < length; ++i)
            covered.insert({window.stream, window.step + i});
    }
    return best;
}

} // namespace unroll::lenses::alike
