// SPDX-License-Identifier: GPL-3.0-or-later
// What the blocks of a GPU run, run on the CPU, against the CPU kernel.
#include "core/kernels/matrix_scan/matrix_scan_thread.h"

#include "core/kernels/matrix_scan/matrix_scan_op.h"
#include "core/kernels/testing/on_chunks.h"

#include <ATen/ops/matrix_exp.h>

#include <limits>

namespace unroll::kernels {
namespace {

using namespace test;

/// The threads of one block and their shared memory, which holds no numbers at first.
template <class Scan, int capacity>
class MatrixBlock {
public:
    using State = typename Scan::StateType;
    using Thread = MatrixThread<Scan, capacity>;
    static constexpr int phases = 7;

    MatrixBlock(const Scan& scan, const MatrixPlan<State>& plan, std::int64_t group)
        : m_shared(plan.tile.sharedNumbers, std::numeric_limits<State>::quiet_NaN())
    {
        for (int i = 0; i < plan.tile.threads(); ++i)
            m_threads.emplace_back(scan, plan, group, i, m_shared.data());
    }

    template <class Each>
    void forAll(const Each& each)
    {
        for (Thread& thread : m_threads)
            each(thread);
    }

    bool ready(int phase) const
    {
        for (const Thread& thread : m_threads)
            if (phase == 3 && thread.looksBack() && !thread.canTake())
                return false;
        return true;
    }

    void run(int phase)
    {
        forAll([phase](Thread& thread) {
            switch (phase) {
            case 0: return thread.stage();
            case 1: return thread.gather();
            case 2: return thread.looksBack() ? thread.combine() : void();
            case 3: return thread.looksBack() ? thread.lookBack() : void();
            case 4: return thread.walk(true);
            case 5: return multiply(thread);
            default: return thread.store();
            }
        });
    }

