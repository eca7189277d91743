// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/export/export.h"

#include "core/export/python_program.h"
#include "tests/support/short_runs.h"

#include <cstdlib>
#include <filesystem>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <set>
#include <string>
#include <vector>

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
    for (const ExportFormat& format : exportFormats()) {
        EXPECT_TRUE(ids.insert(format.id).second) << format.id;
        EXPECT_EQ(findExportFormat(format.id), &format);
        EXPECT_NE(format.write, nullptr) << format.id;
        EXPECT_EQ(format.suffix.empty(), !format.files.empty()) << format.id;
        for (const std::string* words : {&format.title, &format.holds, &format.readBy})
            EXPECT_FALSE(words->empty()) << format.id;
    }
    EXPECT_EQ(findExportFormat("keras"), nullptr);
}

TEST(ExportFormats, SnippetsNameThePlaceAsPythonWritesIt)
{
    for (const ExportFormat& format : exportFormats())
        EXPECT_THAT(loadingSnippet(format, "/a b/it's"), HasSubstr("'/a b/it\\'s'")) << format.id;
}

class ExportAs : public ::testing::TestWithParam<std::string> {};

TEST_P(ExportAs, WritesTheFilesThatItsFormatNames)
{
    if (GetParam() == "pt2" && std::getenv("UNROLL_PYTHON") == nullptr && pythonBesideTorch().empty())
        GTEST_SKIP() << "a Python with torch writes pt2; none is beside this LibTorch, and UNROLL_PYTHON names none";
    const TestFolder folder;
    const ExportFormat& format = *findExportFormat(GetParam());
    const std::string out = folder / ("new/deeper/" + format.id + format.suffix);
    const auto report = exportRun({trainedIn(folder), "newest", &format, out}, testing::registry(), allBuilders(),
                                  onnx::allStepWriters());
    ASSERT_TRUE(report) << report.error().text();
    EXPECT_EQ(report->files, exportedFiles(format, out));
    for (const std::string& file : report->files)
        EXPECT_GT(std::filesystem::file_size(file), 0u) << file;
}

std::vector<std::string> formatIds()
{
    std::vector<std::string> ids;
    for (const ExportFormat& format : exportFormats())
        ids.push_back(format.id);
    return ids;
}

INSTANTIATE_TEST_SUITE_P(EveryFormat, ExportAs, ::testing::ValuesIn(formatIds()),
                         [](const auto& instance) { return instance.param; });

TEST(Export, EndsBeforeAFileThatIsNotWanted)
{
    const TestFolder folder;
    std::vector<std::string> asked;
    ExportRequest request{trainedIn(folder), "newest", findExportFormat("python"), folder / "out"};
    request.beforeFile = [&](const std::string& file) {
        asked.push_back(std::filesystem::path(file).filename());
        return asked.size() < 2;
    };
    const auto report = exportRun(request, testing::registry(), allBuilders(), onnx::allStepWriters());
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
