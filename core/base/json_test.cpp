// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/json.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <random>

namespace unroll {
namespace {

std::string messageOf(const std::string& text)
{
    const auto json = readJson(text, "f.json");
    return json ? "read without error" : json.error().message;
}

TEST(JsonReader, KeepsOrderNumbersAndOffsets)
{
    const std::string text = "  {\"b\": [1, -2.50, 1e-3, 12345678901234567890],\n \"a\": {\"x\": null, \"y\": "
                             "\"\\u00e9\\\"\"}, \"c\": true}";
    const auto json = readJson(text, "f.json");
    ASSERT_TRUE(json) << json.error().text();
    const JsonObject& object = *json->asObject();
    EXPECT_EQ(object[0].key, "b");
    EXPECT_EQ(object[1].key, "a");
    EXPECT_EQ(writeJson(*json, 0),
              R"({"b": [1, -2.50, 1e-3, 12345678901234567890], "a": {"x": null, "y": "é\""}, "c": true})");
    EXPECT_EQ(json->offset(), 2u);
    EXPECT_EQ(text.substr(object[0].value.offset(), 2), "[1");
    EXPECT_EQ(text.substr((*object[0].value.asArray())[1].offset(), 5), "-2.50");
    EXPECT_EQ(text.substr(object[1].value.find("y")->offset(), 3), "\"\\u");
    EXPECT_EQ(text.substr(object[2].value.offset()), "true}");
}

TEST(JsonReader, ReadsNumbersExactly)
{
    const auto json = readJson(
        "[9223372036854775807, 9223372036854775808, -9223372036854775808, 1.5, 1e3, 1e-400, -1e-400, 0, -0]", "");
    ASSERT_TRUE(json) << json.error().text();
    const JsonArray& numbers = *json->asArray();
    EXPECT_EQ(numbers[0].asInt(), std::numeric_limits<std::int64_t>::max());
    EXPECT_EQ(numbers[1].asInt(), std::nullopt);
    EXPECT_EQ(numbers[1].asReal(), 9223372036854775808.0);
    EXPECT_EQ(numbers[2].asInt(), std::numeric_limits<std::int64_t>::min());
    EXPECT_EQ(numbers[3].asInt(), std::nullopt);
    EXPECT_EQ(numbers[4].asInt(), std::nullopt);
    EXPECT_EQ(numbers[4].asReal(), 1000.0);
    EXPECT_EQ(numbers[5].asReal(), 0.0);
    EXPECT_TRUE(std::signbit(*numbers[6].asReal()));
    EXPECT_EQ(numbers[7].asInt(), 0);
    EXPECT_EQ(writeJson(numbers[8]), "-0");
}

TEST(JsonReader, NamesThePlaceOfAMistake)
{
    EXPECT_EQ(messageOf("{\"a\": 1,\n  \"a\": 2}"),
              "not valid JSON at byte 11 (line 2, column 3): the member \"a\" occurs twice in one object");
    EXPECT_EQ(messageOf("[1, 2,\n nul]"),
              "not valid JSON at byte 11 (line 2, column 5): invalid literal; last read: '2,<U+000A> nul]'");
    for (const char* text : {"",        " ",          "{",       "[1",          "[1,]",     "{\"a\"}",      "{\"a\":}",
                             "[NaN]",   "[Infinity]", "[01]",    "[+1]",        "[1.]",     "[.5]",         "'a'",
                             "[1] 2",   "{1: 2}",     "\"\\x\"", "\"\\ud800\"", "\"\xff\"", "\"\xc0\x80\"", "\"a\nb\"",
                             "// c\n1", "[1e999]",    "\"open",  "tru"}) {
        SCOPED_TRACE(text);
        EXPECT_EQ(messageOf(text).substr(0, 22), "not valid JSON at byte");
    }
    EXPECT_NE(messageOf("[1e999]").find("a number is out of range"), std::string::npos);
    EXPECT_EQ(readJson("[", "my.unroll").error().place, "my.unroll");
}

std::string nested(std::size_t depth)
{
    return std::string(depth, '[') + std::string(depth, ']');
}

