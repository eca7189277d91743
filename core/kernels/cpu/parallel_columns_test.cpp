// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/kernels/cpu/parallel_columns.h"

#include "core/kernels/cpu/batch_sum.h"
#include "core/kernels/testing/kernel_test.h"

#include <gtest/gtest.h>

#include <cmath>
#include <mutex>
#include <set>
#include <thread>

namespace unroll::kernels {
namespace {

/// How often each column was handed out, and by which threads.
struct Visits {
    std::vector<int> columns;
    std::set<std::thread::id> threads;
};

Visits visit(std::int64_t batch, std::int64_t width, std::int64_t steps)
{
    Visits visits{std::vector<int>(static_cast<std::size_t>(batch * width)), {}};
    std::mutex mutex;
    parallelColumns(batch, width, steps, [&](ColumnRange range) {
        const std::lock_guard lock(mutex);
        visits.threads.insert(std::this_thread::get_id());
        EXPECT_LT(range.begin, range.end);
        for (std::int64_t column = range.begin; column < range.end; ++column)
            ++visits.columns[static_cast<std::size_t>(column)];
    });
    return visits;
}

TEST(ParallelColumns, EveryColumnComesOnce)
{
    for (int threads : {1, 2, 3})
        for (std::int64_t batch : {0, 1, 3, 40})
            for (std::int64_t width : {0, 1, 63, 64, 65, 1000}) {
                const test::ScopedThreads scope(threads);
                for (int count : visit(batch, width, 1000).columns)
                    ASSERT_EQ(count, 1) << batch << " x " << width << " on " << threads << " threads";
            }
}

TEST(ParallelColumns, TwoThreadsReallyTakePart)
{
    const test::ScopedThreads scope(2);
    EXPECT_EQ(visit(32, 256, 256).threads.size(), 2u);
}

TEST(ParallelColumns, SmallWorkStaysOnTheCallingThread)
{
    const test::ScopedThreads scope(2);
    EXPECT_EQ(visit(4, 256, 1).threads, std::set<std::thread::id>{std::this_thread::get_id()});
}

TEST(BatchSum, IsTheSumInTheOrderOfTheBatch)
{
    const std::int64_t batch = 37, stride = 203, count = 150;
    test::Draw draws(4);
    const at::Tensor partial = draws.normal({batch, stride});
    for (int threads : {1, 2}) {
        const test::ScopedThreads scope(threads);
        std::vector<float> out(static_cast<std::size_t>(stride), -1.0f);
        sumOverBatch(partial.const_data_ptr<float>(), batch, stride, count, out.data());
        for (std::int64_t i = 0; i < stride; ++i) {
            double want = 0;
            for (std::int64_t b = 0; b < batch; ++b)
                want += partial[b][i].item<float>();
            ASSERT_EQ(out[static_cast<std::size_t>(i)], i < count ? static_cast<float>(want) : -1.0f) << i;
        }
    }
}

} // namespace
} // namespace unroll::kernels
