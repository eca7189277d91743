// SPDX-License-Identifier: GPL-3.0-or-later
// The raw CUDA launcher, as far as a machine without a GPU can show.
#include "core/kernels/cuda/launch_persistent.h"
#include "core/kernels/rnn_steps/rnn_steps_persistent.h"

#include <gtest/gtest.h>

namespace unroll::kernels {
namespace {

/// Of 3 sequences by 20 units; the arrays are never read.
RnnForwardPass<float> smallPass(float* number)
{
    RnnForwardPass<float> pass;
    pass.elements.steps = 5;
    pass.elements.batch = 3;
    pass.elements.width = 20;
    pass.elements.u = {number, 0, 0};
    pass.elements.h = {number, 0, 0};
    pass.weight = number;
    return pass;
}

TEST(RnnStepsCuda, WhatIsNotThereIsRefused)
{
    float number = 0;
    std::uint32_t words[2] = {};
    const auto pass = smallPass(&number);
    const StepsLaunch launch{StepsWay::Persistent, 2, 1, 1};
    EXPECT_EQ(launchPersistent(pass, launch, nullptr, nullptr), cudaErrorInvalidValue) << "no words";
    auto without = pass;
    without.weight = nullptr;
    EXPECT_EQ(launchPersistent(without, launch, words, nullptr), cudaErrorInvalidValue) << "no weight";
    without = pass;
    without.elements.u = {};
    EXPECT_EQ(launchPersistent(without, launch, words, nullptr), cudaErrorInvalidValue) << "no inputs";
}

TEST(RnnStepsCuda, LaunchesThatLeaveSomethingOutAreRefused)
{
    float number = 0;
    std::uint32_t words[2] = {};
    const auto pass = smallPass(&number);
    EXPECT_EQ(launchPersistent(pass, {}, words, nullptr), cudaErrorInvalidValue) << "by products";
    EXPECT_EQ(launchPersistent(pass, {StepsWay::Persistent, 1, 1, 1}, words, nullptr), cudaErrorInvalidValue)
        << "4 units";
    auto many = pass;
    many.elements.batch = 33;
    EXPECT_EQ(launchPersistent(many, {StepsWay::Persistent, 2, 1, 1}, words, nullptr), cudaErrorInvalidValue)
        << "a sequence";
}

/// What shared memory is asked for: scratch, and for each unit a column of the matrix, filled up to whole fours.
TEST(RnnStepsCuda, ABlockHasRoomForItsPartOfTheWeight)
{
    float number = 0;
    auto pass = smallPass(&number);
    for (std::int64_t width : {1, 20, 21, 1250}) {
        pass.elements.width = width;
        EXPECT_EQ(persistentBytes(pass), (kPersistentScratch + (width + 3) / 4 * 4 * kPersistentUnits) * sizeof(float));
    }
    EXPECT_LE(persistentBytes(pass), 99u * 1024u) << "1250 units on any GPU";
}

} // namespace
} // namespace unroll::kernels
