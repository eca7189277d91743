// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/lens/tracks/statistics.h"
#include "core/lens/tracks/tracks.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <tuple>

namespace unroll {

namespace {

using lenses::tracks::strengthOf;

/// Where a unit stands.
struct RankedUnit {
    std::size_t rank = 0; ///< of its feature
    double strength = 0;
    std::int64_t unit = 0;
};

/// By the feature that it follows most closely of those that it is found to follow; nothing: of none.
std::optional<RankedUnit> placeOf(const TracksData& data, const TrackedLayer& layer, std::size_t u)
{
    std::optional<RankedUnit> place;
    for (std::size_t rank = 0; rank < data.best.size(); ++rank) {
        const std::size_t f = data.best[rank].feature, at = f * layer.units.size() + u;
        const TrackedFeature& feature = data.features[f];
        const double strength = strengthOf(layer.scores[at], feature.binary());
        if (std::isnan(strength) || !(layer.q[at] <= kFalseDiscoveries) ||
            !(strength > strengthOf(feature.chance, feature.binary())))
            continue;
        if (!place || strength > place->strength)
            place = {rank, strength, layer.units[u]};
    }
    return place;
}

} // namespace

std::vector<std::int64_t> TracksData::unitsRanked(const std::string& node, const std::string& signal) const
{
    const auto layer = std::find_if(layers.begin(), layers.end(), [&](const TrackedLayer& each) {
        return each.node == node && each.signal == signal;
    });
    if (layer == layers.end())
        return {};
    std::vector<RankedUnit> places;
    for (std::size_t u = 0; u < layer->units.size(); ++u)
        if (const auto place = placeOf(*this, *layer, u))
            places.push_back(*place);
    std::stable_sort(places.begin(), places.end(), [](const RankedUnit& a, const RankedUnit& b) {
        return std::tuple(a.rank, -a.strength) < std::tuple(b.rank, -b.strength);
    });
    std::vector<std::int64_t> units;
    for (const RankedUnit& place : places)
        units.push_back(place.unit);
    return units;
}

} // namespace unroll
