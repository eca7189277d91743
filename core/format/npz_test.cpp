// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/format/npz.h"

#include "core/format/atomic_file.h"
#include "core/format/damage.h"
#include "core/format/little_endian.h"
#include "core/format/sample_tensors.h"
#include "tests/support/test_folder.h"

#include <array>
#include <gmock/gmock.h>
#include <numeric>

namespace unroll::format {
namespace {

using testing::HasSubstr;

std::string npyFile(std::string_view dictionary, std::string_view data, char version = 1)
{
    std::string file = std::string("\x93NUMPY") + version + '\0';
    if (version == 1)
        appendLittleEndian(file, static_cast<std::uint16_t>(dictionary.size()));
    else
        appendLittleEndian(file, static_cast<std::uint32_t>(dictionary.size()));
    return file.append(dictionary).append(data);
}

std::string npyError(std::string_view dictionary, std::size_t dataBytes)
{
    const TestFolder folder;
    writeContent(folder / "f.npy", npyFile(dictionary, std::string(dataBytes, '\0')));
    const auto tensor = readNpy(folder / "f.npy");
    return tensor ? "accepted" : tensor.error().text();
}

std::string npzError(const std::string& bytes)
{
    const TestFolder folder;
    writeContent(folder / "f.npz", bytes);
    const auto tensors = readNpz(folder / "f.npz");
    return tensors ? "accepted" : tensors.error().text();
}

// An archive with the given entries, written by our own zip writer: it checks nothing of names or content.
std::string archiveOf(const std::vector<std::pair<std::string, std::string>>& entries,
                      std::uint64_t zip64From = 0xffffffff)
{
    const TestFolder folder;
    auto file = AtomicFile::create(folder / "f");
    ZipWriter zip(*file, zip64From);
    for (const auto& [name, content] : entries)
        EXPECT_TRUE(zip.add(name, {content}));
    EXPECT_TRUE(zip.finish() && file->commit());
    return contentOf(folder / "f");
}

std::string smallNpy()
{
    return npyFile("{'descr': '|u1', 'fortran_order': False, 'shape': (3,), }\n", "abc");
}

TEST(Npz, GivesBackWhatWasWritten)
{
    const TestFolder folder;
    const SampleTensors samples = everyCommonTensor();
    const auto notes = writeNpz(folder / "f.npz", samples.views());
    ASSERT_TRUE(notes) << notes.error().text();
    EXPECT_THAT(notes->widened, testing::ElementsAre("'brain': BF16, written as float32"));
    const auto file = NpzFile::open(folder / "f.npz");
    ASSERT_TRUE(file) << file.error().text();
    ASSERT_EQ(file->size(), samples.views().size());
    for (std::size_t i = 0; i < file->size(); ++i) {
        const TensorView& written = samples.views()[i];
        const auto read = file->read(i);
        ASSERT_TRUE(read) << read.error().text();
        EXPECT_EQ(read->name, written.name);
        EXPECT_EQ(read->shape, written.shape);
        if (written.dtype == DType::BF16)
            continue;
        EXPECT_EQ(read->dtype, written.dtype);
        EXPECT_EQ(bytesOf(read->view()), bytesOf(written));
        EXPECT_EQ(file->find(written.name), i);
    }
}

TEST(Npz, WidensBrainFloatsExactly)
{
    const TestFolder folder;
    const std::array<std::uint16_t, 4> brain = {0x3f80, 0xbf00, 0x7f80, 0x0001}; // 1, -0.5, infinity, the smallest
    const TensorView tensor{"b", DType::BF16, {4}, std::as_bytes(std::span(brain)).data(), 8};
    ASSERT_TRUE(writeNpz(folder / "f.npz", std::span(&tensor, 1)));
    const auto read = NpzFile::open(folder / "f.npz")->read("b");
    ASSERT_TRUE(read);
    EXPECT_EQ(read->dtype, DType::F32);
    for (std::size_t i = 0; i < 4; ++i)
        EXPECT_EQ(loadLittleEndian<std::uint32_t>(read->data.get() + 4 * i), std::uint32_t(brain[i]) << 16);
}

TEST(Npz, RefusesToWriteWhatNumpyHasNot)
{
    const TestFolder folder;
    SampleTensors samples;
    samples.add("f8", DType::F8E4M3, {4});
    EXPECT_THAT(writeNpz(folder / "f", samples.views()).error().text(),
                testing::EndsWith("f: tensor 'f8' is F8_E4M3, which numpy does not have"));
    SampleTensors slash;
    slash.add("a/b", DType::U8, {1});
    EXPECT_THAT(writeNpz(folder / "f", slash.views()).error().message, HasSubstr("contains '/'"));
    SampleTensors twice;
    twice.add("a", DType::U8, {1});
    twice.add("a", DType::U8, {1});
    EXPECT_THAT(writeNpz(folder / "f", twice.views()).error().message, HasSubstr("'a' occurs twice"));
    EXPECT_EQ(folder.entries(), 0U);
}

TEST(Npz, EqualTensorsGiveEqualFiles)
{
    const TestFolder folder;
    ASSERT_TRUE(writeNpz(folder / "a", everyCommonTensor().views()));
    ASSERT_TRUE(writeNpz(folder / "b", everyCommonTensor().views()));
    EXPECT_EQ(contentOf(folder / "a"), contentOf(folder / "b"));
}

// Every subset of the numbers that may need zip64: a limit at each size that occurs.
TEST(Npz, Zip64RecordsReadBack)
{
    std::vector<std::pair<std::string, std::string>> entries;
    for (int i = 0; i < 9; ++i)
        entries.emplace_back(std::to_string(i) + ".npy",
                             npyFile("{'descr':'|u1','fortran_order':False,'shape':(" + std::to_string(i * i) + ",)}",
                                     std::string(static_cast<std::size_t>(i * i), 'x')));
    const std::string plain = archiveOf(entries);
    EXPECT_EQ(npzError(plain), "accepted");
    for (const std::uint64_t limit : {0, 1, 5, 70, 100, 121, 300, 900, 1000})
        EXPECT_EQ(npzError(archiveOf(entries, limit)), "accepted") << limit;
    EXPECT_EQ(npzError(archiveOf({}, 0)), "accepted");
    EXPECT_EQ(npzError(archiveOf({})), "accepted");
}

TEST(Npz, ManyEntriesNeedZip64Too)
{
    std::vector<std::pair<std::string, std::string>> entries;
    for (int i = 0; i < 65'536; ++i)
        entries.emplace_back(std::to_string(i) + ".npy", smallNpy());
    const TestFolder folder;
    writeContent(folder / "f", archiveOf(entries));
    const auto file = NpzFile::open(folder / "f");
    ASSERT_TRUE(file) << file.error().text();
    EXPECT_EQ(file->size(), 65'536U);
    EXPECT_EQ(file->info(65'535).name, "65535");
}

TEST(Npz, MalformedArchivesAreRefused)
{
    const std::string good = archiveOf({{"a.npy", smallNpy()}, {"b.npy", smallNpy()}});
    ASSERT_EQ(npzError(good), "accepted");
    const std::size_t second = good.find("PK\3\4", 4);
    const std::size_t directory = good.find("PK\1\2");
    const std::size_t end = good.find("PK\5\6");
    const auto changed = [&](std::size_t at, std::string_view bytes) {
        return std::string(good).replace(at, bytes.size(), bytes);
    };
    EXPECT_THAT(npzError(""), HasSubstr("too short"));
    EXPECT_THAT(npzError(good + "x"), HasSubstr("no zip directory at its end"));
    EXPECT_THAT(npzError("x" + good), HasSubstr("does not lie where its end record says"));
    EXPECT_THAT(npzError(changed(directory + 10, "\x08")), HasSubstr("'a.npy' is compressed; only uncompressed"));
    EXPECT_THAT(npzError(changed(8, "\x08")), HasSubstr("'a.npy' is another entry than the directory says"));
    EXPECT_THAT(npzError(changed(30, "x")), HasSubstr("'a.npy' is another entry"));
    EXPECT_THAT(npzError(changed(directory + 8, "\1")), HasSubstr("'a.npy' is encrypted"));
    EXPECT_THAT(npzError(changed(directory + 20, "\1")), HasSubstr("two sizes"));
    EXPECT_THAT(npzError(changed(directory + 20, "\xff\xff\xff\xff\xff\xff\xff\xff")),
                HasSubstr("more than the archive holds"));
    EXPECT_THAT(npzError(changed(directory + 42, "\xff\xff\xff\x7f")), HasSubstr("begins beyond the data"));
    EXPECT_THAT(npzError(changed(end + 8, "\xff\xff\xff\xff")), HasSubstr("claims 65535 entries"));
    EXPECT_THAT(npzError(changed(end + 8, std::string_view("\1\0\1\0", 4))), HasSubstr("bytes after the last entry"));
    EXPECT_THAT(npzError(changed(end + 8, std::string_view("\1\0\2\0", 4))), HasSubstr("archive of several"));
    EXPECT_THAT(npzError(changed(smallNpy().size() + 34, "X")), HasSubstr("checksum differs"));
    // The second entry's record points to the first entry: the overlapping kind of zip bomb.
    std::string bomb = good;
    bomb.replace(good.find("PK\1\2", directory + 4) + 42, 4, std::string(4, '\0'));
    EXPECT_THAT(npzError(bomb), HasSubstr("'b.npy' is another entry"));
    EXPECT_THAT(npzError(archiveOf({{"a.npy", smallNpy()}, {"a.npy", smallNpy()}})), HasSubstr("'a.npy' occurs twice"));
    EXPECT_THAT(npzError(archiveOf({{"a.npy", smallNpy()}, {"readme.txt", "hello"}})),
                HasSubstr("'readme.txt' is not a .npy file"));
    EXPECT_THAT(npzError(archiveOf({{"../a.npy", smallNpy()}})), HasSubstr("the tensor name '../a' contains '/'"));
    EXPECT_THAT(npzError(archiveOf({{"a.npy", smallNpy() + "x"}})),
                HasSubstr("takes 3 bytes by its shape, 4 are there"));
    EXPECT_GT(second, 0U);
}

TEST(Npz, MalformedArraysAreRefused)
{
    const auto with = [](std::string_view descr, std::string_view order, std::string_view shape) {
        return "{'descr': " + std::string(descr) + ", 'fortran_order': " + std::string(order) +
               ", 'shape': " + std::string(shape) + ", }";
    };
    EXPECT_EQ(npyError(with("'<f4'", "False", "()"), 4), "accepted");
    EXPECT_EQ(npyError("{\"shape\":(2,3),\"descr\":\"<i2\",\"fortran_order\":False}   \n", 12), "accepted");
    EXPECT_EQ(npyError(with("'<u1'", "False", "(2,)"), 2), "accepted") << "byte order means nothing for bytes";
    EXPECT_THAT(npyError(with("'|O'", "False", "(1,)"), 8), HasSubstr("Python objects; it could run code"));
    EXPECT_THAT(npyError(with("'>f4'", "False", "(1,)"), 4), HasSubstr("numpy type '>f4'"));
    EXPECT_THAT(npyError(with("'<U5'", "False", "(1,)"), 20), HasSubstr("numpy type '<U5'"));
    EXPECT_THAT(npyError(with("'<c16'", "False", "(1,)"), 16), HasSubstr("numpy type '<c16'"));
    EXPECT_THAT(npyError(with("[('a', '<f4')]", "False", "(1,)"), 4), HasSubstr("records"));
    EXPECT_THAT(npyError(with("'<f4'", "0", "(1,)"), 4), HasSubstr("neither True nor False"));
    EXPECT_THAT(npyError(with("'<f4'", "False", "(-1,)"), 4), HasSubstr("non-negative integer"));
    EXPECT_THAT(npyError(with("'<f4'", "False", "(9223372036854775808,)"), 4), HasSubstr("above 2^63 - 1"));
    EXPECT_THAT(npyError(with("'<f4'", "False", "(4294967296,4294967296)"), 4), HasSubstr("more than 2^61 bytes"));
    EXPECT_THAT(npyError(with("'<f4'", "False", "(1000000000,)"), 4),
                HasSubstr("takes 4000000000 bytes by its shape, 4 are there"));
    EXPECT_THAT(npyError(with("'<f4'", "False", "(1,"), 4), HasSubstr("non-negative integer"));
    EXPECT_THAT(npyError("{'descr': '<f4', 'fortran_order': False}", 4), HasSubstr("lacks one of"));
    EXPECT_THAT(npyError("{'descr': '<f4', 'descr': '<f4'}", 4), HasSubstr("'descr' is unknown or occurs twice"));
    EXPECT_THAT(npyError("{'descr': __import__('os')}", 4), HasSubstr("expected a string in quotes"));
    EXPECT_THAT(npyError(with("'<f4'", "False", "()") + "x", 4),
                HasSubstr("unexpected data after the header dictionary"));
    const TestFolder folder;
    for (const auto& [bytes, fault] :
         {std::pair<std::string, std::string>{"\x93NUMPX\1", "does not begin as"},
          {std::string("\x93NUMPY\4\0\0\0\0\0", 12), "version 4.0"},
          {std::string("\x93NUMPY\2\0\xff\xff\xff\xff", 12), "header of 4294967295 bytes"}}) {
        writeContent(folder / "f", bytes);
        EXPECT_THAT(readNpy(folder / "f").error().text(), HasSubstr(fault));
    }
}

TEST(Npz, TurnsFortranOrderToCOrder)
{
    const TestFolder folder;
    // Element [i][j][k] of a 2 x 3 x 4 array holds its place in C order; Fortran order has i fastest.
    std::string data;
    for (char k = 0; k < 4; ++k)
        for (char j = 0; j < 3; ++j)
            for (char i = 0; i < 2; ++i)
                data += {static_cast<char>(12 * i + 4 * j + k), '\0'};
    writeContent(folder / "f.npy", npyFile("{'descr': '<u2', 'fortran_order': True, 'shape': (2, 3, 4), }", data, 2));
    const auto tensor = readNpy(folder / "f.npy");
    ASSERT_TRUE(tensor) << tensor.error().text();
    EXPECT_EQ(tensor->name, "f");
    for (std::uint16_t i = 0; i < 24; ++i)
        EXPECT_EQ(loadLittleEndian<std::uint16_t>(tensor->data.get() + 2 * i), i);
}

TEST(Npz, NoPrefixOfAGoodFileIsAccepted)
{
    const TestFolder folder;
    ASSERT_TRUE(writeNpz(folder / "f", everyCommonTensor().views()));
    for (std::size_t bytes = std::filesystem::file_size(folder / "f"); bytes-- > 0;) {
        std::filesystem::resize_file(folder / "f", bytes);
        ASSERT_FALSE(readNpz(folder / "f")) << bytes;
    }
    writeContent(folder / "f", smallNpy());
    for (std::size_t bytes = smallNpy().size(); bytes-- > 0;) {
        std::filesystem::resize_file(folder / "f", bytes);
        ASSERT_FALSE(readNpy(folder / "f")) << bytes;
    }
}

TEST(Npz, RandomDamageNeverCrashes)
{
    const TestFolder folder(TestFolder::In::Memory);
    ASSERT_TRUE(writeNpz(folder / "f", everyCommonTensor().views()));
    const std::string good = contentOf(folder / "f");
    const std::string zip64 = archiveOf({{"a.npy", smallNpy()}, {"b.npy", smallNpy()}}, 0);
    Damage damage(2);
    int accepted = 0;
    for (int i = 0; i < 10'000; ++i) {
        writeContent(folder / "f", damage.of(i % 2 == 0 ? good : zip64));
        accepted += readNpz(folder / "f") ? 1 : 0;
        writeContent(folder / "f", damage.of(smallNpy()));
        static_cast<void>(readNpy(folder / "f"));
    }
    EXPECT_LT(accepted, 5000);
}

} // namespace
} // namespace unroll::format
