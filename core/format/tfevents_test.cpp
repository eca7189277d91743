// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/format/tfevents.h"

#include "core/format/crc32c.h"
#include "core/format/protobuf.h"
#include "tests/support/test_folder.h"

#include <fmt/format.h>
#include <gmock/gmock.h>

namespace unroll::format {
namespace {

std::string hex(std::string_view bytes)
{
    std::string text;
    for (const char c : bytes)
        text += fmt::format("{:02x}", static_cast<unsigned char>(c));
    return text;
}

constexpr std::string_view kVersionHex =
    "1800000000000000a37f4b2209000000000000f03f1a0d627261696e2e4576656e743a3286bf577a";
constexpr std::string_view kScalarHex =
    "200000000000000029eda95009000000000000004010012a130a110a0a747261696e2f6c6f7373150000003fbe966704";

TEST(Crc32c, GivesTheCheckValue)
{
    EXPECT_EQ(crc32c("123456789"), 0xe3069283U);
    EXPECT_EQ(crc32c(""), 0U);
    EXPECT_EQ(crc32c(std::string(32, '\0')), 0x8a9136aaU); // RFC 3720, B.4
    EXPECT_EQ(crc32c(std::string(32, '\xff')), 0x62a8ab43U);
}

TEST(Protobuf, EncodesVarintsOfEveryLength)
{
    EXPECT_EQ(hex(ProtobufMessage().varint(1, 0).varint(1, 127).varint(1, 128).varint(16, 300).encoded()),
              "0800087f08800180"
              "01ac02");
    EXPECT_EQ(hex(ProtobufMessage().integer(2, -1).encoded()), "10ffffffffffffffffff01");
}

TEST(TfEvents, GivesTheRecordsOfTheReference)
{
    EXPECT_EQ(hex(tfVersionRecord(1)), kVersionHex);
    EXPECT_EQ(hex(tfScalarsRecord(2, {1, {{"train/loss", 0.5}}})), kScalarHex);
}

TEST(TfEvents, AFileBeginsWithItsVersionAndGrows)
{
    const TestFolder folder;
    auto writer = TfEventsWriter::create(folder.path(), 1);
    ASSERT_TRUE(writer);
    EXPECT_THAT(writer->path().filename().string(),
                testing::MatchesRegex("events\\.out\\.tfevents\\.0000000001\\..*\\.[0-9]+\\.0"));
    EXPECT_EQ(hex(contentOf(writer->path())), kVersionHex);
    ASSERT_TRUE(writer->scalars(2, {1, {{"train/loss", 0.5}}}));
    ASSERT_TRUE(writer->scalars(3, {2, {}}));
    EXPECT_EQ(hex(contentOf(writer->path())), std::string(kVersionHex) + std::string(kScalarHex));
    const auto second = TfEventsWriter::create(folder.path(), 1);
    ASSERT_TRUE(second);
    EXPECT_THAT(second->path().string(), testing::EndsWith(".1"));
    EXPECT_FALSE(TfEventsWriter::create(folder / "none", 1));
}

} // namespace
} // namespace unroll::format
