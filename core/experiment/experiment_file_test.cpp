// SPDX-License-Identifier: GPL-3.0-or-later
// The .unroll file: what it keeps, and what damaged ones meet with.
#include "core/experiment/data_cache.h"
#include "core/experiment/experiment.h"
#include "core/model/builders.h"

#include "core/block/registry.h"
#include "core/experiment/gallery.h"
#include "tests/support/tiny_experiment.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <sys/stat.h>

namespace unroll {
namespace {

std::string contentOf(const std::filesystem::path& path)
{
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
}

TEST(ExperimentFile, MembersOfANewerVersionAreKeptWordForWord)
{
    const std::string known = experimentToText(testing::tinyExperiment());
    const std::string extra = R"(,
  "notes": {"of": 1.50, "by": null, "till": "ü"},
  "colour": 7.00
}
)";
    const std::string good = known.substr(0, known.size() - 3) + extra;
    const auto read = experimentFromText(good, "a.unroll");
    ASSERT_TRUE(read) << read.error().text();
    ASSERT_EQ(read->extra.size(), 2u);
    EXPECT_EQ(experimentToText(*read), good);
    EXPECT_NE(*read, testing::tinyExperiment());
}

TEST(ExperimentFile, TheVersionIsAWholeNumber)
{
    for (const char* version : {"1.5", "\"1\"", "null", "1e0"}) {
        const auto read = experimentFromText(std::string("{\"unroll\": ") + version + "}", "a.unroll");
        ASSERT_FALSE(read) << version;
        EXPECT_NE(read.error().message.find("must be a whole number"), std::string::npos) << read.error().text();
        EXPECT_EQ(read.error().place, "a.unroll at byte 11");
    }
}

TEST(ExperimentFile, EveryPrefixOfAGalleryFileFailsWithItsPlace)
{
    ASSERT_GE(galleryExperiments().size(), 5u);
    for (const auto& path : galleryExperiments()) {
        const std::string text = contentOf(path);
        ASSERT_TRUE(experimentFromText(text, "a"));
        const std::size_t end = text.find_last_of('}');
        for (std::size_t length = 0; length <= end; ++length) {
            const auto read = experimentFromText(std::string_view(text).substr(0, length), "a");
            ASSERT_FALSE(read) << path << " cut at " << length;
            ASSERT_NE(read.error().text().find("byte"), std::string::npos) << read.error().text();
        }
    }
}

TEST(ExperimentFile, DamagedFilesNeverThrow)
{
    std::vector<std::string> texts;
    for (const auto& path : galleryExperiments())
        texts.push_back(contentOf(path));
    std::mt19937_64 random(7);
    const auto below = [&](std::size_t bound) { return static_cast<std::size_t>(random() % bound); };
    static const char* const pieces[] = {"",  "null", "-", "1e999", "\"",  "{",     "}",    "[",
                                         "]", ",",    ":", "\\",    "0.5", "nodes", "\xFF", "9223372036854775808"};
    int accepted = 0;
    for (int round = 0; round < 20'000; ++round) {
        std::string text = texts[below(texts.size())];
        for (std::size_t changes = 1 + below(3); changes > 0; --changes) {
            const std::size_t at = below(text.size()), length = std::min(below(8), text.size() - at);
            text.replace(at, length, pieces[below(std::size(pieces))]);
        }
        const auto read = experimentFromText(text, "a");
        if (!read) {
            EXPECT_FALSE(read.error().message.empty());
            continue;
        }
        ++accepted;
        const auto again = experimentFromText(experimentToText(*read), "a");
        ASSERT_TRUE(again) << again.error().text();
        EXPECT_EQ(*again, *read);
    }
    EXPECT_GT(accepted, 100) << "many changes hit a text or a number and leave a good file";
}

ParamValue drawn(const ParamSpec& spec, std::mt19937_64& random)
{
    const double share = std::uniform_real_distribution<double>(0, 1)(random);
    const double least = spec.minimum.value_or(0), most = std::min(spec.maximum.value_or(1), 1e15);
    switch (spec.type) {
    case ParamType::Bool: return share < 0.5;
    case ParamType::Int: return static_cast<std::int64_t>(least + share * (most - least));
    case ParamType::Real: return least + share * (most - least);
    case ParamType::Choice: return spec.choices[random() % spec.choices.size()].value;
    default: break;
    }
    if (spec.name == "device")
        return "cuda:" + std::to_string(random() % 100);
    std::string text;
    for (std::uint64_t length = random() % 8; length > 0; --length)
        text += static_cast<char>(1 + random() % 126);
    return text + "é";
}

TEST(ExperimentFile, LoadOfSaveIsTheSameForAnySettingsAndSeeds)
{
    std::mt19937_64 random(11);
    for (int round = 0; round < 500; ++round) {
        Experiment experiment = testing::tinyExperiment();
        experiment.seed = random();
        for (const ParamSpec& spec : trainSettingSpecs()) {
            auto changed = withTrainSetting(experiment.training, spec.name, drawn(spec, random));
            ASSERT_TRUE(changed) << changed.error().text();
            experiment.training = *changed;
        }
        const std::string text = experimentToText(experiment);
        const auto read = experimentFromText(text, "a");
        ASSERT_TRUE(read) << read.error().text();
        ASSERT_EQ(*read, experiment) << text;
        ASSERT_EQ(experimentToText(*read), text);
    }
}

TEST(ExperimentFile, OnlyOrdinaryFilesOfASensibleSizeAreRead)
{
    const TestFolder folder;
    ASSERT_EQ(::mkfifo((folder / "fifo").c_str(), 0600), 0);
    std::ofstream(folder / "huge.unroll") << "{}";
    std::filesystem::resize_file(folder / "huge.unroll", std::uintmax_t{200} << 30); // sparse
    const auto refusal = [](const std::filesystem::path& path) {
        return loadExperiment(path.string()).error().message;
    };
    EXPECT_EQ(refusal("/dev/zero"), "cannot read: it is not an ordinary file");
    EXPECT_EQ(refusal(folder / "fifo"), "cannot read: it is not an ordinary file");
    EXPECT_EQ(refusal(folder.path()), "cannot read: it is a folder");
    EXPECT_EQ(refusal(folder / "huge.unroll"), "is 214748364800 bytes long; the limit is 67108864");
}

/// Equal numbers of weights and steps: what differs is the cell.
TEST(Gallery, TheCharacterModelsHaveTheWeightsAndStepsOfTheLstm)
{
    const BlockRegistry registry = allSpecs();
    DataCache cache(allBuilders());
    const Experiment lstm = loadExperiment(findExperiment("char-lstm")->string()).value();
    const auto wanted = static_cast<double>(checkExperiment(lstm, registry, cache).cost.parameters);
    std::size_t compared = 0;
    for (const std::filesystem::path& path : galleryExperiments()) {
        if (!path.filename().string().starts_with("char-"))
            continue;
        const Experiment other = loadExperiment(path.string()).value();
        const auto found = static_cast<double>(checkExperiment(other, registry, cache).cost.parameters);
        EXPECT_NEAR(found / wanted, 1, 0.02) << path << ": " << found << " and " << wanted;
        EXPECT_EQ(other.training.steps, lstm.training.steps) << path;
        EXPECT_EQ(other.training.batch, lstm.training.batch) << path;
        ++compared;
    }
    EXPECT_GE(compared, 41U);
}

} // namespace
} // namespace unroll
