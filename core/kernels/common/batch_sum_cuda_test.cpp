// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/kernels/common/batch_sum_cuda.h"

#include <gtest/gtest.h>

namespace unroll::kernels {
namespace {

TEST(BatchSumCuda, BadArgumentsAreRefused)
{
    float value = 0;
    EXPECT_EQ(sumOverBatchCuda(&value, -1, 1, 1, &value, nullptr), cudaErrorInvalidValue);
    EXPECT_EQ(sumOverBatchCuda(static_cast<const float*>(nullptr), 1, 1, 1, &value, nullptr), cudaErrorInvalidValue);
    EXPECT_EQ(sumOverBatchCuda(&value, 1, 1, 1, static_cast<float*>(nullptr), nullptr), cudaErrorInvalidValue);
    EXPECT_EQ(sumOverBatchCuda(&value, 1, 1, 0, &value, nullptr), cudaSuccess) << "nothing to do";
}

} // namespace
} // namespace unroll::kernels
