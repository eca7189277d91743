// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/experiment/adjust.h"

#include "tests/support/tiny_experiment.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace unroll {
namespace {

using ::testing::HasSubstr;

struct Values : ::testing::TestWithParam<std::tuple<ParamType, const char*, ParamValue>> {};

TEST_P(Values, AreParsed)
{
    const auto& [type, text, value] = GetParam();
    const auto parsed = parseValue(type, text);
    ASSERT_TRUE(parsed) << text;
    EXPECT_EQ(*parsed, value) << text;
}

INSTANTIATE_TEST_SUITE_P(Adjust, Values,
                         ::testing::Values(std::tuple(ParamType::Bool, "true", ParamValue(true)),
                                           std::tuple(ParamType::Bool, "0", ParamValue(false)),
                                           std::tuple(ParamType::Int, "-3", ParamValue(std::int64_t(-3))),
                                           std::tuple(ParamType::Int, "+9223372036854775807",
                                                      ParamValue(std::int64_t(9223372036854775807))),
                                           std::tuple(ParamType::Real, "1e-3", ParamValue(0.001)),
                                           std::tuple(ParamType::Real, "2", ParamValue(2.0)),
                                           std::tuple(ParamType::Choice, "tanh", ParamValue(std::string("tanh"))),
                                           std::tuple(ParamType::Path, "", ParamValue(std::string()))));

TEST(Adjust, RefusesWhatIsNoValue)
{
    for (const auto& [type, text] :
         {std::pair(ParamType::Bool, "maybe"), std::pair(ParamType::Int, "1.5"), std::pair(ParamType::Int, ""),
          std::pair(ParamType::Int, "9223372036854775808"), std::pair(ParamType::Int, "12x"),
          std::pair(ParamType::Real, "1,5"), std::pair(ParamType::Real, "++1"), std::pair(ParamType::Real, " 1")}) {
        const auto parsed = parseValue(type, text);
        ASSERT_FALSE(parsed) << text;
        EXPECT_THAT(parsed.error().message, HasSubstr(std::string("'") + text + "'"));
    }
}

TEST(Adjust, ReadsValuesByCopyAsTheyAreWritten)
{
    using Rule = ByCopy::Rule;
    const std::vector<std::tuple<ParamType, const char*, ByCopy, const char*>> all{
        {ParamType::Int,
         "64, 32,16",
         {Rule::List, 0, {std::int64_t{64}, std::int64_t{32}, std::int64_t{16}}},
         "64, 32, 16"},
        {ParamType::Int, " 64 ,", {Rule::List, 0, {std::int64_t{64}}}, "64,"},
        {ParamType::Bool, "off,on", {Rule::List, 0, {false, true}}, "false, true"},
        {ParamType::Real, "0.5 first 2 else 0", {Rule::First, 2, {0.5, 0.0}}, "0.5 first 2 else 0"},
        {ParamType::Bool, "true  last 1 else false", {Rule::Last, 1, {true, false}}, "true last 1 else false"},
        {ParamType::Choice,
         "causal every 4 else none",
         {Rule::Every, 4, {std::string("causal"), std::string("none")}},
         "causal every 4 else none"}};
    for (const auto& [type, text, values, written] : all) {
        const auto parsed = parseNodeValue(type, text);
        ASSERT_TRUE(parsed) << text << ": " << parsed.error().message;
        EXPECT_EQ(*parsed, ParamValue(values)) << text;
        EXPECT_EQ(paramText(*parsed), written);
        EXPECT_EQ(*parseNodeValue(type, written), ParamValue(values)) << text;
    }
    EXPECT_EQ(*parseNodeValue(ParamType::Int, "64"), ParamValue(std::int64_t{64}));
    EXPECT_EQ(*parseNodeValue(ParamType::Text, "a, b"), ParamValue(std::string("a, b"))) << "texts do not differ";
    for (const char* text :
         {"64, ", ",", "1,,2", "64, x", "8 every 2", "8 every x else 9", "8 each 2 else 9", "8 every 2 or 9"}) {
        const auto parsed = parseNodeValue(ParamType::Int, text);
        EXPECT_EQ(static_cast<bool>(parsed), std::string(text) == "64, ") << text;
    }
}

/// A group "body" with one linear node whose width is promoted as "size".
Experiment grouped()
{
    Graph inner;
    inner.nodes[1] = std::make_shared<Node>(testing::makeNode(1, "linear", "layer", {{"width", std::int64_t(4)}}));
    inner.nextId = 2;
    Node body = testing::makeNode(1, "group", "body");
    body.group =
        std::make_shared<Group>(Group{std::make_shared<Graph>(inner), 1, false, false, {}, {}, {{"size", 1, "width"}}});
    Experiment experiment;
    experiment.graph.nodes[1] = std::make_shared<Node>(body);
    experiment.graph.nextId = 2;
    return experiment;
}

TEST(Adjust, ReachesIntoGroups)
{
    const BlockRegistry registry = allSpecs();
    const auto inner = withAssignment(grouped(), registry, "body.layer.width=7");
    ASSERT_TRUE(inner) << inner.error().text();
    EXPECT_EQ(inner->graph.find(1)->group->graph->find(1)->params.at("width"), ParamValue(std::int64_t(7)));
    const auto promoted = withAssignment(grouped(), registry, "body.size=9");
    ASSERT_TRUE(promoted) << promoted.error().text();
    EXPECT_EQ(promoted->graph.find(1)->params.at("size"), ParamValue(std::int64_t(9)));
    EXPECT_FALSE(withAssignment(grouped(), registry, "body.size=wide"));
}

/// It would be without effect, and say nothing.
TEST(Adjust, AValueThatAGroupSetsIsSetThere)
{
    const BlockRegistry registry = allSpecs();
    const auto set = withAssignment(grouped(), registry, "body.size=9");
    const auto inner = withAssignment(*set, registry, "body.layer.width=7");
    ASSERT_FALSE(inner);
    EXPECT_THAT(inner.error().message, HasSubstr("body.layer.width is set by the group body (9): set body.size"));
}

TEST(Adjust, SaysWhatIsThere)
{
    const BlockRegistry registry = allSpecs();
    const auto words = [&](const char* assignment) {
        return withAssignment(grouped(), registry, assignment).error().text();
    };
    EXPECT_THAT(words("bodi.size=3"), HasSubstr("there is no node named bodi; did you mean body?"));
    EXPECT_THAT(words("body.lair.width=3"), HasSubstr("there is no node named lair; did you mean layer?"));
    EXPECT_THAT(words("body.layer.wide=3"), HasSubstr("no parameter named wide; did you mean width?"));
    EXPECT_THAT(words("body.layer.width=0"), HasSubstr("width must be at least 1; it is 0"));
    EXPECT_THAT(words("training.step=3"), HasSubstr("steps"));
    EXPECT_THAT(words("body"), HasSubstr("NODE.PARAM=VALUE"));
    EXPECT_THAT(words("=3"), HasSubstr("NODE.PARAM=VALUE"));
    EXPECT_THAT(withData(grouped(), registry, "a.txt").error().message, HasSubstr("no data block"));
}

TEST(Adjust, OtherDataTakesTheValidationFileAway)
{
    const BlockRegistry registry = allSpecs();
    Experiment experiment;
    Node node;
    node.block = node.name = "text";
    node.params = {{"file", std::string("old.txt")}, {"validation_file", std::string("old-validation.txt")}};
    experiment.graph = edits::addNode(node).apply(experiment.graph).value();
    const auto other = withData(experiment, registry, "/data/new.txt");
    ASSERT_TRUE(other) << other.error().text();
    const Params& params = other->graph.findByName("text")->params;
    EXPECT_EQ(params.at("file"), ParamValue(std::string("/data/new.txt")));
    const auto validation = params.find("validation_file");
    EXPECT_TRUE(validation == params.end() || validation->second == ParamValue(std::string()));
}

TEST(Adjust, SetsTraining)
{
    const auto changed = withAssignment(Experiment(), allSpecs(), "training.learning_rate=0.25");
    ASSERT_TRUE(changed);
    EXPECT_EQ(changed->training.learningRate, 0.25);
}

TEST(Adjust, SetsValuesByCopy)
{
    const BlockRegistry registry(allSpecs());
    const auto set = [&](const std::string& assignment) { return withAssignment(grouped(), registry, assignment); };
    const ByCopy widths{ByCopy::Rule::List, 0, {std::int64_t{4}, std::int64_t{8}}};
    EXPECT_EQ(set("body.size=4,8")->graph.find(1)->params.at("size"), ParamValue(widths));
    EXPECT_EQ(set("body.layer.width=4,8")->graph.find(1)->group->graph->find(1)->params.at("width"),
              ParamValue(widths));
    EXPECT_THAT(set("body.layer.width=4,0").error().message, HasSubstr("width must be at least 1; it is 0"));
    EXPECT_THAT(set("body.layer.width=4,wide").error().message, HasSubstr("must be a whole number; it is 'wide'"));
    for (const char* open : {"8 every 2", "8 first 1 else"})
        EXPECT_THAT(set(std::string("body.layer.width=") + open).error().message,
                    HasSubstr(std::string("width must end with 'else' and the value of the other copies; it is '") +
                              open + "'"));
    const auto look = parseNodeValue(ParamType::Choice, "causal every 2");
    ASSERT_FALSE(look);
    EXPECT_THAT(look.error().message, HasSubstr("must end with 'else'"));
    EXPECT_TRUE(parseNodeValue(ParamType::Text, "causal every 2")) << "a text is all that is written";
}

TEST(Adjust, SetsWhatAGroupIs)
{
    const BlockRegistry registry = allSpecs();
    Experiment experiment = testing::tinyExperiment();
    experiment.graph = edits::makeGroup({3}, "body").apply(experiment.graph).value();
    const auto result =
        withChanges(experiment, registry, "", {"body.repeat=3", "body.shared_weights=true", "body.reversible=true"});
    ASSERT_TRUE(result) << result.error().text();
    const Group& group = *findNodeAt(result->graph, "body")->group;
    EXPECT_EQ(group.repeat, 3);
    EXPECT_TRUE(group.sharedWeights && group.reversible);
    for (const auto& [wish, words] : {std::pair("body.repeat=0", "repeat must be at least 1; it is 0"),
                                      std::pair("body.repeat=two", "repeat must be a whole number; it is 'two'"),
                                      std::pair("body.reversible=3", "reversible must be true or false; it is '3'")}) {
        const auto refused = withChanges(experiment, registry, "", {wish});
        ASSERT_FALSE(refused) << wish;
        EXPECT_THAT(refused.error().text(), HasSubstr(words));
    }
}

} // namespace
} // namespace unroll
