// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/member_reader.h"
#include "core/base/message.h"

#include <cmath>
#include <gtest/gtest.h>
#include <limits>

namespace unroll {
namespace {

Message greetingMessage(const std::string& body = {})
{
    Message message{Json(JsonObject{}), body};
    message.head.add("kind", "hello");
    message.head.add("words", "grüße");
    return message;
}

TEST(Message, ComesBackWholeFromPiecesOfAnySize)
{
    std::string body = "raw";
    body.push_back('\0');
    const std::string bytes = *messageBytes(greetingMessage(body)) + *messageBytes(greetingMessage());
    for (const std::size_t piece : {std::size_t{1}, std::size_t{7}, bytes.size()}) {
        MessageReader reader;
        std::vector<Message> found;
        for (std::size_t at = 0; at < bytes.size(); at += piece) {
            reader.add(std::string_view(bytes).substr(at, piece));
            for (auto next = reader.next(); next && *next; next = reader.next())
                found.push_back(**next);
        }
        ASSERT_EQ(found.size(), 2u) << piece;
        EXPECT_EQ(found[0].kind(), "hello");
        EXPECT_EQ(found[0].head, greetingMessage().head);
        EXPECT_EQ(found[0].body, body);
        EXPECT_EQ(found[1].body, "");
        EXPECT_FALSE(reader.isInside());
    }
}

TEST(Message, AnotherVersionIsSaidInWords)
{
    MessageReader reader;
    reader.add(*messageBytes(greetingMessage(), kMessageVersion + 1));
    const auto next = reader.next();
    ASSERT_FALSE(next);
    EXPECT_NE(next.error().message.find("version 2 of the protocol and this one version 1"), std::string::npos)
        << next.error().message;
    EXPECT_FALSE(reader.next()) << "there is nothing more to be read";
}

TEST(Message, WhatIsNoMessageIsQuoted)
{
    MessageReader reader;
    reader.add("UN");
    EXPECT_TRUE(reader.next());
    reader.add("IX: welcome to box\nLast login");
    const auto next = reader.next();
    ASSERT_FALSE(next);
    EXPECT_NE(next.error().message.find("UNIX: welcome to box"), std::string::npos) << next.error().message;
    EXPECT_EQ(next.error().message.find("Last login"), std::string::npos);
}

TEST(Message, SizesBeyondTheLimitsAreRefusedBeforeAnythingIsRead)
{
    std::string header = messageBytes(greetingMessage())->substr(0, 8);
    header += std::string(4, '\xff') + std::string(8, '\0');
    MessageReader heads;
    heads.add(header);
    EXPECT_NE(heads.next().error().message.find("at most"), std::string::npos);
    header.replace(8, 4, std::string(4, '\0'));
    header.replace(12, 8, std::string(8, '\x7f'));
    MessageReader bodies;
    bodies.add(header);
    EXPECT_NE(bodies.next().error().message.find("at most"), std::string::npos);
    Message large = greetingMessage();
    large.head.add("much", std::string(kMostHeadBytes, 'x'));
    EXPECT_FALSE(messageBytes(large));
}

TEST(Message, ABrokenHeadIsAnError)
{
    Message list{Json(JsonArray{})};
    MessageReader arrays;
    arrays.add(*messageBytes(list));
    EXPECT_EQ(arrays.next().error().message, "the head of a message is not an object");
    std::string bytes = *messageBytes(greetingMessage());
    bytes[20] = '[';
    MessageReader broken;
    broken.add(bytes);
    EXPECT_FALSE(broken.next());
}

TEST(Message, BytesGoOnAsTheyCame)
{
    const std::string bytes = *messageBytes(greetingMessage("abc"));
    MessageReader reader;
    reader.add(bytes + bytes.substr(0, 30));
    EXPECT_EQ(reader.nextBytes()->value(), bytes);
    EXPECT_FALSE(reader.nextBytes()->has_value());
    EXPECT_EQ(reader.rest(), bytes.substr(0, 30));
}

TEST(NumberBlocks, NumbersComeBackBitForBit)
{
    const double odd = std::nextafter(0.1, 1);
    const std::vector<double> doubles{odd, -0.0, std::numeric_limits<double>::quiet_NaN(), 5e-324};
    const std::vector<float> singles{1.5F, -0.0F, std::numeric_limits<float>::infinity()};
    const std::vector<std::int64_t> wholes{-1, std::numeric_limits<std::int64_t>::max()};
    BlockWriter writer;
    const Json first = writer.put(std::span<const float>(singles)),
               second = writer.put(std::span<const double>(doubles)),
               third = writer.put(std::span<const std::int64_t>(wholes)), fourth = writer.put(std::string_view("raw"));
    const BlockReader reader(writer.bytes());
    EXPECT_EQ(reader.floats(first), singles);
    const auto back = reader.doubles(second).value();
    ASSERT_EQ(back.size(), 4u);
    EXPECT_EQ(back[0], odd);
    EXPECT_TRUE(std::signbit(back[1]));
    EXPECT_TRUE(std::isnan(back[2]));
    EXPECT_EQ(back[3], 5e-324);
    EXPECT_EQ(reader.wholes(third), wholes);
    EXPECT_EQ(reader.raw(fourth), "raw");
    EXPECT_FALSE(reader.floats(second)) << "another type";
}

TEST(NumberBlocks, PlacesOutsideAreRefused)
{
    const BlockReader reader("12345678");
    for (const char* text : {R"(["f32",0,3])", R"(["f32",9,0])", R"(["f32",0,18446744073709551615])", R"(["f32",-1,1])",
                             R"(["f32",0])", R"("f32")", R"([1,0,1])"})
        EXPECT_FALSE(reader.floats(*readJson(text, "test"))) << text;
    EXPECT_TRUE(reader.floats(*readJson(R"(["f32",0,2])", "test")));
}

TEST(MemberReader, TheFirstFaultIsKept)
{
    const Json json = *readJson(R"({"name": "x", "count": "three", "real": "NaN", "flag": 1})", "test");
    const BlockReader blocks({});
    std::string fault;
    const MemberReader members(json, blocks, fault);
    EXPECT_EQ(members.text("name"), "x");
    EXPECT_TRUE(std::isnan(members.real("real")));
    EXPECT_EQ(members.whole("missing", 7), 7);
    EXPECT_EQ(fault, "");
    EXPECT_EQ(members.whole("count", 2), 2);
    EXPECT_FALSE(members.flag("flag"));
    EXPECT_EQ(fault, "count");
}

} // namespace
} // namespace unroll
