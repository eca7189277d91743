// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/runs/run_progress.h"

#include "core/base/input_file.h"

#include <fmt/format.h>

#include <array>
#include <utility>

namespace unroll {

namespace {

constexpr std::size_t kMostProgressBytes = 1 << 16;

/// The members of progress.json, for writing (const) and reading alike.
template <class Progress>
auto wholeMembers(Progress& p)
{
    return std::array{std::pair{"step", &p.step},
                      std::pair{"tokens", &p.tokens},
                      std::pair{"best_step", &p.bestStep},
                      std::pair{"evaluations_since_best", &p.evaluationsSinceBest},
                      std::pair{"stream_batches", &p.streams.batches},
                      std::pair{"stream_sequences", &p.streams.sequences},
                      std::pair{"stream_steps", &p.streams.steps}};
}

template <class Progress>
auto realMembers(Progress& p)
{
    return std::array{std::pair{"seconds", &p.seconds}, std::pair{"peak_learning_rate", &p.peakLearningRate},
                      std::pair{"learning_rate", &p.learningRate},
                      std::pair{"best_validation_loss", &p.bestValidationLoss}};
}

Json rowToJson(const MetricRow& row)
{
    Json json{JsonObject{}};
    json.add("tokens", row.tokens);
    json.add("seconds", row.seconds);
    Json values{JsonObject{}};
    for (const auto& [name, value] : row.values)
        values.add(name, value);
    json.add("values", std::move(values));
    return json;
}

Result<MetricRow> rowFromJson(const Json& json, std::int64_t step, const std::string& path)
{
    const Json *tokens = json.find("tokens"), *seconds = json.find("seconds"), *values = json.find("values");
    const auto count = tokens == nullptr ? std::nullopt : tokens->asInt();
    const auto time = seconds == nullptr ? std::nullopt : seconds->asReal();
    const JsonObject* named = values == nullptr ? nullptr : values->asObject();
    if (!count || !time || named == nullptr)
        return fail("\"closing\" must hold \"tokens\", \"seconds\" and \"values\"", path);
    MetricRow row{step, *count, *time, {}};
    for (const auto& [name, value] : *named)
        if (const auto number = value.asReal()) // what was not finite is measured again
            row.values[name] = *number;
    return row;
}

/// Nothing where the checkpoint says nothing of it.
Result<std::optional<SchedulePlan>> planFromJson(const Json& json, const std::string& path)
{
    if (json.find("schedule_begin") == nullptr)
        return std::nullopt;
    SchedulePlan plan;
    for (const auto& [key, value] : {std::pair("schedule_begin", &plan.begin), {"schedule_end", &plan.end}}) {
        const Json* member = json.find(key);
        *value = member == nullptr ? -1 : member->asInt().value_or(-1);
        if (*value < 0)
            return fail(fmt::format("\"{}\" must be a whole number of at least 0", key), path);
    }
    const Json *share = json.find("schedule_share"), *warms = json.find("schedule_warms");
    plan.share = share == nullptr ? -1 : share->asReal().value_or(-1);
    if (plan.share < 0)
        return fail("\"schedule_share\" must be a number of at least 0", path);
    if (warms == nullptr || !warms->asBool())
        return fail("\"schedule_warms\" must be true or false", path);
    plan.warms = *warms->asBool();
    return plan;
}

} // namespace

Json progressToJson(const RunProgress& p)
{
    Json json{JsonObject{}};
    for (const auto& [key, value] : wholeMembers(p))
        json.add(key, *value);
    for (const auto& [key, value] : realMembers(p))
        json.add(key, *value);
    json.add("stream_data", p.streams.data);
    if (p.emptyUpdates > 0)
        json.add("updates_without_targets", p.emptyUpdates);
    if (p.plan) {
        json.add("schedule_begin", p.plan->begin);
        json.add("schedule_end", p.plan->end);
        json.add("schedule_share", p.plan->share);
        json.add("schedule_warms", p.plan->warms);
    }
    if (p.closing)
        json.add("closing", rowToJson(*p.closing));
    return json;
}

Result<RunProgress> progressFromJson(const Json& json, const std::string& path)
{
    static const Json nothing;
    const auto member = [&](const char* key) -> const Json& {
        const Json* found = json.find(key);
        return found == nullptr ? nothing : *found;
    };
    RunProgress p;
    for (const auto& [key, value] : wholeMembers(p)) {
        *value = member(key).asInt().value_or(-1);
        if (*value < 0)
            return fail(fmt::format("\"{}\" must be a whole number of at least 0", key), path);
    }
    for (const auto& [key, value] : realMembers(p)) {
        *value = member(key).asReal().value_or(-1);
        if (*value < 0)
            return fail(fmt::format("\"{}\" must be a number of at least 0", key), path);
    }
    const std::string* data = member("stream_data").asString();
    if (data == nullptr)
        return fail("\"stream_data\" must be a string", path);
    p.streams.data = *data;
    if (const Json* empty = json.find("updates_without_targets")) {
        p.emptyUpdates = empty->asInt().value_or(-1);
        if (p.emptyUpdates < 0)
            return fail("\"updates_without_targets\" must be a whole number of at least 0", path);
    }
    auto plan = planFromJson(json, path);
    if (!plan)
        return tl::unexpected(plan.error());
    p.plan = *plan;
    if (const Json* closing = json.find("closing")) {
        auto row = rowFromJson(*closing, p.step, path);
        if (!row)
            return tl::unexpected(row.error());
        p.closing = std::move(*row);
    }
    return p;
}

Result<RunProgress> readProgress(const std::string& path)
{
    const auto text = readWholeFile(path, kMostProgressBytes);
    if (!text)
        return tl::unexpected(text.error());
    auto json = readJson(*text, path);
    if (!json)
        return tl::unexpected(json.error());
    return progressFromJson(*json, path);
}

} // namespace unroll
