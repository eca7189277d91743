// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/lens/forecast/forecast.h"

namespace unroll::lenses::forecast {

namespace {

class ForecastLens : public Lens {
public:
    const LensSpec& spec() const override { return m_spec; }

    LensNeeds needs(const LensQuery&) const override { return {{}, true}; }

    Result<std::shared_ptr<const LensData>> see(const ProbeFrame& look, const LensQuery&) const override
    {
        if (look.forecasts.empty())
            return fail("the network does not predict numbers step by step");
        auto data = std::make_shared<ForecastData>();
        data->columns = look.forecasts;
        return data;
    }

private:
    LensSpec m_spec{"forecast", "Forecast", "Predicted and actual values on the first validation window.", false};
};

} // namespace

std::unique_ptr<Lens> make()
{
    return std::make_unique<ForecastLens>();
}

} // namespace unroll::lenses::forecast
