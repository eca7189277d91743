// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/block/spec.h"

#include "core/block/test_specs.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

namespace unroll {
namespace {

using namespace testing_specs;
using ::testing::HasSubstr;

constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();

TEST(Spec, FillsInDefaultsAndTurnsTypes)
{
    const Params params = lstm().withDefaults({{"units", 64.0}, {"dropout", std::int64_t{0}}, {"strange", true}});
    EXPECT_EQ(params, (Params{{"units", std::int64_t{64}}, {"dropout", 0.0}, {"bidirectional", false}}));
    EXPECT_EQ(lstm().withDefaults({{"units", std::string("many")}}).at("units"), ParamValue(std::int64_t{32}));
}

TEST(Spec, FindsItsParts)
{
    const BlockSpec spec = lstm();
    EXPECT_EQ(spec.input("mask")->type, PortType::Mask);
    EXPECT_EQ(spec.input("y"), nullptr);
    EXPECT_EQ(spec.output("state")->type, PortType::State);
    EXPECT_EQ(spec.param("dropout")->maximum, 0.95);
    EXPECT_FALSE(spec.isCausal(spec.withDefaults({{"bidirectional", true}})));
    EXPECT_TRUE(linear().isCausal({})) << "no word on it means causal";
}

TEST(Spec, AParameterCountsWithTheChoicesItHangsOn)
{
    ParamSpec rate{.name = "rate", .type = ParamType::Real, .defaultValue = 1.0, .help = ""};
    EXPECT_TRUE(rate.counts({}));
    rate.when = {{"kind", {"slow", "fast"}}};
    EXPECT_TRUE(rate.counts({{"kind", std::string("slow")}}));
    EXPECT_TRUE(rate.counts({{"kind", std::string("fast")}}));
    EXPECT_FALSE(rate.counts({{"kind", std::string("none")}}));
    EXPECT_TRUE(rate.counts({{"other", std::string("none")}}));
    rate.when.push_back({"also", {"yes"}});
    EXPECT_TRUE(rate.counts({{"kind", std::string("none")}, {"also", std::string("yes")}}))
        << "one that holds suffices";
    EXPECT_TRUE(rate.counts({{"kind", std::string("slow")}, {"also", std::string("no")}}));
    EXPECT_FALSE(rate.counts({{"kind", std::string("none")}, {"also", std::string("no")}}));
}

TEST(Spec, APortIsThereWithTheChoicesItHangsOn)
{
    BlockSpec spec = embedding();
    EXPECT_TRUE(spec.portsVary());
    EXPECT_FALSE(lstm().portsVary());
    EXPECT_TRUE(spec.hasPort(*spec.output("y"), spec.withDefaults({})));
    EXPECT_FALSE(spec.hasPort(*spec.output("table"), spec.withDefaults({})));
    EXPECT_TRUE(spec.hasPort(*spec.output("table"), spec.withDefaults({{"share_table", true}})));
    spec.params[1].when = {{"other", {"true"}}};
    spec.params.push_back(flag("other", false));
    EXPECT_FALSE(spec.hasPort(*spec.output("table"), spec.withDefaults({{"share_table", true}})))
        << "what it depends on does not count";
    EXPECT_EQ(specFault(spec), "");
    spec.outputs[1].when = {{"colour", {"true"}}};
    EXPECT_EQ(specFault(spec), "table depends on colour, which does not exist");
}

TEST(Spec, TheKindOfASignalMayHangOnAParameter)
{
    BlockSpec spec = text();
    SignalSpec signal{.name = "h", .look = SignalKind::Gate, .help = "A share.", .limit = {}};
    EXPECT_EQ(signal.lookOf(spec.withDefaults({})), SignalKind::Gate);
    signal.other = OtherLook{SignalKind::Complex, {"unit", {"character"}}};
    EXPECT_EQ(signal.lookOf(spec.withDefaults({})), SignalKind::Gate);
    EXPECT_EQ(signal.lookOf(spec.withDefaults({{"unit", std::string("character")}})), SignalKind::Complex);
    spec.signalSpecs = {signal};
    EXPECT_EQ(specFault(spec), "");
    spec.signalSpecs[0].other->when.param = "colour";
    EXPECT_EQ(specFault(spec), "h depends on colour, which does not exist");
    spec.signalSpecs[0].other->when = {"unit", {"word"}};
    EXPECT_EQ(specFault(spec), "h depends on \"word\", which is not a choice");
}

TEST(Spec, FaultsAreNamed)
{
    BlockSpec spec = lstm();
    EXPECT_EQ(specFault(spec), "");
    spec.outputs.pop_back();
    EXPECT_THAT(specFault(spec), HasSubstr("optional input state and an output state"));
    spec = lstm();
    spec.params[0].defaultValue = std::int64_t{0};
    EXPECT_EQ(specFault(spec), "default: units must be at least 1; it is 0");
    spec.params[0].defaultValue = 32.0;
    EXPECT_EQ(specFault(spec), "units: its default is of another type");
    spec = lstm();
    spec.inputs.push_back(spec.inputs[0]);
    EXPECT_EQ(specFault(spec), "input x occurs twice");
    spec = lstm();
    spec.id = "my block";
    EXPECT_THAT(specFault(spec), HasSubstr("\"my block\" is not a valid id"));
    spec = text();
    spec.params[1].choices.clear();
    EXPECT_THAT(specFault(spec), HasSubstr("and only a Choice may"));
    spec = text();
    spec.params[0].when = {{"colour", {"red"}}};
    EXPECT_THAT(specFault(spec), HasSubstr("depends on colour, which does not exist"));
    spec.params[0].when = {{spec.params[1].name, {"red"}}};
    EXPECT_THAT(specFault(spec), HasSubstr("depends on \"red\", which is not a choice"));
    spec = linear();
    spec.dimensions = {{"input_size", "q"}};
    EXPECT_THAT(specFault(spec), HasSubstr("dimension input_size reads no input"));
    spec.dimensions.clear();
    spec.infer = nullptr;
    EXPECT_EQ(specFault(spec), "infer is missing");
}

TEST(Registry, FindsAndOrders)
{
    const BlockRegistry blocks = registry();
    EXPECT_EQ(blocks.find("lstm")->title, "LSTM");
    EXPECT_EQ(blocks.find("gru"), nullptr);
    std::vector<std::string> titles;
    for (const BlockSpec* spec : blocks.all())
        titles.push_back(spec->title);
    EXPECT_THAT(titles, ::testing::ElementsAre("Text", "Embedding", "LSTM", "Attention", "Linear", "Smooth", "Add",
                                               "Output head"));
}

TEST(RegistryDeathTest, RefusesABlockThatComesTwice)
{
#ifdef NDEBUG
    GTEST_SKIP() << "this build has no asserts";
#endif
    BlockRegistry blocks = registry();
    EXPECT_DEATH(blocks.add(linear()), "Assertion");
}

TEST(Sizes, SaturateInsteadOfWrapping)
{
    EXPECT_EQ(product({3, 4, 5}), 60);
    EXPECT_EQ(product({kMost, 2}), kMost);
    EXPECT_EQ(product({kMost, kMost, 0}), 0);
    EXPECT_EQ(product({std::int64_t{1} << 31, std::int64_t{1} << 31, 4}), kMost);
    EXPECT_EQ(product({}), 1);
    EXPECT_EQ(sum({kMost, 1}), kMost);
    EXPECT_EQ(sum({1, 2, -5}), -2);
    Cost cost{kMost - 1, 1, 2, 3};
    cost += Cost{5, 1, 1, 1};
    EXPECT_EQ(cost, (Cost{kMost, 2, 3, 4}));
}

TEST(Shape, ReadsWell)
{
    EXPECT_EQ((Shape{.type = PortType::Tokens, .classes = 65}).text(), "[T, B] of 65");
    EXPECT_EQ((Shape{.type = PortType::Vector, .width = 8}).text(), "[B, 8]");
    EXPECT_EQ((Shape{.type = PortType::Mask}).text(), "[T, B]");
    EXPECT_EQ((Shape{.type = PortType::State, .width = 8, .parts = 2}).text(), "state of 16") << "numbers kept";
    EXPECT_STREQ(portTypeWord(PortType::Sequence), "a sequence");
}

TEST(InferScope, GivesParametersInputsAndOffers)
{
    const Params params{{"units", std::int64_t{8}}, {"dropout", 0.5}, {"bias", true}, {"look", std::string("back")}};
    const std::map<std::string, Shape> inputs{{"x", sequence(4)}};
    InferScope scope(params, inputs, nullptr);
    EXPECT_EQ(scope.integer("units"), 8);
    EXPECT_EQ(scope.real("dropout"), 0.5);
    EXPECT_TRUE(scope.boolean("bias"));
    EXPECT_EQ(scope.text("look"), "back");
    EXPECT_EQ(scope.input("x")->width, 4);
    EXPECT_EQ(scope.input("state"), nullptr);
    scope.warning("x", "w", "careful");
    EXPECT_FALSE(hasErrors(scope.diagnostics()));
    scope.error("units", "e", "wrong");
    scope.offerParam("Set units to 4", "units", std::int64_t{4});
    EXPECT_TRUE(hasErrors(scope.diagnostics()));
    EXPECT_EQ(scope.offers().at(0).diagnostic, 1u);
    const CostScope cost{params, inputs, {}, 1};
    EXPECT_EQ(cost.dimension("x"), 4);
    EXPECT_EQ(cost.dimension("y"), 0);
}

} // namespace
} // namespace unroll
