// SPDX-License-Identifier: GPL-3.0-or-later
// Every gallery experiment can run as it stands, and its file is written the way the studio would save it.
#include "core/block/registry.h"
#include "core/experiment/data_cache.h"
#include "core/experiment/experiment.h"
#include "core/experiment/gallery.h"
#include "core/experiment/lesson.h"
#include "core/lens/lens.h"
#include "core/model/builders.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>

namespace unroll {
namespace {

std::string contents(const std::filesystem::path& path)
{
    std::ostringstream text;
    text << std::ifstream(path, std::ios::binary).rdbuf();
    return text.str();
}

TEST(Gallery, EveryExperimentRunsAndIsInCanonicalForm)
{
    const BlockRegistry registry = allSpecs();
    DataCache cache(allBuilders());
    int seen = 0;
    for (const auto& entry : std::filesystem::directory_iterator(galleryFolder())) {
        auto experiment = loadExperiment(entry.path().string());
        ASSERT_TRUE(experiment) << experiment.error().text();
        const CheckedGraph checked = checkExperiment(*experiment, registry, cache);
        for (const Diagnostic& diagnostic : checked.diagnostics)
            ADD_FAILURE() << entry.path() << ": " << diagnostic.sentence;
        EXPECT_FALSE(experiment->title.empty());
        EXPECT_GT(experiment->summary.size(), 40u) << "says what to look at";
        if (std::getenv("UNROLL_REWRITE_GALLERY") != nullptr) {
            ASSERT_TRUE(saveExperiment(*experiment, entry.path().string()));
        }
        EXPECT_EQ(contents(entry.path()), experimentToText(*experiment)) << "set UNROLL_REWRITE_GALLERY to mend it";
        ++seen;
    }
    EXPECT_GE(seen, 5);
}

void addBlocks(const Graph& graph, std::set<std::string>& blocks)
{
    for (const auto& [id, node] : graph.nodes) {
        blocks.insert(node->block);
        if (node->group)
            addBlocks(*node->group->graph, blocks);
    }
}

TEST(Gallery, EveryBlockIsInAnExperiment)
{
    const BlockRegistry registry = allSpecs();
    std::set<std::string> shown;
    for (const auto& entry : std::filesystem::directory_iterator(galleryFolder()))
        addBlocks(loadExperiment(entry.path().string())->graph, shown);
    for (const BlockSpec* spec : registry.all())
        EXPECT_TRUE(shown.contains(spec->id)) << spec->id << " is in no experiment";
}

/// By the place that the studio shows: "lstm_1", or "layer.2.mru" in the second copy of a group.
const Node* nodeAt(const Graph& graph, const std::string& place)
{
    const std::size_t dot = place.find('.');
    const Node* node = graph.findByName(place.substr(0, dot));
    if (node == nullptr || dot == std::string::npos || !node->group)
        return dot == std::string::npos ? node : nullptr;
    const bool copies = node->group->repeat > 1 && !node->group->sharedWeights;
    return nodeAt(*node->group->graph, place.substr((copies ? place.find('.', dot + 1) : dot) + 1));
}

/// A step about a state names a signal that the node has, and is short enough for a line.
void isSound(const LessonStep& step, const Experiment& experiment, const BlockRegistry& registry)
{
    static const std::set<std::string> places{"run", "curves", "state", "samples", "inspector", "training"};
    const std::string lens = "lens.";
    EXPECT_TRUE(places.contains(step.at) ||
                (step.at.starts_with(lens) && findLens(step.at.substr(lens.size())) != nullptr))
        << step.at;
    EXPECT_LE(step.say.size(), 80u) << step.say;
    if (step.node.empty())
        return;
    const Node* node = nodeAt(experiment.graph, step.node);
    ASSERT_NE(node, nullptr) << step.node;
    bool found = step.signal.empty();
    for (const SignalSpec& signal : registry.find(node->block)->signalSpecs)
        found = found || signal.name == step.signal;
    EXPECT_TRUE(found) << step.node << " has no " << step.signal;
}

TEST(Gallery, EveryLessonIsOfAnExperiment)
{
    const BlockRegistry registry = allSpecs();
    int seen = 0;
    for (const auto& entry : std::filesystem::directory_iterator(resourceFolder() / "lessons")) {
        const auto path = findExperiment(entry.path().stem().string());
        ASSERT_TRUE(path) << entry.path();
        const auto experiment = loadExperiment(path->string());
        const auto lesson = lessonOf(*path);
        ASSERT_TRUE(lesson) << lesson.error().text();
        EXPECT_GT(lesson->trainingSeconds, 0) << entry.path();
        EXPECT_TRUE(lesson->steps.size() >= 2 && lesson->steps.size() <= 5) << entry.path();
        for (const LessonStep& step : lesson->steps)
            isSound(step, *experiment, registry);
        ++seen;
    }
    EXPECT_GE(seen, 5);
    EXPECT_EQ(lessonOf("mine.unroll").value(), Lesson{});
}

TEST(Gallery, WrongLessonsAreRefusedInWords)
{
    const std::pair<const char*, const char*> cases[] = {
        {"[]", "a lesson must be an object"},
        {R"({"steps": {}})", "\"steps\" must be an array"},
        {R"({"steps": [1]})", "a step must be an object"},
        {R"({"steps": [{"say": "Look."}]})", "needs \"say\" and \"at\""},
        {R"({"steps": [{"say": "Look.", "at": 3}]})", "\"at\" must be a string"},
        {R"({"steps": [{"say": "Look.", "where": "run"}]})", "a step has no \"where\""},
        {R"({"order": 1.5})", "whole number"},
        {R"({"training_seconds": -1})", "at least 0"},
        {R"({"title": "x"})", "a lesson has no \"title\""},
        {"{", "x.json"},
    };
    for (const auto& [text, words] : cases) {
        const auto lesson = lessonFromText(text, "x.json");
        ASSERT_FALSE(lesson) << text;
        EXPECT_NE(lesson.error().text().find(words), std::string::npos) << lesson.error().text();
        EXPECT_NE(lesson.error().text().find("x.json"), std::string::npos);
    }
    const auto good = lessonFromText(R"({"order": 2, "steps": [{"say": "Run.", "at": "run"}]})", "x.json");
    ASSERT_TRUE(good);
    EXPECT_EQ(good->steps, (std::vector<LessonStep>{{"Run.", "run", "", ""}}));
}

} // namespace
} // namespace unroll
