// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/lens/trajectory/feature_shade.h"

#include "core/base/nearest.h"
#include "core/base/number_text.h"
#include "core/data/features/features.h"
#include "core/lens/probe.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <limits>

namespace unroll::lenses::trajectory {

namespace {

/// The reading with what lies about it in the data.
ReadSequence readingWithin(const ProbeText& text)
{
    ReadSequence read;
    read.tokens = text.before;
    read.tokens.insert(read.tokens.end(), text.tokens.begin(), text.tokens.end());
    read.tokens.insert(read.tokens.end(), text.behind.begin(), text.behind.end());
    read.targets.assign(text.before.size(), kIgnoredTarget);
    read.targets.insert(read.targets.end(), text.asked.begin(), text.asked.end());
    read.features = text.features;
    read.values = text.values;
    read.from = std::ssize(text.before);
    read.to = read.from + static_cast<std::int64_t>(text.steps());
    read.steps = std::max(read.to, std::ssize(read.tokens));
    read.targets.resize(static_cast<std::size_t>(read.steps), kIgnoredTarget);
    read.begins = text.begins;
    return read;
}

struct Ends {
    float low = std::numeric_limits<float>::infinity(), high = -low;

    bool differ() const { return low < high; }
};

Ends endsOf(const Feature& feature)
{
    Ends ends;
    for (const float value : feature.values)
        if (std::isfinite(value)) {
            ends.low = std::min(ends.low, value);
            ends.high = std::max(ends.high, value);
        }
    return ends;
}

Result<const Feature*> chosenOf(const std::vector<Feature>& features, const std::string& asked)
{
    if (features.empty())
        return fail("these data have no features to colour points by");
    if (asked.empty()) {
        const auto varies = [](const Feature& feature) { return endsOf(feature).differ(); };
        const auto first = std::find_if(features.begin(), features.end(), varies);
        return first != features.end() ? Result<const Feature*>(&*first)
                                       : fail("no feature of these data changes in this reading");
    }
    std::vector<std::string> names;
    for (const Feature& feature : features) {
        if (asked == feature.name || asked == feature.id)
            return &feature;
        names.push_back(feature.name);
    }
    return fail(fmt::format("these data have no feature named {}{}", asked, suggestion(asked, names)));
}

} // namespace

Result<FeatureShade> featureShade(const ProbeText& text, const Dataset& data, const std::string& asked)
{
    const std::vector<Feature> features = featuresOf(data, {readingWithin(text)});
    const auto chosen = chosenOf(features, asked);
    if (!chosen)
        return tl::unexpected(chosen.error());
    const Feature& feature = **chosen;
    const Ends ends = endsOf(feature);
    if (ends.low > ends.high)
        return fail(fmt::format("{} are not known at any step of this reading", feature.name));
    FeatureShade made;
    made.values.assign(feature.values.begin(), feature.values.end());
    const double low = feature.binary() ? 0 : static_cast<double>(ends.low);
    const double range = feature.binary() ? 1 : static_cast<double>(ends.high) - low;
    for (const double value : made.values)
        made.shade.push_back(range > 0 ? (value - low) / range : value - low);
    made.words = feature.binary() ? fmt::format("{}: 1 {}, else 0", feature.name, feature.when)
                                  : fmt::format("{}, {:.4g} to {:.4g}", feature.name, ends.low, ends.high);
    return made;
}

} // namespace unroll::lenses::trajectory
