// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/export/export.h"

#include "core/export/python_program.h"
#include "tests/support/short_runs.h"

#include <filesystem>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <set>

namespace unroll {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::string trainedIn(const TestFolder& folder)
{
    Experiment experiment = testing::tinyExperiment();
    experiment.training.steps = 2;
    const testing::EndedRun run(experiment, {.runFolder = folder / "run"});
    EXPECT_EQ(run.last.checkpointed, 2) << run.last.failure;
    return folder / "run";
}

TEST(ExportFormats, EachIsFullyDescribed)
{
    std::set<std::string> ids;
    for (const ExportFormatInfo& info : exportFormats()) {
        EXPECT_TRUE(ids.insert(info.id).second) << info.id;
        EXPECT_EQ(&exportFormat(info.format), &info);
        EXPECT_EQ(findExportFormat(info.id), &info);
        EXPECT_EQ(info.suffix.empty(), !info.files.empty()) << info.id;
        for (const std::string* words : {&info.title, &info.holds, &info.readBy})
            EXPECT_FALSE(words->empty()) << info.id;
    }
    EXPECT_EQ(findExportFormat("onnx"), nullptr);
}

TEST(ExportFormats, SnippetsNameThePlaceAsPythonWritesIt)
{
    for (const ExportFormatInfo& info : exportFormats())
        EXPECT_THAT(loadingSnippet(info.format, "/a b/it's"), HasSubstr("'/a b/it\\'s'")) << info.id;
}

TEST(Export, WritesTheFilesThatItsFormatNames)
{
    const TestFolder folder;
    const std::string run = trainedIn(folder);
    for (const ExportFormatInfo& info : exportFormats()) {
        const std::string out = folder / ("new/deeper/" + info.id + info.suffix);
        const auto report = exportRun({run, "newest", info.format, out}, testing::registry(), allBuilders());
        ASSERT_TRUE(report) << report.error().text();
        EXPECT_EQ(report->files, exportedFiles(info.format, out));
        for (const std::string& file : report->files)
            EXPECT_GT(std::filesystem::file_size(file), 0u) << file;
    }
}

TEST(Export, EndsBeforeAFileThatIsNotWanted)
{
    const TestFolder folder;
    std::vector<std::string> asked;
    ExportRequest request{trainedIn(folder), "newest", ExportFormat::Python, folder / "out"};
    request.beforeFile = [&](const std::string& file) {
        asked.push_back(std::filesystem::path(file).filename());
        return asked.size() < 2;
    };
    const auto report = exportRun(request, testing::registry(), allBuilders());
    ASSERT_FALSE(report);
    EXPECT_EQ(report.error().place, (folder / "out/golden.safetensors").string());
    EXPECT_THAT(asked, ElementsAre("weights.safetensors", "golden.safetensors"));
    EXPECT_TRUE(std::filesystem::exists(folder / "out/weights.safetensors"));
    EXPECT_FALSE(std::filesystem::exists(folder / "out/golden.safetensors"));
    EXPECT_FALSE(std::filesystem::exists(folder / "out/model.py"));
}

TEST(Export, ThePythonBesideTorchIsAProgram)
{
    const std::string program = pythonBesideTorch();
    EXPECT_TRUE(program.empty() || std::filesystem::exists(program)) << program;
}

} // namespace
} // namespace unroll
