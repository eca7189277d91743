// SPDX-License-Identifier: GPL-3.0-or-later
// What the blocks of a chunked launch run, run on the CPU: ops over OnChunks are compared with ops over OnCpu. Blocks
// take turns at random between barriers, some of them at a time, as a GPU's scheduler might have it. Included by
// *_test.cpp only.
#pragma once

#include "core/kernels/scan/chunk_thread.h"
#include "core/kernels/testing/on_columns.h"

#include <cstddef>
#include <functional>
#include <memory>
#include <random>

namespace unroll::kernels::test {

/// A GPU of so many blocks at a time, and the turns they take.
struct BlockTurns {
    std::size_t resident = 1;
    unsigned seed = 0;
};

/// One tile, barrier by barrier. Block: has phases, and ready(phase), run(phase) of the next one.
template <class Block>
void runBlocks(std::int64_t count, const BlockTurns& turns,
               const std::function<std::unique_ptr<Block>(std::int64_t)>& blockOf)
{
    struct Running {
        std::unique_ptr<Block> block;
        int phase = 0;
    };
    std::mt19937 random(turns.seed);
    std::vector<Running> running;
    std::int64_t ticket = 0;
    while (ticket < count || !running.empty()) {
        while (ticket < count && running.size() < turns.resident)
            running.push_back({blockOf(ticket++)});
        std::vector<std::size_t> ready;
        for (std::size_t i = 0; i < running.size(); ++i)
            if (running[i].block->ready(running[i].phase))
                ready.push_back(i);
        ASSERT_FALSE(ready.empty()) << "every block waits for another";
        const std::size_t i = ready[random() % ready.size()];
        running[i].block->run(running[i].phase++);
        if (running[i].phase == Block::phases)
            running.erase(running.begin() + static_cast<std::ptrdiff_t>(i));
    }
}

/// walkChunks' block.
template <class Scan>
class ChunkBlock {
public:
    using State = typename ColumnOf<Scan>::State;
    static constexpr int phases = 4;

    ChunkBlock(const Scan& scan, const ChunkPlan<State>& plan, std::int64_t ticket)
    {
        for (int i = 0; i < kChunkWarps * kChunkLanes; ++i)
            m_threads.emplace_back(scan, plan, ChunkTile::of(ticket, plan.groups), i);
    }

    bool ready(int phase) const
    {
        for (const ChunkThread<Scan>& thread : m_threads) {
            if (phase == 1 && thread.looksBack() && !thread.canTakeState())
                return false;
            if (phase == 3 && SummingColumn<ColumnOf<Scan>> && thread.closes() && !thread.canTakeSum())
                return false;
        }
        return true;
    }

    void run(int phase)
    {
        for (ChunkThread<Scan>& thread : m_threads) {
            if (phase == 0)
                thread.gather(m_shared);
            else if (phase == 1 && thread.looksBack())
                thread.lookBack(m_shared);
            else if (phase == 2)
                thread.walk(m_shared);
            else if (phase == 3 && thread.closes())
                thread.close(m_shared);
        }
    }

private:
    std::vector<ChunkThread<Scan>> m_threads;
    ChunkShared<State> m_shared;
};

/// Memory as launchChunks leaves it: zeros first, then what was there before.
inline std::vector<std::byte> workspaceOf(const ChunkWorkspace& space)
{
    std::vector<std::byte> memory(space.bytes, std::byte(0xff));
    std::fill_n(memory.begin(), space.zeroedBytes, std::byte(0));
    return memory;
}

template <class Scan>
void runChunks(const Scan& scan, const ScanLaunch& launch, const BlockTurns& turns)
{
    std::vector<std::byte> memory = workspaceOf(ChunkMemory<Scan>::workspace(scan, launch));
    const auto plan = ChunkMemory<Scan>::plan(scan, launch, memory.data());
    runBlocks<ChunkBlock<Scan>>(plan.chunks * plan.groups, turns, [&](std::int64_t ticket) {
        return std::make_unique<ChunkBlock<Scan>>(scan, plan, ticket);
    });
}

struct WalkChunks {
    static inline BlockTurns turns;

    template <class Scan>
    void operator()(const Scan& scan) const
    {
        const ScanLaunch launch = chooseLaunch(sizesForLaunch(scan), 1, ScanWish::Chunks);
        if (launch.way == ScanWay::Chunks)
            return runChunks(scan, launch, turns);
        EXPECT_EQ(scan.steps * scan.batch * scan.width, 0) << "only nothing at all is left to columns";
        WalkColumns()(scan);
    }
};

using OnChunks = OnCpuBy<WalkChunks>;

/// Lengths around the runs and chunks of every type; eleven, so that each meets every choice made of round % 2 to 10.
inline std::int64_t chunkSteps(unsigned round)
{
    constexpr std::int64_t lengths[] = {1, 2, 63, 64, 65, 1000, 4097, 0, 127, 129, 33};
    return lengths[round % std::size(lengths)];
}

/// Compares what compute<Device>() gives on Chunks, with blocks one at a time, a few, or all at once, with what it
/// gives on OnCpu.
template <class Chunks, class Compute>
void expectTheCpuInAnyTurns(unsigned seed, at::ScalarType type, const Compute& compute)
{
    const auto computed = [&](const BlockTurns& turns) {
        WalkChunks::turns = turns;
        return compute.template operator()<Chunks>();
    };
    const auto got = computed({1, 0});
    expectClose(got, compute.template operator()<OnCpu>(), type, "chunks");
    for (const BlockTurns& turns : {BlockTurns{3, seed}, BlockTurns{1000, seed + 1}})
        expectSameBits(computed(turns), got, "other turns");
}

/// The same of compute<Device>(round, type, steps, width) for many rounds, on OnChunks.
template <class Compute>
void expectChunksEqualTheCpu(at::ScalarType type, const Compute& compute)
{
    constexpr unsigned rounds = 96;
    for (unsigned round = 0; round < rounds; ++round) {
        SCOPED_TRACE("round " + std::to_string(round));
        expectTheCpuInAnyTurns<OnChunks>(round, type, [&]<class Device>() {
            return compute.template operator()<Device>(round, type, chunkSteps(round),
                                                       round % 3 == 0 ? 37 : 1 + round % 4);
        });
        ASSERT_FALSE(testing::Test::HasFailure()) << "stopped at the first bad round";
    }
}

} // namespace unroll::kernels::test
