// SPDX-License-Identifier: GPL-3.0-or-later
// Data blocks: what they open is what their spec says.
#include "core/data/dataset.h"
#include "tests/contract/block_case.h"

#include <gtest/gtest.h>

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

void expectWithin(const std::vector<std::int32_t>& values, std::int64_t classes)
{
    for (std::int32_t value : values)
        ASSERT_TRUE(value == kIgnoredTarget || (value >= 0 && value < classes)) << value;
}

} // namespace

TEST_P(Sources, OpenWhatTheSpecInfers)
{
    const BlockSpec& spec = *registry().find(GetParam());
    const Params params = spec.withDefaults({});
    const auto opened = builders().source(spec.id)({params, ""});
    ASSERT_TRUE(opened) << opened.error().text();
    const Dataset& data = **opened;
    const SourceFacts facts{.classes = data.classes(), .steps = data.steps()};
    InferScope scope(params, {}, &facts);
    spec.infer(scope);
    EXPECT_TRUE(scope.diagnostics().empty());
    EXPECT_EQ(scope.outputs().at("tokens").classes, data.classes());
    EXPECT_EQ(scope.outputs().at("targets").classes, data.classes());
    EXPECT_EQ(static_cast<std::int64_t>(data.alphabet().size()), data.classes());
    for (Split split : {Split::Train, Split::Validation}) {
        const Batch batch = data.batch(split, 0, 3, 1);
        EXPECT_EQ(batch.steps, data.steps());
        EXPECT_EQ(batch.sequences, 3);
        expectWithin(batch.tokens, data.classes());
        expectWithin(batch.targets, data.classes());
    }
}

TEST_P(Sources, HavePortsOfData)
{
    const BlockSpec& spec = *registry().find(GetParam());
    EXPECT_EQ(spec.category, Category::Data);
    EXPECT_TRUE(spec.inputs.empty());
    ASSERT_NE(spec.output("tokens"), nullptr);
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
