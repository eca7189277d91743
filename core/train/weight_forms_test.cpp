// SPDX-License-Identifier: GPL-3.0-or-later
// Weights of one convention have the names and shapes of another's and mean something else: they are refused by name, and converted nowhere.
#include "core/train/checkpoint.h"
#include "core/train/tensor_file.h"
#include "tests/support/short_runs.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace unroll {
namespace {

using testing::BuiltRun;
using ::testing::HasSubstr;
using testing::tinyExperiment;

struct Forms {
    std::string block, param, one, other;
};

Experiment formed(const std::string& block, const std::string& param, const std::string& value)
{
    Experiment experiment = tinyExperiment(block, 16);
    experiment.graph = edits::setParam(3, param, value).apply(experiment.graph).value();
    return experiment;
}

class WeightForms : public ::testing::TestWithParam<Forms> {
protected:
    TestFolder folder;
    BuiltRun one{formed(GetParam().block, GetParam().param, GetParam().one)};
    BuiltRun other{formed(GetParam().block, GetParam().param, GetParam().other)};
};

/// All of the block's weights are left as drawn, and what the embedding and the head have is taken.
void expectRefused(const WeightReport& report, const Forms& forms, const std::string& there)
{
    ASSERT_FALSE(report.mismatched.empty());
    for (const Misfit& misfit : report.mismatched) {
        EXPECT_THAT(misfit.name, HasSubstr(forms.block + "."));
        EXPECT_THAT(misfit.text(there), HasSubstr(forms.param + " " + forms.one + " in the " + there + ", " +
                                                  forms.param + " " + forms.other + " in the model"));
    }
    for (const std::string& name : report.loaded)
        EXPECT_FALSE(name.starts_with(forms.block + ".")) << name;
    EXPECT_FALSE(report.loaded.empty());
    EXPECT_TRUE(report.missing.empty());
}

TEST_P(WeightForms, OfAnotherConventionAreRefused)
{
    ASSERT_TRUE(writeCheckpoint(folder.path(), *one.model, *one.trainer, {}));
    const std::string file = folder / "weights.safetensors";
    const auto report = loadWeights(file, *other.model, /*strict=*/false);
    ASSERT_TRUE(report) << report.error().text();
    expectRefused(*report, GetParam(), "file");
    const auto strict = loadWeights(file, *other.model, /*strict=*/true);
    ASSERT_FALSE(strict);
    EXPECT_THAT(strict.error().message, HasSubstr(GetParam().one));
    EXPECT_FALSE(readCheckpoint(folder.path(), 0.01, *other.model, *other.trainer));
    expectRefused(takeWeights(keepWeights(*one.model, "a run"), *other.model), GetParam(), "run");
}

TEST_P(WeightForms, OfTheSameConventionAreTaken)
{
    ASSERT_TRUE(writeCheckpoint(folder.path(), *one.model, *one.trainer, {}));
    const BuiltRun again(formed(GetParam().block, GetParam().param, GetParam().one));
    EXPECT_TRUE(loadWeights(folder / "weights.safetensors", *again.model, /*strict=*/true));
    EXPECT_TRUE(takeWeights(keepWeights(*one.model, "a run"), *again.model).mismatched.empty());
}

/// Files of other programs do not say; who names one for this block knows what it holds.
TEST_P(WeightForms, OfAFileThatDoesNotSayAreTaken)
{
    NamedTensors tensors;
    for (const Weight& weight : one.model->weights())
        tensors.emplace_back(weight.name, weight.tensor);
    ASSERT_TRUE(saveTensors(folder / "foreign.safetensors", tensors));
    EXPECT_TRUE(loadWeights(folder / "foreign.safetensors", *other.model, /*strict=*/true));
}

INSTANTIATE_TEST_SUITE_P(Blocks, WeightForms,
                         ::testing::Values(Forms{"gru", "convention", "reset_after", "reset_before"},
                                           Forms{"gru", "convention", "reset_before", "reset_before_inverted_z"},
                                           Forms{"qrnn", "convention", "paper", "pytorch_qrnn"},
                                           Forms{"mru", "maker", "ldu", "identity"}),
                         [](const auto& forms) { return forms.param.block + "_" + forms.param.other; });

} // namespace
} // namespace unroll
