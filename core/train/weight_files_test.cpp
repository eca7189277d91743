// SPDX-License-Identifier: GPL-3.0-or-later
// Weights that begin from anybody's file.
#include "core/train/test_weights.h"

#include <ATen/ops/arange.h>
#include <ATen/ops/full.h>

#include <gmock/gmock.h>

namespace unroll {
namespace {

using testing::BuiltRun;
using ::testing::Contains;
using ::testing::ElementsAre;
using testing::EndedRun;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::makeGraph;
using testing::makeNode;
using testing::tinyExperiment;
using ::testing::UnorderedElementsAre;

using WeightFilesTest = WeightMatchTest;

/// Checkpoints from before metadata told: the run beside them still knows.
TEST_F(WeightFilesTest, AnOldRunIsAskedForItsAlphabet)
{
    Experiment brief = on(tinyExperiment(), "abcd");
    brief.training.steps = 1;
    const std::string run = folder / "run";
    const EndedRun ended(brief, {.runFolder = run});
    ASSERT_EQ(ended.last.state, RunState::Finished) << ended.last.failure;
    const std::string file = run + "/checkpoints/step-1/weights.safetensors";
    auto tensors = loadTensors(file);
    ASSERT_TRUE(tensors);
    EXPECT_EQ(tensors->metadata.at("alphabet"), R"(["a", "b", "c", "d"])");
    ASSERT_TRUE(saveTensors(file, NamedTensors(tensors->tensors.begin(), tensors->tensors.end())));
    const BuiltRun other(on(tinyExperiment(), "bcde"));
    EXPECT_EQ(take(file, other).bySymbol.size(), 3u);
    EXPECT_EQ(take(run, other).bySymbol.size(), 3u) << "a run stands for its newest checkpoint";
}

TEST_F(WeightFilesTest, AFileThatDoesNotSayIsTakenByPlaceWithAWarning)
{
    const BuiltRun one(on(tinyExperiment(), "abcd")), other(on(tinyExperiment(), "bcde")),
        wider(on(tinyExperiment(), "abcde"));
    const std::string file = foreign(tensorsOf(one));
    const WeightReport report = take(file, other);
    EXPECT_EQ(report.loaded.size(), report.inModel());
    EXPECT_THAT(report.notes,
                ElementsAre(HasSubstr("embedding.weight, head.weight, head.bias are matched by position")));
    const WeightReport sizes = take(file, wider);
    ASSERT_EQ(sizes.mismatched.size(), 3u);
    EXPECT_EQ(sizes.mismatched.front().text("file"), "embedding.weight: [4, 12] in the file, [5, 12] in the model");
}

TEST_F(WeightFilesTest, AResumedRunRefusesAnotherAlphabet)
{
    const BuiltRun one(on(tinyExperiment(), "abcd"));
    BuiltRun other(on(tinyExperiment(), "bcde"));
    saved(one);
    const auto read = readCheckpoint(folder.path(), 0.01, *other.model, *other.trainer);
    ASSERT_FALSE(read);
    EXPECT_THAT(read.error().text(), HasSubstr("was trained on data with another alphabet"));
}

TEST_F(WeightFilesTest, TypesAreReadForWhatTheyAre)
{
    const BuiltRun run(on(tinyExperiment(), "abcd"));
    const at::Tensor values = at::arange(96, at::kFloat) / 8; // exact in half and bfloat16
    for (const auto type : {at::kHalf, at::kBFloat16, at::kFloat, at::kDouble}) {
        run.weight("lstm.bias_hh_l0").detach().zero_();
        take(foreign({{"lstm.bias_hh_l0", values.to(type)}}), run);
        EXPECT_TRUE(run.weight("lstm.bias_hh_l0").equal(values)) << typeName(type);
    }
    for (const auto type : {at::kChar, at::kByte, at::kShort, at::kInt, at::kLong, at::kBool}) {
        const std::string words = refusal(foreign({{"lstm.bias_hh_l0", values.to(type)}}), run);
        EXPECT_THAT(words, HasSubstr("quantised (lstm.bias_hh_l0 (" + typeName(type) + "))"));
        EXPECT_THAT(words, HasSubstr("scale"));
        EXPECT_TRUE(run.weight("lstm.bias_hh_l0").equal(values)) << "nothing is changed";
    }
    // Numbers in whole types that are none of the model's concern nobody.
    EXPECT_EQ(
        take(foreign({{"lstm.bias_hh_l0", values}, {"batches_tracked", at::full({}, 7, at::kLong)}}), run).taken(), 1u);
}

TEST_F(WeightFilesTest, NumbersBeyondTheTypeAreLeftOut)
{
    const BuiltRun run(on(tinyExperiment(), "abcd"));
    const at::Tensor huge = at::full({96}, 1e300, at::kDouble), fine = at::full({96}, 0.5, at::kDouble);
    const WeightReport report = take(foreign({{"lstm.bias_hh_l0", huge}, {"lstm.bias_ih_l0", fine}}), run);
    EXPECT_THAT(report.loaded, ElementsAre("lstm.bias_ih_l0"));
    ASSERT_EQ(report.mismatched.size(), 1u);
    EXPECT_THAT(report.mismatched.front().text("file"), HasSubstr("it contains values too large for F32"));
}

TEST_F(WeightFilesTest, WrappersInNamesAreLeftOut)
{
    const BuiltRun one(on(tinyExperiment(), "abcd")), other(on(tinyExperiment(), "abcd"));
    for (const std::string prefix : {"module.", "_orig_mod.", "model.", "module._orig_mod.", "model.module."}) {
        other.weight("lstm.weight_hh_l0").detach().zero_();
        const WeightReport report = take(foreign(tensorsOf(one, prefix)), other);
        EXPECT_EQ(report.loaded.size(), report.inModel()) << prefix;
        EXPECT_THAT(report.unexpected, IsEmpty()) << prefix;
        EXPECT_THAT(report.notes, Contains(HasSubstr("without the wrapper's \"" + prefix + "\""))) << prefix;
        EXPECT_TRUE(other.weight("lstm.weight_hh_l0").equal(one.weight("lstm.weight_hh_l0"))) << prefix;
    }
    // A submodule that was compiled by itself.
    EXPECT_THAT(take(foreign({{"model.lstm._orig_mod.bias_hh_l0", one.weight("lstm.bias_hh_l0")}}), other).loaded,
                ElementsAre("lstm.bias_hh_l0"));
    const WeightReport other_prefix = take(foreign(tensorsOf(one, "net.encoder.")), other);
    EXPECT_EQ(other_prefix.loaded.size(), other_prefix.inModel());
    EXPECT_THAT(other_prefix.notes, Contains(HasSubstr("without the prefix \"net.encoder.\"")));
}

TEST_F(WeightFilesTest, TwoOfOneNameAreNotChosenBetween)
{
    const BuiltRun run(on(tinyExperiment(), "abcd"));
    const at::Tensor bias = run.weight("lstm.bias_hh_l0");
    const std::string words =
        refusal(foreign({{"module.lstm.bias_hh_l0", bias}, {"model.lstm.bias_hh_l0", bias}}), run);
    EXPECT_THAT(words, HasSubstr("might be any of model.lstm.bias_hh_l0, module.lstm.bias_hh_l0"));
    const std::string prefixes = refusal(foreign({{"a.lstm.bias_hh_l0", bias}, {"b.lstm.bias_hh_l0", bias}}), run);
    EXPECT_THAT(prefixes, HasSubstr("several prefixes in the file (a., b.)"));
}

TEST_F(WeightFilesTest, WhereNothingFitsBothSidesAreShown)
{
    const BuiltRun run(on(tinyExperiment(), "abcd"));
    const std::string words = refusal(
        foreign({{"rnn.kernel", at::full({3, 7}, 1.0, at::kHalf)}, {"lstm.bias_hh_l0", at::full({80}, 1.0)}}), run);
    for (const char* part : {"none of the 7 weights", "lstm.bias_hh_l0: [80] in the file, [96] in the model",
                             "the model has: embedding.weight [4, 12]", "head.bias [4]",
                             "the file has: lstm.bias_hh_l0 [80], rnn.kernel [3, 7] F16"})
        EXPECT_THAT(words, HasSubstr(part));
}

} // namespace
} // namespace unroll
