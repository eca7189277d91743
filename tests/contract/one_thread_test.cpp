// SPDX-License-Identifier: GPL-3.0-or-later
// The tensors of these tests are small: more threads would only wait for each other.
#include <ATen/Parallel.h>
#include <gtest/gtest.h>

namespace unroll::contract {

namespace {

struct OneThread : ::testing::Environment {
    void SetUp() override { at::set_num_threads(1); }
};

const auto* const oneThread = ::testing::AddGlobalTestEnvironment(new OneThread);

} // namespace

TEST(Threads, AreOne)
{
    EXPECT_NE(oneThread, nullptr);
    EXPECT_EQ(at::get_num_threads(), 1);
}

} // namespace unroll::contract
