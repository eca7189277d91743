// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/group/group.h"

#include "tests/support/rank_threads.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/arange.h>
#include <ATen/ops/equal.h>
#include <ATen/ops/full.h>
#include <ATen/ops/tensor.h>
#include <ATen/ops/zeros.h>
#include <torch/version.h>

#include <chrono>
#include <cstdlib>
#include <latch>
#include <mutex>
#include <vector>

namespace unroll {
namespace {

using testing::asRanks;
using testing::kRankPatience;
using testing::onThreads;
using testing::threadPlace;

/// core/group/shim declares what the header of ProcessGroupGloo in this version needs: another one has to be compared.
TEST(Group, TorchIsTheOneThatTheDeclarationsOfGlooAreFor)
{
    EXPECT_EQ(std::string(TORCH_VERSION).substr(0, 5), "2.11.");
}

TEST(Group, SumsGreatestGatheredBroadcastAndTexts)
{
    for (std::int64_t size : {2, 3, 4})
        asRanks(size, [size](RankGroup& group) {
            const auto mine = static_cast<double>(group.rank() + 1);
            EXPECT_EQ(group.size(), size);
            EXPECT_EQ(group.backend(), "Gloo");
            const at::Tensor whole = at::full({3, 5}, mine, at::kFloat), number = at::full({}, mine, at::kDouble);
            const at::Tensor turned = at::full({4, 6}, mine, at::kFloat).t(); // in columns
            group.sum({whole, number, turned});
            const double sum = static_cast<double>(size * (size + 1)) / 2;
            EXPECT_TRUE(at::equal(whole, at::full({3, 5}, sum, at::kFloat)));
            EXPECT_TRUE(at::equal(turned, at::full({6, 4}, sum, at::kFloat)));
            EXPECT_EQ(number.item<double>(), sum);
            const at::Tensor most = at::tensor({mine, -mine});
            group.most(most);
            EXPECT_EQ(most[0].item<double>(), static_cast<double>(size));
            EXPECT_EQ(most[1].item<double>(), -1);
            const auto all = group.gather(at::full({2}, mine));
            ASSERT_EQ(all.size(), static_cast<std::size_t>(size));
            for (std::int64_t rank = 0; rank < size; ++rank)
                EXPECT_EQ(all[static_cast<std::size_t>(rank)][1].item<double>(), static_cast<double>(rank + 1));
            const at::Tensor told = at::full({2, 2}, mine).t();
            group.broadcast(told);
            EXPECT_EQ(told[1][0].item<double>(), 1);
            const auto texts = group.texts(std::string(static_cast<std::size_t>(group.rank()), 'x'));
            for (std::size_t rank = 0; rank < texts.size(); ++rank)
                EXPECT_EQ(texts[rank], std::string(rank, 'x'));
            EXPECT_GT(group.traffic().bytes, 0);
            EXPECT_EQ(group.traffic().sums, 1);
        });
}

/// More than one bucket, and a tensor that is larger than one.
TEST(Group, SumsInBuckets)
{
    asRanks(2, [](RankGroup& group) {
        std::vector<at::Tensor> tensors;
        for (std::int64_t elements : {5'000'000, 3, 4'000'000, 8'000'000, 7})
            tensors.push_back(at::arange(elements, at::kFloat).fmod(1000) * static_cast<double>(group.rank() + 1));
        group.sum(tensors);
        for (const at::Tensor& tensor : tensors)
            EXPECT_TRUE(at::equal(tensor, at::arange(tensor.numel(), at::kFloat).fmod(1000) * 3));
    });
}

/// Numbers that round: every rank must round alike, or weights would drift apart.
TEST(Group, SumsHaveTheSameBitsEverywhereAndEveryTime)
{
    std::mutex mutex;
    std::vector<at::Tensor> sums;
    for (int time = 0; time < 2; ++time)
        asRanks(4, [&](RankGroup& group) {
            const at::Tensor mine = (at::arange(10'001, at::kFloat) + 1).reciprocal() * (group.rank() + 0.1);
            group.sum({mine});
            const std::lock_guard lock(mutex);
            sums.push_back(mine);
        });
    ASSERT_EQ(sums.size(), 8u);
    for (const at::Tensor& sum : sums)
        EXPECT_TRUE(at::equal(sum, sums[0]));
}

TEST(Group, AgreeNamesTheFirstThatDiffers)
{
    asRanks(3, [](RankGroup& group) {
        EXPECT_TRUE(agree(group, {{"seed", "1"}, {"data", "abc"}}));
        const auto differs = agree(group, {{"seed", "1"}, {"data", group.rank() == 2 ? "xyz" : "abc"}});
        ASSERT_FALSE(differs);
        EXPECT_EQ(differs.error().message, "rank 2 has another data than rank 0: xyz instead of abc");
    });
}

/// The first call of a group is entered in what c10d keeps for the whole process.
TEST(Group, ManyBeginTheirFirstCallsAtOnce)
{
    constexpr std::int64_t kPairs = 4;
    const int rounds = std::getenv("UNROLL_TEST_ALL") != nullptr ? 500 : 20;
    for (int round = 0; round < rounds; ++round) {
        std::vector<std::shared_ptr<Meeting>> meetings;
        for (std::int64_t pair = 0; pair < kPairs; ++pair)
            meetings.push_back(meetingInMemory());
        std::latch joined(2 * kPairs);
        onThreads(2 * kPairs, [&](std::int64_t thread) {
            const auto group =
                joinGroup(threadPlace(thread % 2, 2, meetings[static_cast<std::size_t>(thread / 2)]), "cpu");
            joined.arrive_and_wait();
            ASSERT_TRUE(group) << group.error().text();
            const at::Tensor one = at::full({3}, 1.0);
            (*group)->sum({one});
            EXPECT_EQ(one[0].item<double>(), 2);
        });
    }
}

double secondsOf(const std::function<void()>& work)
{
    const auto begin = std::chrono::steady_clock::now();
    work();
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

std::string lossOf(RankGroup& group)
{
    try {
        group.sum({at::zeros({3})});
    } catch (const LostPeer& lost) {
        return lost.what();
    }
    return "nothing was lost";
}

TEST(Group, ALostRankIsNamedAtOnce)
{
    const auto meeting = meetingInMemory();
    onThreads(2, [&](std::int64_t rank) {
        auto group = joinGroup(threadPlace(rank, 2, meeting), "cpu");
        ASSERT_TRUE(group);
        (*group)->sum({at::zeros({3})});
        if (rank == 1)
            return; // without a word
        const double seconds = secondsOf([&] {
            const std::string words = lossOf(**group);
            EXPECT_NE(words.find("rank 1 of 2 is gone or does not answer"), std::string::npos) << words;
            EXPECT_EQ(words.find("gloo/transport"), std::string::npos) << words;
        });
        EXPECT_LT(seconds, kRankPatience / 2) << "not only after the time-out";
        EXPECT_NE(lossOf(**group).find("rank 1"), std::string::npos) << "it stays lost";
    });
}

TEST(Group, ASilentRankIsLostAfterTheTimeOut)
{
    const auto meeting = meetingInMemory();
    std::latch noticed(1);
    onThreads(2, [&](std::int64_t rank) {
        auto group = joinGroup(threadPlace(rank, 2, meeting, 4), "cpu");
        EXPECT_TRUE(group);
        if (!group)
            return noticed.count_down();
        if (rank == 1)
            return noticed.wait(); // silent, and there
        const double seconds = secondsOf([&] {
            const std::string words = lossOf(**group);
            EXPECT_NE(words.find("rank 1 of 2 is gone or does not answer within 4 s"), std::string::npos) << words;
        });
        noticed.count_down();
        EXPECT_GE(seconds, 3.6);
        EXPECT_LT(seconds, kRankPatience);
    });
}

TEST(Group, ARankThatLeavesSaysWhy)
{
    const auto meeting = meetingInMemory();
    onThreads(2, [&](std::int64_t rank) {
        auto group = joinGroup(threadPlace(rank, 2, meeting), "cpu");
        if (rank == 1) {
            ASSERT_TRUE(group);
            return (*group)->leave("out of memory");
        }
        // The other may leave while this one still connects to it.
        EXPECT_EQ(group ? lossOf(**group) : group.error().message, "rank 1 ended: out of memory");
    });
}

TEST(Group, RanksThatDoNotComeAreNamed)
{
    const auto group = joinGroup(threadPlace(0, 3, meetingInMemory(), 0.3), "cpu");
    ASSERT_FALSE(group);
    EXPECT_NE(group.error().message.find("ranks 1, 2 of 3 did not come within 0.3 s"), std::string::npos)
        << group.error().message;
}

} // namespace
} // namespace unroll