    static void multiply(Thread& thread)
    {
        if constexpr (Scan::backward)
            thread.multiply();
    }

private:
    std::vector<State> m_shared;
    std::vector<Thread> m_threads;
};

/// matrixByColumns' blocks.
template <int capacity, class Scan>
void runByColumns(const Scan& scan)
{
    const auto plan = matrixPlan(scan, {}, nullptr);
    for (std::int64_t group = 0; group < plan.groups; ++group) {
        MatrixBlock<Scan, capacity> block(scan, plan, group);
        block.forAll([](auto& thread) { thread.readFirst(); });
        if (scan.steps == 0)
            block.forAll([](auto& thread) { thread.copyFirstToLast(); });
        for (std::int64_t chunk = 0; chunk * plan.tile.steps() < scan.steps; ++chunk) {
            block.forAll([&](auto& thread) { thread.begin(chunk); });
            block.forAll([](auto& thread) { thread.stage(); });
            block.forAll([](auto& thread) { thread.walk(false); });
            block.forAll([&](auto& thread) { block.multiply(thread); });
            block.forAll([](auto& thread) { thread.store(); });
        }
    }
}

/// matrixInChunks' blocks.
template <int capacity, class Scan>
void runInChunks(const Scan& scan, const ScanLaunch& launch)
{
    std::vector<std::byte> memory = workspaceOf(matrixWorkspace(scan, launch));
    const auto plan = matrixPlan(scan, launch, memory.data());
    runBlocks<MatrixBlock<Scan, capacity>>(plan.chunks * plan.groups, WalkChunks::turns, [&](std::int64_t ticket) {
        const ChunkTile tile = ChunkTile::of(ticket, plan.groups);
        auto block = std::make_unique<MatrixBlock<Scan, capacity>>(scan, plan, tile.group);
        block->forAll([&](auto& thread) { thread.begin(tile.chunk); });
        return block;
    });
}

template <int capacity, ScanWish wish>
struct WalkBlocks {
    template <class Scan>
    void operator()(const Scan& scan) const
    {
        const ScanLaunch launch = chooseLaunch(sizesForLaunch(scan), 1, wish);
        if (launch.way == ScanWay::Chunks)
            runInChunks<capacity>(scan, launch);
        else
            runByColumns<capacity>(scan);
    }
};

template <int capacity>
using OnMatrixColumns = OnCpuBy<WalkBlocks<capacity, ScanWish::Columns>>;
template <int capacity>
using OnMatrixChunks = OnCpuBy<WalkBlocks<capacity, ScanWish::Chunks>>;

std::int64_t sizeIn(unsigned round)
{
    constexpr std::int64_t sizes[] = {1, 3, 4, 5, 8, 11, 16, 21, 40};
    return sizes[round % std::size(sizes)];
}

/// Both passes; what is absent and which way they run depends on `round`.
template <class Device>
std::vector<Named> runMatrices(unsigned round, at::ScalarType type, std::int64_t steps)
{
    Draw draws(round);
    const std::int64_t n = sizeIn(round), batch = 1 + round / 9 % 3;
    const auto sequence = [&](const at::Tensor& numbers) { return sequenceOf<Device>(numbers, type); };
    // Near to rotations, or long products leave the range of the type.
    const at::Tensor drawn = draws.normal({steps, batch, 3, n, n});
    const at::Tensor m = sequence(steps > 100 ? at::matrix_exp(0.3 * (drawn - drawn.transpose(-1, -2)))
                                              : drawn / std::sqrt(static_cast<double>(n)));
    MaybeTensor initial, mask, gradH, gradLast;
    if (round % 5 != 0)
        initial = stateOf(draws.normal({batch, 3, n, n}), type);
    if (round / 8 % 2 == 0)
        mask = draws.uniform({steps, batch}) < 0.7;
    if (round % 3 != 0)
        gradH = sequence(draws.normal({steps, batch, 3, n, n}));
    if (round % 3 != 1)
        gradLast = stateOf(draws.normal({batch, 3, n, n}), type);
    const bool reverse = round / 16 % 2 == 1;
    const auto [h, last] = ScanOn<MatrixScanSpec, Device>::forward(m, initial, mask, reverse);
    const auto [gradM, gradInitial] =
        ScanOn<MatrixScanSpec, Device>::backward(m, initial, mask, h, gradH, gradLast, reverse);
    return {{"h", h}, {"last", last}, {"gradient of m", gradM}, {"gradient of initial", gradInitial}};
}

/// Lengths around runs and chunks of every size; eleven, so that each meets every choice made of round % 2 to 9.
std::int64_t stepsIn(unsigned round)
{
    constexpr std::int64_t lengths[] = {0, 1, 2, 7, 63, 64, 65, 16, 20, 41, 130};
    return lengths[round % std::size(lengths)];
}

template <int capacity>
void expectTheCpuKernelByColumns(unsigned round, at::ScalarType type)
{
    if (sizeIn(round) <= capacity)
        expectClose(runMatrices<OnMatrixColumns<capacity>>(round, type, stepsIn(round)),
                    runMatrices<OnCpu>(round, type, stepsIn(round)), type,
                    "round " + std::to_string(round) + ", capacity " + std::to_string(capacity));
}

TEST(MatrixScanThread, ByColumnsEqualsTheCpuKernel)
{
    for (unsigned round = 0; round < 99; ++round)
        for (at::ScalarType type : {at::kFloat, at::kDouble}) {
            expectTheCpuKernelByColumns<4>(round, type);
            expectTheCpuKernelByColumns<8>(round, type);
            expectTheCpuKernelByColumns<16>(round, type);
            expectTheCpuKernelByColumns<static_cast<int>(kMaxMatrixSize)>(round, type);
        }
}

TEST(MatrixScanThread, ChunksInAnyTurnsEqualTheCpuKernel)
{
    for (at::ScalarType type : {at::kFloat, at::kDouble})
        for (unsigned round = 0; round < 99; ++round) {
            if (sizeIn(round) > kMaxChunkedMatrix)
                continue;
            SCOPED_TRACE("round " + std::to_string(round));
            const auto numbers = [&]<class Device>() { return runMatrices<Device>(round, type, stepsIn(round)); };
            expectTheCpuInAnyTurns<OnMatrixChunks<16>>(round, type, numbers);
            ASSERT_FALSE(HasFailure()) << "stopped at the first bad round";
        }
}

/// Of 3, 4, 8 and 16 rows.
TEST(MatrixScanThread, TheLongestWalksInAnyTurnsEqualTheCpuKernel)
{
    for (std::int64_t steps : {1000, 4097})
        for (unsigned round : {1u, 2u, 13u, 6u}) {
            SCOPED_TRACE(std::to_string(steps) + " steps, round " + std::to_string(round));
            const auto numbers = [&]<class Device>() { return runMatrices<Device>(round, at::kDouble, steps); };
            expectTheCpuInAnyTurns<OnMatrixChunks<16>>(round, at::kDouble, numbers);
        }
}

/// bf16 loses orthogonality in every matrix, so products of many leave the size of one: what is asked for is the
/// numbers of fp64 with the same ones.
TEST(MatrixScanThread, InBf16IsNearFp64)
{
    const auto numbers = []<class Device>(auto... trial) { return runMatrices<Device>(trial...); };
    expectBf16NearFp64<OnMatrixColumns<static_cast<int>(kMaxMatrixSize)>>(numbers);
}

TEST(MatrixScanThread, LargeMatricesAreNotChunked)
{
    auto scan = MatrixScanForward<float, float>();
    scan.steps = 1000;
    scan.batch = 1;
    scan.width = scan.size = kMaxChunkedMatrix;
    EXPECT_EQ(chooseLaunch(sizesForLaunch(scan), 132, ScanWish::Auto).way, ScanWay::Chunks);
    scan.width = scan.size = kMaxChunkedMatrix + 1;
    EXPECT_EQ(chooseLaunch(sizesForLaunch(scan), 132, ScanWish::Chunks).way, ScanWay::Columns);
}

/// 99 KB of shared memory and 128 threads is what a block may have on any GPU that the kernels are compiled for.
TEST(MatrixScanThread, EveryTileFitsIntoABlock)
{
    for (std::size_t bytes : {sizeof(float), sizeof(double)})
        for (std::int64_t n = 1; n <= kMaxMatrixSize; ++n)
            for (ScanWay way : {ScanWay::Columns, ScanWay::Chunks}) {
                if (way == ScanWay::Chunks && n > kMaxChunkedMatrix)
                    continue;
                const MatrixTile tile = MatrixTile::of(n, way, bytes);
                EXPECT_LE(tile.sharedNumbers * bytes, 99u * 1024u) << n;
                EXPECT_LE(tile.sharedNumbers, MatrixTile::mostNumbers(n, way, bytes)) << "what the launcher asks for";
                EXPECT_LE(tile.threads(), 128) << n;
                EXPECT_GE(tile.runSteps, 1) << n;
            }
}

} // namespace
} // namespace unroll::kernels
