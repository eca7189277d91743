// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/kernels/cuda/batch_sum_thread.h"

#include "core/kernels/cpu/batch_sum.h"
#include "core/kernels/testing/kernel_test.h"

#include <limits>

namespace unroll::kernels {
namespace {

/// sumOverBatchCuda's threads, one after the other.
std::vector<float> summed(const at::Tensor& partial, std::int64_t batch, std::int64_t stride, std::int64_t count)
{
    const auto size = static_cast<std::size_t>(count);
    std::vector<float> out(size, std::numeric_limits<float>::quiet_NaN());
    std::vector<double> shares(static_cast<std::size_t>(sharesOfBatch(batch)) * size,
                               std::numeric_limits<double>::quiet_NaN());
    sumInShares(partial.const_data_ptr<float>(), batch, stride, count, out.data(), shares.data(),
                [](const auto& sums, std::int64_t threads) {
                    for (std::int64_t i = 0; i < threads; ++i)
                        sums(i);
                    return 0;
                });
    return out;
}

/// Numbers of few bits, whose sums are exact: every row comes once, whatever the order.
TEST(BatchSumThread, AnyNumberOfRowsGivesTheSumOfTheCpu)
{
    constexpr std::int64_t count = 5, stride = 7;
    test::Draw draws(21);
    for (std::int64_t batch : {0, 1, 63, 64, 65, 255, 256, 257, 1000, 4097}) {
        const at::Tensor partial = (draws.normal({batch + 1, stride}) * 8).round_();
        std::vector<float> want(count);
        sumOverBatch(partial.const_data_ptr<float>(), batch, stride, count, want.data());
        EXPECT_EQ(summed(partial, batch, stride, count), want) << batch;
    }
}

TEST(BatchSumThread, NoThreadHasMuchMoreToAddThanTheRootOfTheRows)
{
    for (std::int64_t batch : {65, 1000, 4096, 65536, 1 << 20, 3000000})
        for (std::int64_t added : {rowsOfShare(batch), sharesOfBatch(batch)})
            EXPECT_LE(added * added, 4 * batch) << batch;
    EXPECT_EQ(sharesOfBatch(64), 1) << "few rows need no memory";
    EXPECT_EQ(sharesOfBatch(0), 1);
}

} // namespace
} // namespace unroll::kernels
