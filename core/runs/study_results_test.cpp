// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/runs/study_results.h"

#include "core/format/atomic_file.h"
#include "tests/support/test_folder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace unroll {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr const char* kFoundText =
    R"({"format": "unroll-study", "version": 1, "study": "width", "experiment": "char-lstm",
 "metric": "accuracy", "direction": "maximize", "budget": {"trials": 5, "steps": 100, "seconds": null},
 "running": {"host": "ada", "process": 7}, "written": 1764000000.5,
 "space": [{"key": "lstm.units", "kind": "int", "min": 8, "max": 64, "log": true},
           {"key": "training.batch", "kind": "choice", "choices": [16, 32]},
           {"key": "training.tied", "kind": "choice", "choices": [true, false], "when": "training.batch is 16"}],
 "importances": {"lstm.units": 0.75},
 "trials": [
  {"trial": 0, "state": "finished", "value": 0.5, "report": 0.4, "report_step": 90, "step": 100, "seconds": 2.5, "params": {"lstm.units": 8, "training.batch": 32}, "run": "width-runs/0000"},
  {"trial": 1, "state": "pruned", "value": null, "report": 0.9, "params": {"lstm.units": 16, "training.batch": 16, "training.tied": false}, "run": "/elsewhere/0001"},
  {"trial": 2, "state": "finished", "value": 0.75, "report": null, "params": {"lstm.units": 64, "training.batch": 48}},
  {"trial": 3, "state": "refused", "value": null, "report": null, "params": {}, "failure": "too wide"},
  {"trial": 4, "state": "to go on", "value": null, "report": 0.1, "params": {}}]})";

void writeStudyText(const std::filesystem::path& file, const std::string& text)
{
    ASSERT_TRUE(format::writeFileAtomically(file, text));
}

std::string faultOfStudy(const TestFolder& folder, const std::string& before, const std::string& after)
{
    std::string text = kFoundText;
    text.replace(text.find(before), before.size(), after);
    writeStudyText(folder.path() / "width.study.json", text);
    const auto read = readStudy(folder.path() / "width.study.json");
    return read ? "" : read.error().text();
}

TEST(StudyResults, AreWhatTheFileSays)
{
    const TestFolder folder;
    writeStudyText(folder.path() / "width.study.json", kFoundText);
    const auto study = readStudy(folder.path() / "width.study.json");
    ASSERT_TRUE(study) << study.error().text();
    EXPECT_EQ(study->metric, "accuracy");
    EXPECT_TRUE(study->maximize && study->isRunning);
    EXPECT_EQ(study->wanted, 5);
    EXPECT_EQ(study->written, 1764000000.5);
    ASSERT_EQ(study->axes.size(), 3u);
    EXPECT_TRUE(study->axes[0].log && study->axes[0].whole);
    EXPECT_EQ(study->axes[0].importance, 0.75);
    EXPECT_FALSE(study->axes[1].importance);
    EXPECT_THAT(study->axes[1].choices, ElementsAre("16", "32"));
    EXPECT_THAT(study->axes[2].choices, ElementsAre("true", "false"));
    EXPECT_EQ(study->axes[2].when, "training.batch is 16");
    const StudyTrial& first = study->trials[0];
    EXPECT_THAT(first.places, ElementsAre(8.0, 1.0, std::nullopt));
    EXPECT_EQ(first.run, folder.path() / "width-runs/0000");
    EXPECT_EQ(first.reached(), 0.5);
    EXPECT_EQ(study->trials[1].run, "/elsewhere/0001");
    EXPECT_EQ(study->trials[1].reached(), 0.9);
    EXPECT_THAT(study->trials[1].places, ElementsAre(16.0, 0.0, 1.0));
    EXPECT_THAT(study->trials[2].places, ElementsAre(64.0, std::nullopt, std::nullopt)); // no such choice
    EXPECT_EQ(study->trials[3].failure, "too wide");
    EXPECT_THAT(study->ranked(), ElementsAre(2, 0, 1, 4, 3));
    EXPECT_EQ(study->best(), 2u);
    EXPECT_EQ(study->doneCount(), 4u);
    EXPECT_EQ(studyValueText(study->axes[2], 1), "false");
    EXPECT_EQ(studyValueText(study->axes[0], 64), "64");
}

TEST(StudyResults, SayWhatIsWrongWithTheirFile)
{
    const TestFolder folder;
    EXPECT_THAT(readStudy(folder.path() / "none.study.json").error().text(), HasSubstr("none.study.json"));
    EXPECT_THAT(faultOfStudy(folder, "unroll-study", "other"), HasSubstr("not written by a study"));
    EXPECT_THAT(faultOfStudy(folder, "\"version\": 1", "\"version\": 9"), HasSubstr("version 9"));
    EXPECT_THAT(faultOfStudy(folder, "\"min\": 8", "\"min\": 80"), HasSubstr("min must be"));
    EXPECT_THAT(faultOfStudy(folder, "\"min\": 8", "\"min\": 0"), HasSubstr("above 0"));
    EXPECT_THAT(faultOfStudy(folder, "\"choices\": [16, 32]", "\"choices\": []"), HasSubstr("choices"));
    EXPECT_THAT(faultOfStudy(folder, "\"trial\": 1", "\"trial\": 1.5"), HasSubstr("a trial: trial must be"));
    EXPECT_THAT(faultOfStudy(folder, "\"value\": 0.5", "\"value\": \"a\""), HasSubstr("value must be a number"));
    EXPECT_THAT(faultOfStudy(folder, "\"trials\": [", "\"others\": ["), HasSubstr("trials must be an array"));
}

TEST(StudyResults, AreFoundByAnyOfTheirFiles)
{
    const TestFolder folder;
    const auto place = folder.path() / "s";
    std::filesystem::create_directories(place / "width-runs");
    EXPECT_THAT(studyPlace(place).error().text(), HasSubstr("no study lies here"));
    EXPECT_THAT(studyPlace(place / "width.toml").error().text(), HasSubstr("is not there"));
    writeStudyText(place / "width.toml", "experiment = \"char-lstm\"\n[space]\n");
    writeStudyText(place / "other.toml", "a = 1\n");
    for (const auto& path :
         {place, place / "", place / "width.toml", place / "width.study.json", place / "width-runs"}) {
        const auto found = studyPlace(path);
        ASSERT_TRUE(found) << path << found.error().text();
        EXPECT_EQ(found->file, place / "width.toml");
        EXPECT_EQ(found->found, place / "width.study.json");
    }
    EXPECT_THAT(studyPlace(place / "width-runs" / "0000").error().text(), HasSubstr("is no study"));
    EXPECT_TRUE(isLikeStudy(place) && isLikeStudy(place / "width.toml"));
    EXPECT_FALSE(isLikeStudy(place / "other.toml") || isLikeStudy(place / "width-runs"));
    writeStudyText(place / "b.study.json", "{}");
    EXPECT_THAT(studyPlace(place).error().text(), HasSubstr("(b, width)"));
}

} // namespace
} // namespace unroll
