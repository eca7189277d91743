// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/lens/answers/answers.h"
#include "core/lens/packing.h"

namespace unroll::lenses::answers {

namespace {

/// The answers as columns, one number or word a step; likeliest classes one behind another with their count a step.
Json packedAnswers(const std::vector<StepAnswer>& answers, BlockWriter& blocks)
{
    std::vector<std::string> came, labels;
    std::vector<double> probability, loss, chances;
    std::vector<std::int64_t> asked, likeliest;
    for (const StepAnswer& answer : answers) {
        came.push_back(answer.came);
        probability.push_back(answer.probability);
        loss.push_back(answer.loss);
        asked.push_back(answer.asked);
        likeliest.push_back(std::ssize(answer.likeliest));
        for (const ClassChance& chance : answer.likeliest) {
            labels.push_back(chance.label);
            chances.push_back(chance.probability);
        }
    }
    Json json{JsonObject{}};
    json.add("came", wordsJson(came));
    json.add("probability", blocks.put(std::span<const double>(probability)));
    json.add("loss", blocks.put(std::span<const double>(loss)));
    json.add("asked", blocks.put(std::span<const std::int64_t>(asked)));
    json.add("likeliest", blocks.put(std::span<const std::int64_t>(likeliest)));
    json.add("labels", wordsJson(labels));
    json.add("chances", blocks.put(std::span<const double>(chances)));
    return json;
}

std::vector<StepAnswer> unpackedAnswers(const MemberReader& members)
{
    const auto came = members.texts("came"), labels = members.texts("labels");
    const auto probability = members.doubles("probability"), loss = members.doubles("loss"),
               chances = members.doubles("chances");
    const auto asked = members.wholes("asked"), likeliest = members.wholes("likeliest");
    const std::size_t count = came.size();
    if (probability.size() != count || loss.size() != count || asked.size() != count || likeliest.size() != count ||
        labels.size() != chances.size()) {
        members.wrong("answers");
        return {};
    }
    std::vector<StepAnswer> answers;
    std::size_t next = 0;
    for (std::size_t step = 0; step < count; ++step) {
        StepAnswer answer{came[step], probability[step], loss[step], {}, asked[step]};
        if (likeliest[step] < 0 || static_cast<std::size_t>(likeliest[step]) > labels.size() - next) {
            members.wrong("likeliest");
            return answers;
        }
        for (std::int64_t i = 0; i < likeliest[step]; ++i, ++next)
            answer.likeliest.push_back({labels[next], chances[next]});
        answers.push_back(std::move(answer));
    }
    return answers;
}

Json packAnswers(const LensData& given, BlockWriter& blocks)
{
    const auto* data = dynamic_cast<const AnswersData*>(&given);
    if (data == nullptr)
        return {};
    Json json{JsonObject{}};
    json.add("labels", wordsJson(data->labels));
    json.add("answers", packedAnswers(data->answers, blocks));
    json.add("forecasts", packedForecasts(data->forecasts, blocks));
    json.add("of", data->of);
    json.add("loss_unit", data->lossUnit);
    json.add("cursor", data->cursor);
    return json;
}

std::shared_ptr<const LensData> unpackAnswers(const MemberReader& members)
{
    auto data = std::make_shared<AnswersData>();
    data->labels = members.texts("labels");
    members.inside("answers", [&](const MemberReader& answers) { data->answers = unpackedAnswers(answers); });
    data->forecasts = unpackedForecasts(members, "forecasts");
    data->of = members.text("of");
    data->lossUnit = members.text("loss_unit");
    data->cursor = members.whole("cursor", -1);
    if (data->answers.empty() || data->cursor >= std::ssize(data->answers))
        members.wrong("answers");
    for (const Forecast& column : data->forecasts)
        if (column.told.size() != data->answers.size())
            members.wrong("forecasts");
    return data;
}

} // namespace

LensPacking packing()
{
    return {"answers", packAnswers, unpackAnswers};
}

} // namespace unroll::lenses::answers
