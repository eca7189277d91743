// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/lens/forecast/forecast.h"
#include "core/lens/packing.h"

namespace unroll::lenses::forecast {

namespace {

Json packForecast(const LensData& given, BlockWriter& blocks)
{
    const auto* data = dynamic_cast<const ForecastData*>(&given);
    if (data == nullptr)
        return {};
    Json json{JsonObject{}};
    json.add("columns", packedForecasts(data->columns, blocks));
    json.add("of", data->of);
    return json;
}

std::shared_ptr<const LensData> unpackForecast(const MemberReader& members)
{
    auto data = std::make_shared<ForecastData>();
    data->columns = unpackedForecasts(members, "columns");
    data->of = members.text("of");
    if (data->columns.empty())
        members.wrong("columns");
    return data;
}

} // namespace

LensPacking packing()
{
    return {"forecast", packForecast, unpackForecast};
}

} // namespace unroll::lenses::forecast
