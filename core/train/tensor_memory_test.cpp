// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/train/tensor_memory.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/full.h>

#include <gtest/gtest.h>

#include <cstdint>
#include <thread>

namespace unroll {
namespace {

TEST(TensorMemory, BlocksAreReusedAlignedAndReleased)
{
    keepTensorMemory();
    releaseTensorMemory();
    const void* first = nullptr;
    {
        const at::Tensor tensor = at::full({1000, 250}, 3.0f);
        first = tensor.const_data_ptr();
        EXPECT_EQ(reinterpret_cast<std::uintptr_t>(first) % 64, 0u);
    }
    {
        const at::Tensor again = at::empty({1000, 249}); // nearly the same size shares the block
        EXPECT_EQ(again.const_data_ptr(), first);
        EXPECT_EQ(releaseTensorMemory(), 0u); // it was the only one, and is in use
    }
    EXPECT_GE(releaseTensorMemory(), 1'000'000u);
    EXPECT_EQ(releaseTensorMemory(), 0u);
}

TEST(TensorMemory, SmallAndEmptyTensorsWork)
{
    keepTensorMemory();
    EXPECT_EQ(at::empty({0}).numel(), 0);
    EXPECT_EQ(at::full({3}, 2.0f).sum().item<float>(), 6.0f);
}

TEST(TensorMemory, ManyThreadsMayAllocate)
{
    keepTensorMemory();
    std::vector<std::jthread> threads;
    for (int thread = 0; thread < 4; ++thread)
        threads.emplace_back([thread] {
            for (int i = 0; i < 200; ++i) {
                const at::Tensor tensor = at::full({30'000 + 100 * i}, static_cast<float>(thread));
                ASSERT_EQ(tensor[i].item<float>(), static_cast<float>(thread));
            }
        });
    threads.clear();
    releaseTensorMemory();
}

} // namespace
} // namespace unroll