TEST(JsonReader, LimitsTheDepth)
{
    EXPECT_TRUE(readJson(nested(64), ""));
    EXPECT_NE(messageOf(nested(65)).find("byte 64 (column 65): nested deeper than 64 levels"), std::string::npos);
    EXPECT_NE(messageOf(std::string(10'000'000, '[')).find("nested deeper"), std::string::npos);
    std::string objects;
    for (int i = 0; i < 100'000; ++i)
        objects += "{\"a\":";
    EXPECT_NE(messageOf(objects).find("nested deeper"), std::string::npos);
}

TEST(JsonReader, LimitsTheNumberOfValues)
{
    std::string many = "[";
    for (int i = 0; i < 4'000'001; ++i)
        many += "1,";
    EXPECT_NE(messageOf(many + "1]").find("more than 4000000 values"), std::string::npos);
}

TEST(JsonReader, SkipsAByteOrderMarkAndKeepsZeroBytes)
{
    const auto json = readJson("\xEF\xBB\xBF[\"a\\u0000b\"]", "");
    ASSERT_TRUE(json);
    EXPECT_EQ(json->offset(), 3u);
    EXPECT_EQ(*(*json->asArray())[0].asString(), std::string("a\0b", 3));
    EXPECT_EQ(writeJson(*json, 0), "[\"a\\u0000b\"]");
}

TEST(JsonReader, AcceptsManyMembersInReasonableTime)
{
    std::string text = "{";
    for (int i = 0; i < 100'000; ++i)
        text += "\"m" + std::to_string(i) + "\": 1,";
    EXPECT_TRUE(readJson(text + "\"z\": 1}", ""));
    EXPECT_NE(messageOf(text + "\"m77\": 1}").find("\"m77\" occurs twice"), std::string::npos);
}

TEST(JsonWriter, WritesNumbers)
{
    EXPECT_EQ(writeJson(Json(1.0)), "1.0");
    EXPECT_EQ(writeJson(Json(0.1)), "0.1");
    EXPECT_EQ(writeJson(Json(-0.0)), "-0.0");
    EXPECT_EQ(writeJson(Json(1e300)), "1e+300");
    EXPECT_EQ(writeJson(Json(1e-5)), "1e-05");
    EXPECT_EQ(writeJson(Json(std::uint64_t{18446744073709551615u})), "18446744073709551615");
    EXPECT_EQ(writeJson(Json(std::numeric_limits<double>::quiet_NaN())), "\"NaN\"");
    EXPECT_EQ(writeJson(Json(-std::numeric_limits<double>::infinity())), "\"-Infinity\"");
}

TEST(JsonWriter, RealsReadBackEqual)
{
    std::mt19937_64 random(7);
    for (int i = 0; i < 20'000; ++i) {
        const std::uint64_t bits = random();
        double value = 0;
        std::memcpy(&value, &bits, sizeof value);
        if (!std::isfinite(value))
            continue;
        const std::string text = writeJson(Json(value));
        EXPECT_NE(text.find_first_of(".e"), std::string::npos) << text;
        EXPECT_EQ(readJson(text, "")->asReal(), value) << text;
    }
}

TEST(JsonWriter, LaysOutSoThatLinesAreUnits)
{
    const std::string text = R"({
  "nodes": [
    {"id": 1, "at": [0, 40], "params": {"units": 64, "note": "a"}},
    {"id": 2, "at": [200, 40], "params": {}}
  ],
  "wires": [
    "a.y -> b.x"
  ],
  "none": [],
  "numbers": [1, 2, 3],
  "flat": {"a": 1, "b": null}
})";
    EXPECT_EQ(writeJson(*readJson(text, "")), text);
    EXPECT_EQ(writeJson(*readJson(text, ""), 0).find('\n'), std::string::npos);
}

TEST(JsonWriter, BreaksWhatIsTooLong)
{
    Json long1(JsonObject{{"first", std::string(40, 'a')}, {"second", std::string(40, 'b')}});
    EXPECT_EQ(writeJson(long1).find('\n'), std::string::npos);
    const std::string text = writeJson(long1, 80);
    EXPECT_EQ(text,
              "{\n  \"first\": \"" + std::string(40, 'a') + "\",\n  \"second\": \"" + std::string(40, 'b') + "\"\n}");
}

TEST(JsonWriter, ReplacesBytesThatAreNoUtf8)
{
    const std::string text = writeJson(Json(std::string("a\xff\xc3z\t\x01")));
    EXPECT_EQ(text, "\"a\xEF\xBF\xBD\xEF\xBF\xBDz\\t\\u0001\"");
    EXPECT_TRUE(readJson(text, ""));
}

/// A random value; depth bounds it.
Json randomJson(std::mt19937_64& random, int depth)
{
    switch (random() % (depth > 0 ? 8 : 6)) {
    case 0: return {};
    case 1: return random() % 2 == 0;
    case 2: return static_cast<std::int64_t>(random());
    case 3: return static_cast<double>(random() % 1000) / 7;
    case 4: return Json::number("1.50e-2");
    case 5: {
        static constexpr const char* kPieces[] = {"a", "\"", "\\", "/", "\n", "\t", "\x01", "\x7f", " ", "é", "€", "𝄞"};
        std::string text;
        for (std::size_t i = random() % 12; i > 0; --i)
            text += kPieces[random() % std::size(kPieces)];
        return text;
    }
    case 6: {
        Json array{JsonArray()};
        for (std::size_t i = random() % 5; i > 0; --i)
            array.push(randomJson(random, depth - 1));
        return array;
    }
    default: {
        Json object{JsonObject()};
        for (std::size_t i = random() % 5; i > 0; --i)
            object.add("k" + std::to_string(i) + std::string(random() % 9, '.'), randomJson(random, depth - 1));
        return object;
    }
    }
}

TEST(Json, RandomValuesSurviveARoundTripAtAnyWidth)
{
    std::mt19937_64 random(11);
    for (int i = 0; i < 3'000; ++i) {
        const Json value = randomJson(random, 6);
        const int width = static_cast<int>(random() % 140);
        const std::string text = writeJson(value, width);
        const auto again = readJson(text, "");
        ASSERT_TRUE(again) << again.error().text() << "\n" << text;
        ASSERT_TRUE(*again == value) << text;
        ASSERT_EQ(writeJson(*again, width), text);
    }
}

TEST(Json, MutatedTextNeverThrows)
{
    std::mt19937_64 random(13);
    for (int i = 0; i < 20'000; ++i) {
        std::string text = writeJson(randomJson(random, 4), 60);
        for (std::size_t flips = 1 + random() % 3; flips > 0; --flips)
            text[random() % text.size()] = static_cast<char>(random());
        const auto json = readJson(text, "");
        if (json)
            EXPECT_TRUE(readJson(writeJson(*json), ""));
        else
            EXPECT_FALSE(json.error().message.empty());
    }
}

} // namespace
} // namespace unroll
