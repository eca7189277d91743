// SPDX-License-Identifier: GPL-3.0-or-later
// The C++ half of tests/python/format: writes files for Python's packages to read, and reads theirs.
#include "core/format/csv.h"
#include "core/format/jsonl.h"
#include "core/format/npz.h"
#include "core/format/png.h"
#include "core/format/safetensors.h"
#include "core/format/test_sample_tensors.h"
#include "core/format/tfevents.h"
#include "core/format/zip_writer.h"
#include "tests/support/test_folder.h"

#include <cstdlib>
#include <limits>

namespace unroll::format {
namespace {

namespace fs = std::filesystem;

// The folder that the Python side has made, or nothing when it did not start us.
fs::path exchangeFolder()
{
    const char* const folder = std::getenv("UNROLL_EXCHANGE");
    return folder != nullptr ? folder : "";
}

std::vector<LogRow> sampleRows()
{
    return {{0, {{"train/loss", 4.17}, {"tokens", 0}}},
            {10, {{"train/loss", 0.1}, {"val/loss", 1.0 / 3}, {"tokens", 15360}}},
            {20, {{"train/loss", std::numeric_limits<double>::quiet_NaN()}, {"tokens", 30720}}}};
}

std::vector<TensorView> viewsOf(const std::vector<OwnedTensor>& tensors)
{
    std::vector<TensorView> views;
    for (const OwnedTensor& tensor : tensors)
        views.push_back(tensor.view());
    return views;
}

// Entries "0" to "<count - 1>", entry i of i % 9 squared bytes. Numbers from `zip64From` on go to zip64 records.
void writeArchive(const fs::path& path, int count, std::uint64_t zip64From = 0xffffffff)
{
    auto file = AtomicFile::create(path);
    ASSERT_TRUE(file);
    ZipWriter zip(*file, zip64From);
    for (int i = 0; i < count; ++i)
        EXPECT_TRUE(zip.add(std::to_string(i), {std::string(static_cast<std::size_t>(i % 9 * (i % 9)), 'x')}));
    EXPECT_TRUE(zip.finish() && file->commit());
}

// Every subset of the numbers that may need zip64, by a limit at each size that occurs; none, and too many for a plain
// archive.
void writeArchives(const fs::path& folder)
{
    fs::create_directory(folder);
    for (const std::uint64_t limit : {0, 1, 5, 30, 64, 100, 300, 450, 1000})
        writeArchive(folder / ("9-" + std::to_string(limit)), 9, limit);
    writeArchive(folder / "9", 9);
    writeArchive(folder / "0-0", 0, 0);
    writeArchive(folder / "0", 0);
    writeArchive(folder / "65536", 65'536);
}

TEST(Exchange, WritesOurFiles)
{
    const fs::path folder = exchangeFolder();
    if (folder.empty())
        GTEST_SKIP() << "run by tests/python/format";
    const SampleTensors samples = everyCommonTensor();
    EXPECT_TRUE(writeSafetensors(folder / "ours.safetensors", samples.views(), {{"format", "pt"}}));
    EXPECT_TRUE(writeNpz(folder / "ours.npz", samples.views()));
    writeArchives(folder / "archives");
    // The bits of every tensor, by position, to compare with.
    for (std::size_t i = 0; i < samples.views().size(); ++i)
        writeContent(folder / ("ours." + std::to_string(i)), bytesOf(samples.views()[i]));
    auto csv = CsvWriter::create(folder / "metrics.csv", {"tokens", "train/loss", "val/loss"});
    auto jsonl = JsonlWriter::create(folder / "metrics.jsonl");
    fs::create_directory(folder / "events");
    auto events = TfEventsWriter::create(folder / "events", 1'700'000'000.25);
    ASSERT_TRUE(csv && jsonl && events);
    EXPECT_TRUE(csv->write(sampleRows()) && jsonl->write(sampleRows()));
    for (const LogRow& row : sampleRows())
        EXPECT_TRUE(events->scalars(1'700'000'000.25 + static_cast<double>(row.step), row));
    EXPECT_TRUE(events->text(1'700'000'030, 30, "samples", "To be, or **not** – 日本"));
    const std::vector<std::uint8_t> rgb = {255, 0, 0, 0, 255, 0, 0, 0, 255, 1, 2, 3, 4, 5, 6, 7, 8, 9};
    EXPECT_TRUE(writePng(folder / "picture.png", 3, 2, rgb));
}

// theirs/X.safetensors is read and written again to back/X; what is refused leaves back/X.error.
TEST(Exchange, ReadsTheirFiles)
{
    const fs::path folder = exchangeFolder();
    if (folder.empty())
        GTEST_SKIP() << "run by tests/python/format";
    fs::create_directory(folder / "back");
    for (const fs::directory_entry& entry : fs::directory_iterator(folder / "theirs")) {
        const fs::path back = folder / "back" / entry.path().filename();
        const auto tensors = readSafetensors(entry.path());
        if (!tensors) {
            writeContent(back.string() + ".error", tensors.error().message);
            continue;
        }
        const auto metadata = SafetensorsFile::open(entry.path())->metadata();
        EXPECT_TRUE(writeSafetensors(back, viewsOf(*tensors), metadata));
    }
}

} // namespace
} // namespace unroll::format
