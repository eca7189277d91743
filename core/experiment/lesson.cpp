// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/experiment/lesson.h"

#include "core/base/input_file.h"
#include "core/base/json.h"
#include "core/experiment/gallery.h"

#include <fmt/format.h>

namespace unroll {

namespace {

constexpr std::uint64_t kMostBytes = 1 << 20;

tl::unexpected<Error> wrong(const Json& json, const std::string& what, const std::string& source)
{
    return fail(what, fmt::format("{} at byte {}", source, json.offset()));
}

Result<LessonStep> stepFromJson(const Json& json, const std::string& source)
{
    const JsonObject* members = json.asObject();
    if (members == nullptr)
        return wrong(json, fmt::format("a step must be an object; it is {}", json.kind()), source);
    LessonStep step;
    const std::pair<const char*, std::string*> texts[] = {
        {"say", &step.say}, {"at", &step.at}, {"node", &step.node}, {"signal", &step.signal}};
    for (const JsonMember& member : *members) {
        std::string* into = nullptr;
        for (const auto& [key, text] : texts)
            if (member.key == key)
                into = text;
        if (into == nullptr)
            return wrong(member.value, fmt::format("a step has no \"{}\"", member.key), source);
        if (member.value.asString() == nullptr)
            return wrong(member.value, fmt::format("\"{}\" must be a string", member.key), source);
        *into = *member.value.asString();
    }
    if (step.say.empty() || step.at.empty())
        return wrong(json, "a step needs \"say\" and \"at\"", source);
    return step;
}

Result<std::vector<LessonStep>> stepsFromJson(const Json& json, const std::string& source)
{
    if (json.asArray() == nullptr)
        return wrong(json, fmt::format("\"steps\" must be an array; it is {}", json.kind()), source);
    std::vector<LessonStep> steps;
    for (const Json& entry : *json.asArray()) {
        auto step = stepFromJson(entry, source);
        if (!step)
            return tl::unexpected(step.error());
        steps.push_back(std::move(*step));
    }
    return steps;
}

Result<void> readMember(const JsonMember& member, Lesson& lesson, const std::string& source)
{
    if (member.key == "order") {
        const auto order = member.value.asInt();
        if (!order)
            return wrong(member.value, "\"order\" must be a whole number", source);
        lesson.order = *order;
    } else if (member.key == "training_seconds") {
        const auto seconds = member.value.asReal();
        if (!seconds || *seconds < 0)
            return wrong(member.value, "\"training_seconds\" must be a number of at least 0", source);
        lesson.trainingSeconds = *seconds;
    } else if (member.key == "steps") {
        auto steps = stepsFromJson(member.value, source);
        if (!steps)
            return tl::unexpected(steps.error());
        lesson.steps = std::move(*steps);
    } else {
        return wrong(member.value, fmt::format("a lesson has no \"{}\"", member.key), source);
    }
    return {};
}

} // namespace

Result<Lesson> lessonFromText(std::string_view text, const std::string& source)
{
    const auto json = readJson(text, source);
    if (!json)
        return tl::unexpected(json.error());
    if (json->asObject() == nullptr)
        return wrong(*json, fmt::format("a lesson must be an object; it is {}", json->kind()), source);
    Lesson lesson;
    for (const JsonMember& member : *json->asObject())
        if (auto read = readMember(member, lesson, source); !read)
            return tl::unexpected(read.error());
    return lesson;
}

Result<Lesson> lessonOf(const std::filesystem::path& experiment)
{
    std::filesystem::path file = resourceFolder() / "lessons" / experiment.stem();
    file += ".json";
    std::error_code error;
    if (!std::filesystem::exists(file, error))
        return Lesson{};
    const auto text = readWholeFile(file, kMostBytes);
    if (!text)
        return tl::unexpected(text.error());
    return lessonFromText(*text, file.string());
}

} // namespace unroll
