// SPDX-License-Identifier: GPL-3.0-or-later
// Which files of an archive or a folder are read.
#include "core/data/text_parts.h"

#include "core/base/sha256.h"
#include "core/data/test_texts.h"

#include <gmock/gmock.h>

namespace unroll {
namespace {

using testing::HasSubstr;
using testing_texts::opened;
using testing_texts::refused;

class TextPartFiles : public testing_texts::TextFiles {};

TEST_F(TextPartFiles, AFileOfAnArchiveIsNamedByItsPath)
{
    const std::string one(300, 'a'), two = std::string(150, 'b') + std::string(150, 'c');
    const auto archive = zip("two.zip", {{"x/one.txt", one}, {"x/two.txt", two}});
    EXPECT_THAT(refused({.file = archive}),
                HasSubstr("name one of them as file, such as " + archive.string() + "/x/one.txt"));
    EXPECT_EQ(opened({.file = archive / "x/one.txt", .steps = 4})->contentHash(), sha256(one));
    EXPECT_EQ(opened({.file = archive / "x/two.txt", .steps = 4})->contentHash(), sha256(two));
    const auto both = opened({.file = archive / "x/two.txt", .validationFile = archive / "x/two.txt", .steps = 4});
    EXPECT_EQ(both->tokensIn(Split::Validation), 300);
    EXPECT_THAT(refused({.file = archive / "x/three.txt"}),
                HasSubstr("two.zip: has no file x/three.txt; it has x/one.txt, x/two.txt"));
    EXPECT_THAT(refused({.file = archive / "x"}), HasSubstr("has no file x; it has"));
    EXPECT_THAT(refused({.file = write("a.txt", one) / "x.txt"}), HasSubstr("Not a directory"));
    EXPECT_THAT(refused({.file = zip("nested.zip", {{"a.zip", contentOf(archive)}, {"b.txt", one}}) / "a.zip"}),
                HasSubstr("is a zip archive within another one"));
    // A file called train has its parts beside it there, too.
    const auto parts = zip("parts.zip", {{"w/wiki.train.raw", one}, {"w/wiki.valid.raw", two}});
    EXPECT_EQ(opened({.file = parts / "w/wiki.train.raw", .steps = 4})->tokensIn(Split::Validation), 300);
}

TEST_F(TextPartFiles, WhatIsTakenOfSeveralFilesIsSaid)
{
    const std::string text(300, 'a');
    const auto noted = [&](const std::filesystem::path& path, TextSplit split = TextSplit::Published) {
        std::string left;
        for (const DataNote& note : opened({.file = path, .split = split, .steps = 4})->notes())
            left += note.code == "left-out" ? note.sentence : "";
        return left;
    };
    EXPECT_EQ(noted(zip("a.zip", {{"x/one.txt", text}, {"x/README.md", "# read me"}})), "");
    EXPECT_EQ(noted(zip("b.zip", {{"x/one.txt", text}, {"x/licence.md", "free"}})),
              "Of 2 files the training part is x/one.txt; left out: x/licence.md.");
    EXPECT_THAT(refused({.file = zip("c.zip", {{"notes.md", text}, {"licence.md", "free"}})}),
                HasSubstr("contains 2 texts, none of them called train"));
    for (const char* name : {"TinyStories-train.txt", "TinyStories-valid.txt", "enwik8", "posts.jsonl", "README"})
        write(std::string("d/") + name, text);
    EXPECT_EQ(noted(m_folder / "d"), "Of 4 files the training part is TinyStories-train.txt, the validation part "
                                     "TinyStories-valid.txt; left out: enwik8, posts.jsonl.");
    EXPECT_EQ(noted(m_folder / "d", TextSplit::Fractions), "Of 4 files the training part is TinyStories-train.txt; "
                                                           "left out: TinyStories-valid.txt, enwik8, posts.jsonl.");
    write("d/train-00000-of-00002.parquet", "PAR1");
    EXPECT_THAT(noted(m_folder / "d"), HasSubstr("posts.jsonl, train-00000-of-00002.parquet."));
}

TEST_F(TextPartFiles, AFolderOfParquetIsToBePrepared)
{
    for (const char* name : {"train-00000-of-00002", "train-00001-of-00002", "test-00000-of-00001"})
        write(std::string("pq/") + name + ".parquet", "PAR1");
    const char* prepare = "contains Parquet files: unroll-cli prepare FOLDER --out OTHER writes them as JSON Lines";
    EXPECT_THAT(refused({.file = m_folder / "pq"}), HasSubstr(prepare));
    write("pq/notes.txt", std::string(300, 'a'));
    EXPECT_THAT(refused({.file = m_folder / "pq"}), HasSubstr(prepare)) << "the notes are not what is meant";
}

} // namespace
} // namespace unroll
