// SPDX-License-Identifier: GPL-3.0-or-later
// Data blocks: what they open is what their spec says.
#include "core/data/dataset.h"
#include "tests/contract/block_case.h"

#include <gtest/gtest.h>

#include <map>

namespace unroll::contract {

namespace {

class Sources : public ::testing::TestWithParam<std::string> {};

std::vector<std::string> sourceBlocks()
{
    std::vector<std::string> ids;
    for (const BlockSpec* spec : registry().all())
        if (builders().source(spec->id) != nullptr)
            ids.push_back(spec->id);
    return ids;
}

void expectWithin(const std::vector<std::int32_t>& values, std::int64_t classes, std::int64_t count)
{
    ASSERT_EQ(static_cast<std::int64_t>(values.size()), classes > 0 ? count : 0);
    for (std::int32_t value : values)
        ASSERT_TRUE(value == kIgnoredTarget || (value >= 0 && value < classes)) << value;
}

/// What the ports of the spec promise: classes on some, numbers on others.
void expectAsInferred(const std::map<std::string, Shape>& outputs, const Dataset& data)
{
    const bool numbers = outputs.at("targets").type == PortType::TargetValues;
    EXPECT_EQ(outputs.count("tokens"), numbers ? 0u : 1u);
    EXPECT_EQ(outputs.at(numbers ? "features" : "tokens").size(), numbers ? data.numbers().inputs : data.classes());
    EXPECT_EQ(outputs.at("targets").size(), numbers ? data.numbers().targets : data.classes());
    EXPECT_EQ(data.classes() == 0, numbers);
}

} // namespace

TEST_P(Sources, OpenWhatTheSpecInfers)
{
    const BlockSpec& spec = *registry().find(GetParam());
    const Params params = spec.withDefaults({});
    const auto opened = builders().source(spec.id)({params, ""});
    ASSERT_TRUE(opened) << opened.error().text();
    const Dataset& data = **opened;
    const SourceFacts facts{.classes = data.classes(),
                            .steps = data.steps(),
                            .inputs = data.numbers().inputs,
                            .targets = data.numbers().targets};
    InferScope scope(params, {}, &facts);
    spec.infer(scope);
    EXPECT_TRUE(scope.diagnostics().empty());
    expectAsInferred(scope.outputs(), data);
    EXPECT_EQ(static_cast<std::int64_t>(data.alphabet().size()), data.classes());
    for (Split split : {Split::Train, Split::Validation}) {
        const Batch batch = data.batch(split, 0, 3, 1);
        EXPECT_TRUE(batch.steps == data.steps() || split == Split::Validation) << batch.steps;
        EXPECT_EQ(batch.sequences, 3);
        const std::int64_t cells = 3 * batch.steps;
        expectWithin(batch.tokens, data.classes(), cells);
        expectWithin(batch.targets, data.classes(), cells);
        EXPECT_EQ(static_cast<std::int64_t>(batch.features.size()), cells * data.numbers().inputs);
        EXPECT_EQ(static_cast<std::int64_t>(batch.values.size()), cells * data.numbers().targets);
    }
}

TEST_P(Sources, HavePortsOfData)
{
    const BlockSpec& spec = *registry().find(GetParam());
    EXPECT_EQ(spec.category, Category::Data);
    EXPECT_TRUE(spec.inputs.empty());
    EXPECT_NE(spec.output("tokens") == nullptr, spec.output("features") == nullptr) << "it reads one or the other";
    ASSERT_NE(spec.output("targets"), nullptr);
    ASSERT_NE(spec.output("mask"), nullptr);
}

TEST_P(Sources, PassOnWhatIsWrongWithTheData)
{
    const BlockSpec& spec = *registry().find(GetParam());
    const SourceFacts facts{.error = "the disk is on fire", .errorParam = ""};
    const Params params = spec.withDefaults({});
    InferScope scope(params, {}, &facts);
    spec.infer(scope);
    ASSERT_EQ(scope.diagnostics().size(), 1u);
    EXPECT_EQ(scope.diagnostics().front().sentence, "the disk is on fire");
}

INSTANTIATE_TEST_SUITE_P(Blocks, Sources, ::testing::ValuesIn(sourceBlocks()), blockName);

} // namespace unroll::contract
