// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/format/damage.h"
#include "core/format/little_endian.h"
#include "core/format/safetensors.h"
#include "core/format/test_sample_tensors.h"
#include "tests/support/test_folder.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <sys/stat.h>

namespace unroll::format {
namespace {

using testing::HasSubstr;

std::string fileOf(std::string_view header, std::size_t dataBytes)
{
    std::string file;
    appendLittleEndian(file, static_cast<std::uint64_t>(header.size()));
    file += header;
    return file + std::string(dataBytes, '\0');
}

// One tensor `test` whose value is `info`.
std::string tensorFile(std::string_view info, std::size_t dataBytes)
{
    return fileOf("{\"test\":" + std::string(info) + "}", dataBytes);
}

std::string repeated(std::string_view piece, int times)
{
    std::string text;
    for (int i = 0; i < times; ++i)
        text += piece;
    return text;
}

std::string errorOf(const std::string& bytes)
{
    const TestFolder folder(TestFolder::In::Memory);
    writeContent(folder / "f", bytes);
    const auto file = SafetensorsFile::open(folder / "f");
    if (file)
        return "accepted";
    EXPECT_THAT(file.error().place, testing::MatchesRegex(".*/f at byte [0-9]+"));
    return file.error().place.substr((folder / "f").string().size() + 4) + ": " + file.error().message;
}

struct Malformed {
    std::string what;
    std::string bytes;
    std::string expected; // part of "byte N: message"
};

// Hostile and broken files: those of the format's own tests and attacks, and ours.
using Files = std::vector<Malformed>;

constexpr std::string_view kGoodTensor = R"({"dtype":"I32","shape":[2,2],"data_offsets":[0,16]})";

std::string info(std::string_view dtype, std::string_view shape, std::string_view offsets)
{
    return fmt::format(R"({{"dtype":"{}","shape":{},"data_offsets":{}}})", dtype, shape, offsets);
}

// A tensor of I32 with 16 bytes of data behind it.
std::string shaped(std::string_view shape, std::string_view offsets = "[0,16]")
{
    return tensorFile(info("I32", shape, offsets), 16);
}

std::string named(std::string_view name)
{
    return fileOf(fmt::format(R"({{"{}":{}}})", name, kGoodTensor), 16);
}

// Two tensors of bytes at the given offsets, in three bytes of data.
std::string pairAt(std::string_view offsetsA, int bytesA, std::string_view offsetsB, int bytesB,
                   std::string_view b = "b")
{
    const std::string infoA = info("U8", fmt::format("[{}]", bytesA), offsetsA);
    const std::string infoB = info("U8", fmt::format("[{}]", bytesB), offsetsB);
    return fileOf(fmt::format(R"({{"a":{},"{}":{}}})", infoA, b, infoB), 3);
}

std::string allOverlapping()
{
    std::string header = "{";
    for (int i = 0; i < 100'000; ++i)
        header += fmt::format(R"("weight_{}":{},)", i, info("F32", "[200,200]", "[0,160000]"));
    header.back() = '}';
    return fileOf(header, 160'000);
}

Files badLengths()
{
    std::string tooLong = tensorFile(kGoodTensor, 16);
    tooLong[5] = tooLong[6] = tooLong[7] = '\xff';
    std::string beyond = tensorFile(kGoodTensor, 16);
    beyond[0] = '\xe8', beyond[1] = '\3';
    return {
        {"seven bytes", std::string(7, '\0'), "byte 0: is 7 bytes long"},
        {"no header", std::string(8, '\0'), "byte 8: the header ends where '{' was expected"},
        {"header beyond limit", tooLong, "byte 0: claims a header of"},
        {"header of 100,000,001", std::string("\x01\xe1\xf5\x05\0\0\0\0", 8), "at most 100000000 are allowed"},
        {"header length 2^64-1", std::string(8, '\xff') + "{}", "byte 0: claims a header"},
        {"header length beyond file", beyond, "byte 0: claims a header of 1000 bytes, but only"},
        {"length and no header", std::string("<\0\0\0\0\0\0\0", 8), "a header of 60 bytes, but only 0 follow"},
    };
}

Files badJson()
{
    return {
        {"not UTF-8", std::string("\1\0\0\0\0\0\0\0\xff", 9), "byte 8: expected '{', found byte 0xff"},
        {"not JSON", std::string("\1\0\0\0\0\0\0\0{", 9), "the header ends where '\"' was expected"},
        {"byte order mark", fileOf("\xef\xbb\xbf{}", 0), "byte 8: expected '{', found byte 0xef"},
        {"UTF-16", fileOf(std::string("{\0}\0", 4), 0), "byte 9: expected '\"', found byte 0x00"},
        {"an array", fileOf("[]", 0), "expected '{', found '['"},
        {"null", fileOf("null", 0), "expected '{', found 'n'"},
        {"two objects", fileOf("{}{}", 0), "byte 10: unexpected '{' after the header's closing brace"},
        {"NUL padding", fileOf(std::string("{}\0\0", 4), 0), "unexpected byte 0x00 after the header's closing brace"},
        {"comment", fileOf("{}//", 0), "after the header's closing brace"},
        {"trailing comma", fileOf(fmt::format(R"({{"a":{},}})", kGoodTensor), 16), "expected '\"', found '}'"},
        {"single quotes", fileOf(fmt::format("{{'a':{}}}", kGoodTensor), 16), "expected '\"', found '''"},
        {"no colon", fileOf(fmt::format(R"({{"a"{}}})", kGoodTensor), 16), "expected ':' after a name"},
        {"open string", fileOf("{\"abc", 0), "the header ends inside a string"},
        {"backslash at the end", fileOf("{\"abc\\", 0), "the header ends inside a string"},
        {"depth bomb of arrays", fileOf("{\"a\":" + std::string(1'000'000, '['), 0), "expected '{', found '['"},
        {"depth bomb of objects", fileOf(repeated("{\"a\":", 100'000), 0), "a tensor has no field 'a'"},
        {"metadata twice", fileOf(R"({"__metadata__":{},"__metadata__":{}})", 0), "__metadata__ occurs twice"},
        {"metadata twice, escaped", fileOf(R"({"__metadata__":{},"\u005f_metadata__":{}})", 0), "occurs twice"},
        {"metadata key twice", fileOf(R"({"__metadata__":{"k":"1","j":"","k":"2"}})", 0), "key 'k' occurs twice"},
        {"metadata a number", fileOf(R"({"__metadata__":{"k":1}})", 0), "metadata 'k' is not a string"},
        {"metadata nested", fileOf(R"({"__metadata__":{"k":{}}})", 0), "metadata 'k' is not a string"},
        {"metadata null", fileOf(R"({"__metadata__":null})", 0), "expected '{', found 'n'"},
        {"metadata a tensor", named("__metadata__"), "metadata 'shape' is not a string"},
    };
}

Files badTensors()
{
    return {
        {"tensor is null", tensorFile("null", 0), "expected '{', found 'n'"},
        {"tensor is a number", tensorFile("1", 0), "expected '{', found '1'"},
        {"no dtype", tensorFile(R"({"shape":[4],"data_offsets":[0,16]})", 16), "tensor 'test' has no dtype"},
        {"no shape", tensorFile(R"({"dtype":"I32","data_offsets":[0,16]})", 16), "tensor 'test' has no shape"},
        {"no offsets", tensorFile(R"({"dtype":"I32","shape":[4]})", 16), "tensor 'test' has no data_offsets"},
        {"a field too many", tensorFile(R"({"dtype":"I32","x":1})", 16), "a tensor has no field 'x'"},
        {"a field twice", tensorFile(R"({"dtype":"I32","dtype":"F32"})", 16), "dtype occurs twice"},
        {"unknown dtype", tensorFile(info("I33", "[4]", "[0,16]"), 16), "unknown dtype 'I33'"},
        {"dtype in lower case", tensorFile(info("i32", "[4]", "[0,16]"), 16), "unknown dtype 'i32'"},
        {"dtype a number", tensorFile(R"({"dtype":32})", 16), "expected '\"', found '3'"},
        {"negative dimension", shaped("[-4]"), "expected a non-negative integer, found '-'"},
        {"minus zero", shaped("[-0]"), "expected a non-negative integer, found '-'"},
        {"fraction", shaped("[4.0]"), "found a number with fraction or exponent"},
        {"exponent", shaped("[4e0]"), "found a number with fraction or exponent"},
        {"leading zero", shaped("[04]"), "a number with a leading zero"},
        {"dimension a string", shaped("[\"4\"]"), "expected a non-negative integer, found '\"'"},
        {"dimension true", shaped("[true]"), "expected a non-negative integer, found 't'"},
        {"nested shape", shaped("[[4]]"), "expected a non-negative integer, found '['"},
        {"shape not closed", fileOf(R"({"a":{"dtype":"I32","shape":[4)", 16), "the header ends where ']' was expected"},
        {"shape with a last comma", shaped("[4,]"), "expected a non-negative integer, found ']'"},
        {"dimension 2^63", shaped("[9223372036854775808]"), "a number above 9223372036854775807"},
        {"dimension beyond 2^64", shaped("[99999999999999999999]"), "a number above"},
        {"product overflows", shaped("[2,18446744073709551614]"), "a number above"},
        {"product overflows later", shaped("[2,9223372036854775807]"), "not a whole number of bytes"},
        {"dims x bits overflows", shaped("[1152921504606846976]"), "not a whole number of bytes"},
        {"overflow wraps to the size", shaped("[4294967296,4294967296]", "[0,0]"), "not a whole number of bytes"},
        {"zero hides an overflow", shaped("[0,4294967296,4294967296]", "[0,0]"), "not a whole number of bytes"},
        {"half a byte", tensorFile(info("F4", "[1]", "[0,1]"), 1), "not a whole number of bytes"},
        {"18 bits", tensorFile(info("F6_E2M3", "[3]", "[0,3]"), 3), "not a whole number of bytes"},
        {"65 dimensions", shaped("[4" + repeated(",1", 64) + "]"), "more than 64 dimensions"},
    };
}

Files badOffsets()
{
    constexpr std::string_view atOverflow = "[18446744073709551615,18446744073709551615]";
    return {
        {"negative offset", shaped("[4]", "[-1,15]"), "expected a non-negative integer"},
        {"offset 2^64", shaped("[4]", "[0,18446744073709551616]"), "a number above 18446744073709551615"},
        {"offset 2^64-1", shaped("[4]", "[0,18446744073709551615]"), "ends at 18446744073709551615, but the file"},
        {"both offsets 2^64-1", shaped("[0]", atOverflow), "but the file has 16"},
        {"one offset", shaped("[4]", "[0]"), "expected ',' after the first data offset"},
        {"three offsets", shaped("[4]", "[0,16,16]"), "expected ']' after the second data offset"},
        {"ends before begin", shaped("[0]", "[16,0]"), "ends at 0, before its begin at 16"},
        {"wrong size", shaped("[2,2]", "[0,4]"), "takes 16 bytes by its shape, 4 by its data_offsets"},
        {"hole at the start", shaped("[3]", "[4,16]"), "begins at 4 of the data, but the one before ends at 0"},
        {"hole between", pairAt("[0,1]", 1, "[2,3]", 1), "'b' begins at 2 of the data, but the one before ends at 1"},
        {"overlap", pairAt("[0,2]", 2, "[1,3]", 2), "'b' begins at 1 of the data, but the one before ends at 2"},
        {"the same bytes twice", pairAt("[0,3]", 3, "[0,3]", 3),
         "begins at 0 of the data, but the one before ends at 3"},
        {"entries that all overlap", allOverlapping(), "begins at 0 of the data, but the one before ends at 160000"},
        {"polyglot tail", shaped("[4]") + "a second file", "byte 0: the tensors end at 16 of the data, but the file"},
        {"data but no tensors", fileOf("{}", 3), "the tensors end at 0 of the data, but the file has 3"},
        {"two bytes short", tensorFile(kGoodTensor, 14), "ends at 16, but the file has 14 bytes of data"},
    };
}

Files badNames()
{
    return {
        {"a name twice", pairAt("[0,1]", 1, "[1,3]", 2, "a"), "the tensor 'a' occurs twice"},
        {"a name twice, escaped", pairAt("[0,1]", 1, "[1,3]", 2, "\\u0061"), "the tensor 'a' occurs twice"},
        {"name with NUL", named("a\\u0000b"), "'a\\x00b' contains a NUL character"},
        {"name with a raw NUL", named(std::string_view("a\0b", 3)), "byte 0x00 inside a string"},
        {"name with a line end", named("a\nb"), "byte 0x0a inside a string"},
        {"name with /", named("a/b"), "'a/b' contains '/'"},
        {"name with \\/", named("a\\/b"), "'a/b' contains '/'"},
        {"name ..", named(".."), "'..' contains '..'"},
        {"name of a MB", named(std::string(1'000'000, 'n')), "is 1000000 bytes long; at most 4096"},
        {"name overlong UTF-8", named("\xc0\xaf"), "not valid UTF-8"},
        {"name overlong of three", named("\xe0\x80\xaf"), "not valid UTF-8"},
        {"name with a raw surrogate", named("\xed\xa0\x80"), "not valid UTF-8"},
        {"name beyond Unicode", named("\xf4\x90\x80\x80"), "not valid UTF-8"},
        {"name cut inside a character", fileOf("{\"\xe2\x82", 0), "not valid UTF-8"},
        {"lone high surrogate", named("\\ud800"), "half a surrogate pair"},
        {"high surrogate and a letter", named("\\ud800\\u0061"), "half a surrogate pair"},
        {"lone low surrogate", named("\\udc00"), "half a surrogate pair"},
        {"escape of three digits", fileOf("{\"\\u00e", 0), "the header ends inside a string"},
        {"escape with a bad digit", named("\\u00g0"), "'g' is not a hexadecimal digit"},
        {"unknown escape", named("\\x"), "unknown escape: a backslash before 'x'"},
    };
}

TEST(SafetensorsMalformed, EachFileIsRefusedWithItsReason)
{
    for (const Files& files : {badLengths(), badJson(), badTensors(), badOffsets(), badNames()})
        for (const Malformed& file : files)
            EXPECT_THAT(errorOf(file.bytes), HasSubstr(file.expected)) << file.what;
}

TEST(SafetensorsMalformed, WhatTheFormatAllowsIsAccepted)
{
    EXPECT_EQ(errorOf(fileOf("{}\r \t\n", 0)), "accepted");
    EXPECT_EQ(errorOf(fileOf("\t\n{}\r ", 0)), "accepted") << "the reference reads it";
    EXPECT_EQ(errorOf(tensorFile(R"({"dtype":"I32","shape":[],"data_offsets":[0,4]})", 4)), "accepted");
    EXPECT_EQ(errorOf(tensorFile(R"({"dtype":"I32","shape":[2,0],"data_offsets":[0, 0]})", 0)), "accepted");
    EXPECT_EQ(errorOf(tensorFile(R"( { "data_offsets" : [ 0 , 4 ] , "shape" : [ 1 , 1 ] , "dtype" : "F32" } )", 4)),
              "accepted");
    EXPECT_EQ(errorOf(tensorFile(R"({"dtype":"F6_E3M2","shape":[2,2],"data_offsets":[0,3]})", 3)), "accepted");
    EXPECT_EQ(errorOf(pairAt("[1,3]", 2, "[0,1]", 1)), "accepted") << "any order of the entries";
    EXPECT_EQ(errorOf(pairAt("[0,3]", 3, "[3,3]", 0, "\\u00e9\\ud83d\\ude00\\\"\\\\\\b\\f\\n\\r\\t")), "accepted");
    EXPECT_EQ(errorOf(pairAt("[0,3]", 3, "[3,3]", 0, "")), "accepted");
    EXPECT_EQ(errorOf(fileOf(R"({"__metadata__":{"k":"\u0000"}})", 0)), "accepted");
}

TEST(SafetensorsMalformed, ReadsEscapedNamesAndShapesWithBlanks)
{
    const TestFolder folder;
    writeContent(folder / "f",
                 fileOf(R"({"\u00e9\ud83d\ude00\n":{"dtype":"U8","shape":[ 1 ,2,  3],"data_offsets":[0,6]}})", 6));
    const auto file = SafetensorsFile::open(folder / "f");
    ASSERT_TRUE(file);
    EXPECT_EQ(file->info(0).name, "é😀\n");
    EXPECT_EQ(file->info(0).shape, (std::vector<std::int64_t>{1, 2, 3}));
    EXPECT_EQ(file->find("é😀\n"), 0U);
}

TEST(SafetensorsMalformed, NoPrefixOfAGoodFileIsAccepted)
{
    const TestFolder folder(TestFolder::In::Memory);
    ASSERT_TRUE(writeSafetensors(folder / "good", everyCommonTensor().views(), {{"format", "pt"}}));
    const std::string good = contentOf(folder / "good");
    writeContent(folder / "f", good);
    for (std::size_t bytes = good.size(); bytes-- > 0;) {
        std::filesystem::resize_file(folder / "f", bytes);
        ASSERT_FALSE(SafetensorsFile::open(folder / "f")) << bytes;
    }
}

TEST(SafetensorsMalformed, RandomDamageNeverCrashes)
{
    const TestFolder folder(TestFolder::In::Memory);
    ASSERT_TRUE(writeSafetensors(folder / "f", everyCommonTensor().views(), {{"format", "pt"}}));
    const std::string good = contentOf(folder / "f");
    const std::size_t headerBytes = 8 + loadLittleEndian<std::uint64_t>(good.data());
    Damage damage(1);
    int accepted = 0;
    for (int i = 0; i < 10'000; ++i) {
        // Damage to the data is not damage: let most of it fall on the header.
        std::string bytes =
            i % 4 == 0 ? damage.of(good) : damage.of(good.substr(0, headerBytes)) + good.substr(headerBytes);
        writeContent(folder / "f", bytes);
        const auto tensors = readSafetensors(folder / "f");
        accepted += tensors ? 1 : 0;
        for (std::size_t t = 0; tensors && t < tensors->size(); ++t)
            ASSERT_EQ(tensorBytes((*tensors)[t].dtype, (*tensors)[t].shape), (*tensors)[t].bytes);
    }
    EXPECT_LT(accepted, 3000);
}

TEST(SafetensorsMalformed, OnlyOrdinaryFilesAreRead)
{
    const TestFolder folder;
    ASSERT_EQ(::mkfifo((folder / "fifo").c_str(), 0600), 0);
    for (const auto& path : {folder / "fifo", std::filesystem::path("/dev/zero"), std::filesystem::path("/dev/null")})
        EXPECT_EQ(SafetensorsFile::open(path).error(),
                  (Error{"cannot read: it is not an ordinary file", path.string()}));
    EXPECT_EQ(SafetensorsFile::open(folder.path()).error(),
              (Error{"cannot read: it is a folder", folder.path().string()}));
    EXPECT_EQ(SafetensorsFile::open(folder / "none").error(),
              (Error{"cannot read: No such file or directory", (folder / "none").string()}));
}

} // namespace
} // namespace unroll::format
