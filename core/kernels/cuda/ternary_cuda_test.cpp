// SPDX-License-Identifier: GPL-3.0-or-later
// The raw CUDA launchers, as far as a machine without a GPU can show.
#include "core/kernels/cuda/ternary_cuda.h"

#include <gtest/gtest.h>

namespace unroll::kernels {
namespace {

TEST(TernaryCuda, AbsentArraysAreRefused)
{
    EXPECT_EQ(quantiseRowsOnCuda({.in = 4}, 1, nullptr), cudaErrorInvalidValue);
    EXPECT_EQ(normBackwardOnCuda({.in = 4}, 1, nullptr), cudaErrorInvalidValue);
    EXPECT_EQ(findScalesOnCuda({.shape = {2, 2}}, nullptr), cudaErrorInvalidValue);
    EXPECT_EQ(packWeightOnCuda({.shape = {2, 2}}, nullptr), cudaErrorInvalidValue);
    EXPECT_EQ(unpackWeightOnCuda({.shape = {2, 2}}, nullptr), cudaErrorInvalidValue);
    EXPECT_EQ(multiplyOnCuda({.shape = {2, 2}}, 1, nullptr), cudaErrorInvalidValue);
}

TEST(TernaryCuda, NoRowsAreSuccessAndFewerAreRefused)
{
    alignas(4) std::uint8_t packed[kPanelBytes] = {};
    const float scale = 1;
    const TernaryProduct product = {.packed = packed, .scale = {&scale, 2}, .shape = {2, 2}};
    EXPECT_EQ(multiplyOnCuda(product, 0, nullptr), cudaSuccess);
    EXPECT_EQ(multiplyOnCuda(product, -1, nullptr), cudaErrorInvalidValue);
    EXPECT_EQ(quantiseRowsOnCuda({.in = 4}, 0, nullptr), cudaSuccess);
    EXPECT_EQ(quantiseRowsOnCuda({.in = 4}, -1, nullptr), cudaErrorInvalidValue);
    EXPECT_EQ(normBackwardOnCuda({.in = 4}, 0, nullptr), cudaSuccess);
    EXPECT_EQ(normBackwardOnCuda({.in = 4}, -1, nullptr), cudaErrorInvalidValue);
}

TEST(TernaryCuda, WhatCannotBeIsRefused)
{
    alignas(4) std::uint8_t packed[kPanelBytes + 1] = {};
    float number = 1;
    double sum = 0;
    EXPECT_EQ(unpackWeightOnCuda({packed + 1, {&number, 2}, {2, 2}, &number}, nullptr), cudaErrorInvalidValue)
        << "words that no read reaches";
    EXPECT_EQ(unpackWeightOnCuda({packed, {&number, 2}, {2, 0}, &number}, nullptr), cudaErrorInvalidValue)
        << "no inputs";
    EXPECT_EQ(findScalesOnCuda({&number, {3, 2}, 2, &sum, &number}, nullptr), cudaErrorInvalidValue)
        << "parts of unequal size";
}

} // namespace
} // namespace unroll::kernels
