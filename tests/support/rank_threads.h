// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/group/group.h"

#include <functional>
#include <gtest/gtest.h>
#include <thread>
#include <vector>

namespace unroll::testing {

constexpr double kRankPatience = 120; ///< seconds: long for a busy machine

/// The place of a rank among threads of this process.
inline RankPlace threadPlace(std::int64_t rank, std::int64_t size, const std::shared_ptr<Meeting>& meeting,
                             double timeout = kRankPatience)
{
    RankPlace place;
    place.rank = rank;
    place.size = size;
    place.localRank = rank;
    place.localSize = size;
    place.timeout = timeout;
    place.meeting = meeting;
    return place;
}

/// Runs `work` on a thread for each rank, and waits for all.
inline void onThreads(std::int64_t size, const std::function<void(std::int64_t rank)>& work)
{
    std::vector<std::thread> threads;
    for (std::int64_t rank = 0; rank < size; ++rank)
        threads.emplace_back([&work, rank] { work(rank); });
    for (std::thread& thread : threads)
        thread.join();
}

/// The same with a group for each.
inline void asRanks(std::int64_t size, const std::function<void(RankGroup&)>& work, double timeout = kRankPatience)
{
    const auto meeting = meetingInMemory();
    onThreads(size, [&](std::int64_t rank) {
        auto group = joinGroup(threadPlace(rank, size, meeting, timeout), "cpu");
        ASSERT_TRUE(group) << group.error().text();
        work(**group);
    });
}

} // namespace unroll::testing
