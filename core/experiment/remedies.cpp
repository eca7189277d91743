// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/experiment/remedies.h"

#include <fmt/format.h>

namespace unroll {

namespace {

Fix set(std::string title, std::string setting, ParamValue value)
{
    return {std::move(title), {}, SettingChange{std::move(setting), std::move(value)}};
}

} // namespace

std::optional<Fix> lowerLearningRate(double peak)
{
    const double lower = peak / 2;
    if (lower <= 0 || !withTrainSetting({}, "learning_rate", lower))
        return {};
    return set(fmt::format("Lower the learning rate to {}", lower), "learning_rate", lower);
}

std::optional<Fix> setBatch(const TrainSettings& settings, std::int64_t batch)
{
    if (batch < 1 || batch >= settings.batch)
        return {};
    return set(fmt::format("Make the batch {} instead of {}", batch, settings.batch), "batch", batch);
}

std::optional<Fix> halveBatch(const TrainSettings& settings)
{
    return setBatch(settings, settings.batch / 2);
}

std::optional<Fix> trainOn(const TrainSettings& settings, std::int64_t done)
{
    if (done < settings.steps)
        return set(fmt::format("Continue to step {} without patience", settings.steps), "patience", std::int64_t{0});
    const std::int64_t more = 2 * settings.steps;
    if (!withTrainSetting(settings, "steps", more))
        return {};
    return set(fmt::format("Continue with {} more steps", settings.steps), "steps", more);
}

Fix useCpu()
{
    return set("Use the CPU", "device", std::string("cpu"));
}

} // namespace unroll
