// SPDX-License-Identifier: GPL-3.0-or-later
// The C++ half of tests/python/format: writes files for Python's packages to read, and reads theirs.
#include "core/format/csv.h"
#include "core/format/jsonl.h"
#include "core/format/npz.h"
#include "core/format/png.h"
#include "core/format/safetensors.h"
#include "core/format/sample_tensors.h"
#include "core/format/tfevents.h"
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

TEST(Exchange, WritesOurFiles)
{
    const fs::path folder = exchangeFolder();
    if (folder.empty())
        GTEST_SKIP() << "run by tests/python/format";
    const SampleTensors samples = everyCommonTensor();
    EXPECT_TRUE(writeSafetensors(folder / "ours.safetensors", samples.views(), {{"format", "pt"}}));
    EXPECT_TRUE(writeNpz(folder / "ours.npz", samples.views()));
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

// theirs/X.safetensors and X.npz are read and written anew to back/X; what is refused leaves back/X.error.
TEST(Exchange, ReadsTheirFiles)
{
    const fs::path folder = exchangeFolder();
    if (folder.empty())
        GTEST_SKIP() << "run by tests/python/format";
    fs::create_directory(folder / "back");
    for (const fs::directory_entry& entry : fs::directory_iterator(folder / "theirs")) {
        const fs::path back = folder / "back" / entry.path().filename();
        const bool npz = entry.path().extension() == ".npz";
        const auto tensors = npz ? readNpz(entry.path()) : readSafetensors(entry.path());
        if (!tensors) {
            writeContent(back.string() + ".error", tensors.error().message);
            continue;
        }
        if (npz) {
            EXPECT_TRUE(writeNpz(back, viewsOf(*tensors)));
            continue;
        }
        const auto metadata = SafetensorsFile::open(entry.path())->metadata();
        EXPECT_TRUE(writeSafetensors(back, viewsOf(*tensors), metadata));
    }
}

} // namespace
} // namespace unroll::format
