// SPDX-License-Identifier: GPL-3.0-or-later
// Weights of one convention have the names and shapes of another's and mean something else: they are refused by name,
// and converted nowhere.
#include "core/train/checkpoint.h"
#include "core/train/tensor_file.h"
#include "tests/support/short_runs.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace unroll {
namespace {

using testing::BuiltRun;
using ::testing::HasSubstr;
using testing::tinyExperiment;

struct Forms {
    std::string block, param;
    ParamValue one, other;
    std::string found, wanted; ///< how both forms are said
};

Forms choices(const std::string& block, const std::string& param, const std::string& one, const std::string& other)
{
    return {block, param, one, other, param + " " + one, param + " " + other};
}

Experiment formed(const std::string& block, const std::string& param, const ParamValue& value)
{
    Experiment experiment =
        tinyExperiment(block, 12); // as wide as what comes in, so that an SRU skips the input itself
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
        EXPECT_THAT(misfit.text(there),
                    HasSubstr(forms.found + " in the " + there + ", " + forms.wanted + " in the model"));
    }
    for (const std::string& name : report.loaded)
        EXPECT_FALSE(name.starts_with(forms.block + ".")) << name;
    EXPECT_FALSE(report.loaded.empty());
    for (const std::string& name : report.missing) // which only the other form has
        EXPECT_THAT(name, HasSubstr("gate_norm"));
}

TEST_P(WeightForms, OfAnotherConventionAreRefused)
{
    ASSERT_TRUE(writeCheckpoint(folder.path(), *one.model, *one.trainer, {}));
    const std::string file = folder / "weights.safetensors";
    const auto report = initialWeights(file, *other.model, legendOf(*other.data));
    ASSERT_TRUE(report) << report.error().text();
    expectRefused(*report, GetParam(), "file");
    const auto strict = loadWeights(file, *other.model);
    ASSERT_FALSE(strict);
    EXPECT_THAT(strict.error().message, HasSubstr(GetParam().found));
    EXPECT_FALSE(readCheckpoint(folder.path(), 0.01, *other.model, *other.trainer));
    expectRefused(
        takeWeights(keepWeights(*one.model, "a run", legendOf(*one.data)), *other.model, legendOf(*other.data)),
        GetParam(), "run");
}

TEST_P(WeightForms, OfTheSameConventionAreTaken)
{
    ASSERT_TRUE(writeCheckpoint(folder.path(), *one.model, *one.trainer, {}));
    const BuiltRun again(formed(GetParam().block, GetParam().param, GetParam().one));
    EXPECT_TRUE(loadWeights(folder / "weights.safetensors", *again.model));
    EXPECT_TRUE(takeWeights(keepWeights(*one.model, "a run", legendOf(*one.data)), *again.model, legendOf(*again.data))
                    .mismatched.empty());
}

/// Files of other programs do not say; who names one for this block knows what it holds.
TEST_P(WeightForms, OfAFileThatDoesNotSayAreTaken)
{
    NamedTensors tensors;
    for (const Weight& weight : one.model->weights())
        tensors.emplace_back(weight.name, weight.tensor);
    ASSERT_TRUE(saveTensors(folder / "foreign.safetensors", tensors));
    const auto report = initialWeights(folder / "foreign.safetensors", *other.model, legendOf(*other.data));
    ASSERT_TRUE(report) << report.error().text();
    EXPECT_TRUE(report->mismatched.empty());
    EXPECT_EQ(report->loaded.size(), tensors.size());
}

INSTANTIATE_TEST_SUITE_P(
    Blocks, WeightForms,
    ::testing::Values(choices("gru", "convention", "reset_after", "reset_before"),
                      choices("gru", "convention", "reset_before", "reset_before_inverted_z"),
                      choices("qrnn", "convention", "paper", "pytorch_qrnn"),
                      choices("mru", "maker", "ldu", "identity"), choices("grumml", "variant", "paper", "mmfreelm"),
                      Forms{"grumml", "scales", std::string("shared"), std::string("per_gate"),
                            "variant keras, scales shared", "variant keras, scales per_gate"},
                      Forms{"sru", "v1", false, true, "v1 off, rescale off", "v1 on, rescale off"},
                      Forms{"sru", "rescale", true, false, "v1 off, rescale on", "v1 off, rescale off"},
                      Forms{"srupp", "rescale", false, true, "rescale off", "rescale on"}),
    [](const auto& forms) { return fmt::format("{}_{}_{}", forms.param.block, forms.param.param, forms.index); });

} // namespace
} // namespace unroll
