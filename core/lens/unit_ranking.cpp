// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/lens/unit_ranking.h"

#include <algorithm>

namespace unroll {

std::vector<std::int64_t> rankedRows(const LensData& data, const std::string& node, const std::string& signal,
                                     std::int64_t width)
{
    const auto* ranking = dynamic_cast<const UnitRanking*>(&data);
    if (ranking == nullptr)
        return {};
    std::vector<bool> placed(static_cast<std::size_t>(width));
    std::vector<std::int64_t> rows;
    const auto place = [&](std::int64_t unit) {
        if (unit < 0 || unit >= width || placed[static_cast<std::size_t>(unit)])
            return;
        placed[static_cast<std::size_t>(unit)] = true;
        rows.push_back(unit);
    };
    for (const std::int64_t unit : ranking->unitsRanked(node, signal))
        place(unit);
    for (std::int64_t unit = 0; unit < width; ++unit)
        place(unit);
    return rows;
}

LensQuery rankingQuery(const std::string& node, const std::string& signal)
{
    return {"tracks", node, signal, {{"probes", false}}};
}

} // namespace unroll
