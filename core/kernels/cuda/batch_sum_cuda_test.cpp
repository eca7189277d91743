// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/kernels/cuda/batch_sum_cuda.h"

#include <gtest/gtest.h>

namespace unroll::kernels {
namespace {

TEST(BatchSumCuda, BadArgumentsAreRefused)
{
    float value = 0;
    const float* absent = nullptr;
    EXPECT_EQ(sumOverBatchCuda(&value, -1, 1, 1, &value, nullptr, nullptr), cudaErrorInvalidValue);
    EXPECT_EQ(sumOverBatchCuda(absent, 1, 1, 1, &value, nullptr, nullptr), cudaErrorInvalidValue);
    EXPECT_EQ(sumOverBatchCuda(&value, 1, 1, 1, static_cast<float*>(nullptr), nullptr, nullptr), cudaErrorInvalidValue);
    EXPECT_EQ(sumOverBatchCuda(&value, 65, 1, 1, &value, nullptr, nullptr), cudaErrorInvalidValue)
        << "no memory for the shares";
    EXPECT_EQ(sumOverBatchCuda(&value, 1, 1, 0, &value, nullptr, nullptr), cudaSuccess) << "nothing to do";
}

} // namespace
} // namespace unroll::kernels
