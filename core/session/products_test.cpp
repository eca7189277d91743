// SPDX-License-Identifier: GPL-3.0-or-later
// Which backend multiplies fp32 matrices: chosen by a setting, recorded in the run, kept when it is resumed.
#include "core/linalg/products.h"
#include "core/runs/run_folder.h"
#include "core/train/device.h"
#include "tests/support/short_runs.h"
#include "tests/support/test_folder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace unroll {
namespace {

using testing::EndedRun;
using ::testing::HasSubstr;
using testing::tinyExperiment;

const std::string library{linalg::libraryName()};

std::string best()
{
    return linalg::hasAmxBackend() ? "AMX" : library;
}

class ProductsSetting : public ::testing::Test {
protected:
    const linalg::ScopedBackend m_before{linalg::backend()}; ///< is set back
};

TEST_F(ProductsSetting, AutoTakesTheBestAndKeepsWhatARunBeganWith)
{
    EXPECT_EQ(chooseProducts(Products::Auto).value().name, best());
    EXPECT_EQ(chooseProducts(Products::Auto, library).value().name, library);
    EXPECT_EQ(linalg::backend(), linalg::Backend::Library);
    EXPECT_EQ(chooseProducts(Products::Auto, library).value().note, "");
    EXPECT_EQ(chooseProducts(Products::Library).value().name, library);
}

TEST_F(ProductsSetting, AnotherBackendThanBeforeIsSaid)
{
    EXPECT_EQ(chooseProducts(Products::Library, "AMX").value().note,
              "trained with products by AMX so far, from here on by " + library + ": the last bits differ");
    EXPECT_EQ(chooseProducts(Products::Library, library).value().note, "");
}

TEST_F(ProductsSetting, AmxIsTakenOrRefusedInWords)
{
    const auto chosen = chooseProducts(Products::Amx);
    EXPECT_EQ(chosen.has_value(), linalg::hasAmxBackend());
    if (chosen)
        EXPECT_EQ(chosen->name, "AMX");
    else
        EXPECT_THAT(chosen.error().text(), HasSubstr("this processor has no AMX"));
}

TEST_F(ProductsSetting, ARunRecordsItsBackendAndKeepsItWhenResumed)
{
    const TestFolder folder;
    const std::string run = (folder / "run").string();
    const auto recorded = [&] { return RunFolder::open(run).value().environment().products; };
    Experiment experiment = tinyExperiment();
    experiment.training.steps = 2;
    experiment.training.products = Products::Library;
    EXPECT_EQ(EndedRun(experiment, {.runFolder = run}).last.state, RunState::Finished);
    EXPECT_EQ(recorded(), library);
    experiment.training.steps = 4;
    experiment.training.products = Products::Auto;
    const EndedRun resumed(experiment, {.runFolder = run, .resume = true});
    EXPECT_EQ(resumed.last.state, RunState::Finished) << resumed.last.failure;
    EXPECT_EQ(recorded(), library);
}

} // namespace
} // namespace unroll
