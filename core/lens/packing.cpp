// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/lens/packing.h"

#include <algorithm>

namespace unroll {

const LensPacking* findLensPacking(const std::string& lens)
{
    const auto& all = allLensPackings();
    const auto found = std::find_if(all.begin(), all.end(), [&](const LensPacking& each) { return each.lens == lens; });
    return found == all.end() ? nullptr : &*found;
}

Json packedForecasts(const std::vector<Forecast>& forecasts, BlockWriter& blocks)
{
    Json list{JsonArray{}};
    for (const Forecast& forecast : forecasts) {
        Json json{JsonObject{}};
        json.add("column", forecast.column);
        json.add("told", blocks.put(std::span<const float>(forecast.told)));
        json.add("right", blocks.put(std::span<const float>(forecast.right)));
        list.push(std::move(json));
    }
    return list;
}

std::vector<Forecast> unpackedForecasts(const MemberReader& members, const char* name)
{
    return members.each(name, [name](const MemberReader& each) {
        Forecast forecast{each.text("column"), each.floats("told"), each.floats("right")};
        if (forecast.told.size() != forecast.right.size())
            each.wrong(name);
        return forecast;
    });
}

} // namespace unroll
