// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/format/safetensors.h"

#include "core/format/failing_calls.h"
#include "core/format/test_sample_tensors.h"
#include "tests/support/test_folder.h"

#include <array>
#include <gmock/gmock.h>

namespace unroll::format {
namespace {

using testing::HasSubstr;

TEST(Safetensors, GivesBackWhatWasWritten)
{
    const TestFolder folder;
    SampleTensors samples = everyCommonTensor();
    for (const DType dtype : {DType::F4, DType::F6E2M3, DType::F6E3M2, DType::F8E5M2, DType::F8E4M3, DType::F8E8M0,
                              DType::F8E4M3Fnuz, DType::F8E5M2Fnuz})
        samples.add(std::string(dtypeName(dtype)), dtype, {4, 2});
    const std::map<std::string, std::string> metadata = {
        {"format", "pt"}, {"tied", "a=b"}, {"ключ\n", "\x01\x7f \"\\\b\f\r\t/"}, {"", ""}};
    ASSERT_TRUE(writeSafetensors(folder / "f", samples.views(), metadata));
    const auto file = SafetensorsFile::open(folder / "f");
    ASSERT_TRUE(file) << file.error().text();
    EXPECT_EQ(file->size(), samples.views().size());
    EXPECT_EQ(file->metadata(), metadata);
    for (const TensorView& written : samples.views()) {
        const auto read = file->read(written.name);
        ASSERT_TRUE(read) << read.error().text();
        EXPECT_EQ(read->name, written.name);
        EXPECT_EQ(read->dtype, written.dtype);
        EXPECT_EQ(read->shape, written.shape);
        EXPECT_EQ(bytesOf(read->view()), bytesOf(written));
    }
    EXPECT_EQ(readSafetensors(folder / "f")->size(), samples.views().size());
}

TEST(Safetensors, LaysOutTheFileAsTheFormatSays)
{
    const TestFolder folder;
    const std::array<std::int32_t, 4> counts = {1, 2, 3, -1};
    const std::array<double, 1> wide = {0.5};
    const std::array<TensorView, 3> tensors = {{
        {"b", DType::I32, {2}, std::as_bytes(std::span(counts)).data() + 8, 8},
        {"z", DType::F64, {}, std::as_bytes(std::span(wide)).data(), 8},
        {"a", DType::I32, {2, 1}, std::as_bytes(std::span(counts)).data(), 8},
    }};
    ASSERT_TRUE(writeSafetensors(folder / "f", tensors, {{"k", "v"}}));
    std::string header = R"({"__metadata__":{"k":"v"},"z":{"dtype":"F64","shape":[],"data_offsets":[0,8]},)"
                         R"("a":{"dtype":"I32","shape":[2,1],"data_offsets":[8,16]},)"
                         R"("b":{"dtype":"I32","shape":[2],"data_offsets":[16,24]}})";
    header.resize((header.size() + 7) / 8 * 8, ' ');
    std::string expected = {static_cast<char>(header.size()), 0, 0, 0, 0, 0, 0, 0};
    expected +=
        header + std::string("\0\0\0\0\0\0\xe0\x3f", 8) + std::string("\1\0\0\0\2\0\0\0\3\0\0\0\xff\xff\xff\xff", 16);
    EXPECT_EQ(contentOf(folder / "f"), expected);
}

TEST(Safetensors, WritesAFileWithoutTensors)
{
    const TestFolder folder;
    ASSERT_TRUE(writeSafetensors(folder / "f", {}));
    EXPECT_EQ(contentOf(folder / "f"), std::string("\x08\0\0\0\0\0\0\0{}      ", 16));
    EXPECT_EQ(SafetensorsFile::open(folder / "f")->size(), 0U);
}

TEST(Safetensors, RefusesToWriteWhatCouldNotBeRead)
{
    const TestFolder folder;
    const std::array<std::byte, 8> data = {};
    const auto error = [&](std::vector<TensorView> tensors, std::map<std::string, std::string> metadata = {}) {
        const auto written = writeSafetensors(folder / "f", tensors, metadata);
        return written ? std::string("written") : written.error().text();
    };
    EXPECT_THAT(error({{"a", DType::F32, {2}, data.data(), 7}}),
                HasSubstr("'a' of F32 [2] takes 8 bytes, 7 were given"));
    EXPECT_THAT(error({{"a", DType::F32, {-1}, data.data(), 4}}), HasSubstr("has no size"));
    EXPECT_THAT(error({{"a", DType::F4, {3}, data.data(), 1}}), HasSubstr("has no size"));
    EXPECT_THAT(error({{"a", DType::U8, {1}, data.data(), 1}, {"a", DType::F32, {1}, data.data(), 4}}),
                HasSubstr("'a' occurs twice"));
    EXPECT_THAT(error({{"__metadata__", DType::U8, {1}, data.data(), 1}}), HasSubstr("cannot be called"));
    EXPECT_THAT(error({{"a/b", DType::U8, {1}, data.data(), 1}}), HasSubstr("contains '/'"));
    EXPECT_THAT(error({{"a..b", DType::U8, {1}, data.data(), 1}}), HasSubstr("contains '..'"));
    EXPECT_THAT(error({{std::string("a\0b", 3), DType::U8, {1}, data.data(), 1}}), HasSubstr("NUL"));
    EXPECT_THAT(error({{"a\xff", DType::U8, {1}, data.data(), 1}}), HasSubstr("'a\\xff' is not UTF-8"));
    EXPECT_THAT(error({{std::string(4097, 'a'), DType::U8, {1}, data.data(), 1}}), HasSubstr("4097 bytes long"));
    EXPECT_THAT(error({}, {{"k", "\xc0\x80"}}), HasSubstr("metadata 'k' is not UTF-8"));
    EXPECT_EQ(folder.entries(), 0U);
}

TEST(Safetensors, AFailedWriteKeepsTheOldWeights)
{
    const TestFolder folder;
    const SampleTensors samples = everyCommonTensor();
    ASSERT_TRUE(writeSafetensors(folder / "f", samples.views()));
    const std::string old = contentOf(folder / "f");
    for (int n = 1; n < 12; ++n) {
        FailingCalls calls(n, FailingCalls::Mode::FromThere, ENOSPC);
        const auto written = writeSafetensors(folder / "f", {}, {}, calls);
        EXPECT_TRUE(contentOf(folder / "f") == old || (!written && written.error().message.starts_with("saved, but")));
    }
}

TEST(Safetensors, NamesWhatItLacks)
{
    const TestFolder folder;
    ASSERT_TRUE(writeSafetensors(folder / "f", everyCommonTensor().views()));
    const auto file = SafetensorsFile::open(folder / "f");
    ASSERT_TRUE(file);
    EXPECT_EQ(file->find("encoder"), std::nullopt);
    EXPECT_THAT(file->read("encoder").error().text(), testing::EndsWith("f: contains no tensor 'encoder'"));
    EXPECT_EQ(file->info(*file->find("u8")).shape, (std::vector<std::int64_t>{1, 1, 3, 5}));
}

TEST(Safetensors, AFileThatShrinksIsAnErrorWhenRead)
{
    const TestFolder folder;
    ASSERT_TRUE(writeSafetensors(folder / "f", everyCommonTensor().views()));
    const auto file = SafetensorsFile::open(folder / "f");
    ASSERT_TRUE(file);
    std::filesystem::resize_file(folder / "f", 100);
    const auto read = file->read("encoder.weight_ih");
    ASSERT_FALSE(read);
    EXPECT_THAT(read.error().text(), HasSubstr("unexpected end of file; 140 more bytes were expected"));
    EXPECT_FALSE(file->read("flags"));
}

} // namespace
} // namespace unroll::format
