// SPDX-License-Identifier: GPL-3.0-or-later
// What the blocks of launchPersistent run, run on the CPU: all of a launch at once, turn by turn at random, as a GPU's
// scheduler might have it. Included by *_blocks_test.cpp only.
#pragma once

#include "core/kernels/steps/persistent_rnn.h"
#include "core/kernels/testing/on_elements.h"

#include <ATen/Context.h>
#include <ATen/ops/empty.h>

#include <algorithm>
#include <limits>
#include <memory>
#include <random>

namespace unroll::kernels::test {

/// A block: its threads go through each part one after the other, which is what a barrier allows.
template <class Pass>
class PersistentBlock {
public:
    using T = typename Pass::Number;

    PersistentBlock(const Pass& pass, const PersistentPlan& plan, std::int64_t number)
        : block(number), m_pass(pass), m_plan(plan), m_shared(persistentBytes(pass) / sizeof(Sixteen) + 1)
    {
        T* numbers = reinterpret_cast<T*>(m_shared.data());
        std::fill_n(numbers, persistentBytes(pass) / sizeof(T), std::numeric_limits<T>::quiet_NaN());
        for (int i = 0; i < kPersistentThreads; ++i)
            m_threads.emplace_back(pass, plan, number, i, numbers);
        loadMatrices<Pass>(*this);
    }

    template <class Each>
    void each(const Each& each)
    {
        for (PersistentThread<Pass>& thread : m_threads)
            each(thread);
    }

    bool ended() const { return m_turn == m_pass.turns(); }
    bool ready() const
    {
        return m_plan.words.reached(block / m_plan.launch.slices, static_cast<std::uint32_t>(m_turn));
    }
    void takeTurn() { walkTurn(m_pass, m_plan, *this, m_turn++); }

    const std::int64_t block;

private:
    struct alignas(16) Sixteen {
        std::byte bytes[16];
    };
    const Pass& m_pass;
    const PersistentPlan& m_plan;
    std::vector<Sixteen> m_shared;
    std::vector<PersistentThread<Pass>> m_threads;
    std::int64_t m_turn = 0;
};

/// OnElements, but that all steps go in one "launch" on a GPU that holds `resident` blocks.
class OnPersistent : public OnElements {
public:
    using OnElements::OnElements;
    static inline std::int64_t resident = 16;
    static inline unsigned seed = 0;

    template <class Pass, class ByProducts>
    void walk(const Pass& pass, const ByProducts&) const
    {
        const StepsLaunch launch = chooseSteps(sizesForSteps(pass), resident, StepsWish::Persistent);
        if (launch.way != StepsWay::Persistent) {
            EXPECT_EQ(pass.domain().steps * pass.domain().batch * pass.domain().width, 0) << "nothing but nothing";
            return;
        }
        ASSERT_TRUE(complete(pass));
        std::vector<std::uint32_t> words(static_cast<std::size_t>(launch.blocks()));
        run(pass, {launch, {words.data(), launch.slices}});
    }

private:
    template <class Pass>
    static void run(const Pass& pass, const PersistentPlan& plan)
    {
        std::mt19937 random(seed);
        std::vector<std::unique_ptr<PersistentBlock<Pass>>> blocks;
        for (std::int64_t i = 0; i < plan.launch.blocks(); ++i)
            blocks.push_back(std::make_unique<PersistentBlock<Pass>>(pass, plan, i));
        for (;;) {
            std::erase_if(blocks, [](const auto& block) { return block->ended(); });
            if (blocks.empty())
                return;
            std::vector<PersistentBlock<Pass>*> ready;
            for (const auto& block : blocks)
                if (block->ready())
                    ready.push_back(block.get());
            ASSERT_FALSE(ready.empty()) << "every block waits for another";
            ready[random() % ready.size()]->takeTurn();
        }
    }
};

/// What a round's call has besides its sizes, as StepsTrial: widths and batches around slices, tiles and pieces.
struct PersistentTrial : StepsTrial {
    PersistentTrial(unsigned round, at::ScalarType type, std::int64_t gates)
        : StepsTrial(round, type, gates, widths[round % std::size(widths)], batches[round / 5 % std::size(batches)])
    {}
    static constexpr std::int64_t widths[] = {1, 15, 16, 17, 40, 130, 150}, batches[] = {1, 3, 31, 33, 70};
};

/// While it lives, new tensors hold NaN: what is read before it was written shows.
class NewTensorsHoldNothing {
public:
    NewTensorsHoldNothing() : m_before(at::globalContext().deterministicAlgorithms())
    {
        at::globalContext().setDeterministicAlgorithms(true, /*warn_only=*/true);
    }
    ~NewTensorsHoldNothing() { at::globalContext().setDeterministicAlgorithms(m_before, /*warn_only=*/true); }

private:
    bool m_before;
};

/// Both in every round, one tile a block or several; again in other turns: the same bits.
inline void expectPersistentEqualsTheCpu(RunOfSteps byBlocks, RunOfSteps byKernel, unsigned rounds)
{
    const NewTensorsHoldNothing scope;
    ASSERT_TRUE(at::empty({1}).isnan().item<bool>());
    for (unsigned round = 0; round < rounds; ++round)
        for (at::ScalarType type : {at::kFloat, at::kDouble}) {
            const std::string what = "round " + std::to_string(round);
            OnPersistent::resident = round % 2 == 0 ? 64 : 10;
            OnPersistent::seed = round;
            const auto got = byBlocks(round, type);
            expectClose(got, byKernel(round, type), type, what);
            OnPersistent::seed = round + 1000;
            expectSameBits(byBlocks(round, type), got, what + ", other turns");
            ASSERT_FALSE(testing::Test::HasFailure()) << "stopped at the first bad round";
        }
}

} // namespace unroll::kernels::test
