// SPDX-License-Identifier: GPL-3.0-or-later
// Every scan on a GPU, by columns and in chunks, against the CPU: outputs and gradients, the same bits every time, and
// what a profile says.
#include "core/kernels/matrix_scan/matrix_scan_tile.h"
#include "core/kernels/scan/scan_launch.h"
#include "core/kernels/steps/steps_launch.h"
#include "core/kernels/testing/kernel_test.h"
#include "core/kernels/testing/scan_kernels.h"
#include "tests/gpu/gpu.h"
#include "tests/kernels/scan_kernels.h"

#include <ATen/record_function.h>

#include <algorithm>
#include <memory>

namespace unroll::kernels {
namespace {

using namespace test;

class ScanOnGpu : public testing::TestWithParam<ScanKernel> {};

/// Of a tensor of a few numbers nothing may be left but what bf16's rounding cancelled to.
double boundOf(const at::Tensor& want, at::ScalarType real)
{
    constexpr std::int64_t few = 8;
    return real != at::kBFloat16 ? allowedError(real) : want.numel() < few ? 5e-2 : 1e-2;
}

/// Twice on the GPU: the same bits; and within the bound of fp64 on the CPU, or twice the error of the CPU in the same
/// type.
void expectTheCpu(const ScanCase& scan, const Trial& trial, at::ScalarType real)
{
    const bool bf16 = real == at::kBFloat16;
    const auto want = byKernel(scan, trial, at::kDouble);
    const auto same = byKernel(scan, trial, bf16 ? at::kFloat : real);
    const auto got = byKernel(scan, trial, real, at::kCUDA), again = byKernel(scan, trial, real, at::kCUDA);
    ASSERT_EQ(got.size(), want.size());
    for (std::size_t i = 0; i < got.size(); ++i) {
        const double allowed = std::max(boundOf(want[i].tensor, real), 2 * relativeRms(same[i].tensor, want[i].tensor));
        EXPECT_LE(relativeRms(got[i].tensor, want[i].tensor), allowed) << scan.describe() << ": " << want[i].name;
        EXPECT_TRUE(got[i].tensor.equal(again[i].tensor))
            << scan.describe() << ": other bits the second time, " << want[i].name;
    }
}

void expectTheCpu(const ScanKernel& kernel, const ScanShape& shape, unsigned rounds)
{
    for (unsigned round = 0; round < rounds; ++round) {
        const auto scan = kernel.variant(shape, round);
        const Trial trial = heldByBf16(*scan, drawTrial(*scan, round));
        expectTheCpu(*scan, trial, at::kFloat);
        expectTheCpu(*scan, trial, at::kDouble);
        if (!scan->complex && isScan(kernel))
            expectTheCpu(*scan, trial, at::kBFloat16);
        ASSERT_FALSE(testing::Test::HasFailure()) << "stopped at the first bad case";
    }
}

TEST_P(ScanOnGpu, GivesWhatTheCpuGivesEitherWay)
{
    UNROLL_NEEDS_GPU();
    for (ScanWish wish : {ScanWish::Columns, ScanWish::Chunks}) {
        SCOPED_TRACE(wish == ScanWish::Columns ? "by columns" : "in chunks");
        const ScopedScanWish scope(wish);
        for (const ScanShape& shape : {ScanShape{1, 1, 1}, ScanShape{2, 3, 7}, ScanShape{63, 1, 129},
                                       ScanShape{64, 2, 33}, ScanShape{65, 3, 31}, ScanShape{257, 2, 40}})
            expectTheCpu(GetParam(), shape, 12);
    }
}

TEST_P(ScanOnGpu, GivesWhatTheCpuGivesAfterManyChunks)
{
    UNROLL_NEEDS_GPU();
    for (ScanWish wish : {ScanWish::Columns, ScanWish::Chunks, ScanWish::Auto}) {
        const ScopedScanWish scope(wish);
        expectTheCpu(GetParam(), {1000, 3, 65}, 3);
        expectTheCpu(GetParam(), {4097, 1, 5}, 3);
    }
}

/// More tiles than a GPU has room for, so that blocks wait for blocks that have ended.
TEST_P(ScanOnGpu, MoreTilesThanFitGiveTheSameBits)
{
    UNROLL_NEEDS_GPU();
    const ScopedScanWish scope(ScanWish::Chunks);
    expectTheCpu(GetParam(), {1000, 8, 300}, 2);
}

/// The same of matrices of every size that a thread has registers for: their chunks hold few steps, so of these there
/// must be many.
class MatrixChunksOnGpu : public testing::TestWithParam<std::int64_t> {};

TEST_P(MatrixChunksOnGpu, GiveWhatTheCpuGivesAfterManyOfThem)
{
    UNROLL_NEEDS_GPU();
    const ScopedScanWish scope(ScanWish::Chunks);
    expectTheCpu(matrixScanKernel(), {1000, 3, GetParam()}, 4);
    expectTheCpu(matrixScanKernel(), {4097, 1, GetParam()}, 2);
}

/// Four blocks of a launch are on a multiprocessor at most, by their shared memory: a thousand tiles are more than fit.
TEST_P(MatrixChunksOnGpu, MoreTilesThanFitGiveTheSameBits)
{
    UNROLL_NEEDS_GPU();
    const std::int64_t n = GetParam(), steps = 4096, batch = 640 / (n * n) + 1, heads = 2;
    const MatrixTile tile = MatrixTile::of(n, ScanWay::Chunks, sizeof(float));
    ASSERT_GT(steps / tile.steps() * tile.groups(batch * heads), 1000);
    const ScopedScanWish scope(ScanWish::Chunks);
    expectTheCpu(matrixScanKernel(), {steps, batch, n}, 2);
}

/// Those whose steps multiply a weight, either way over the GPU: a width of several slices, a batch of several tiles
/// and groups.
class StepsOnGpu : public testing::TestWithParam<ScanKernel> {};

TEST_P(StepsOnGpu, GiveWhatTheCpuGivesEitherWay)
{
    UNROLL_NEEDS_GPU();
    for (StepsWish wish : {StepsWish::Products, StepsWish::Persistent}) {
        SCOPED_TRACE(wish == StepsWish::Products ? "by products" : "in one launch");
        const ScopedStepsWish scope(wish);
        for (const ScanShape& shape : {ScanShape{1, 1, 1}, ScanShape{2, 33, 17}, ScanShape{257, 3, 130},
                                       ScanShape{17, 70, 400}, ScanShape{9, 700, 64}, ScanShape{2000, 2, 100}})
            expectTheCpu(GetParam(), shape, 6);
    }
}

/// What torch's profiler is told while `call` runs.
template <class Call>
std::vector<std::string> profiled(const Call& call)
{
    static thread_local std::vector<std::string> names;
    names.clear();
    const auto handle = at::addThreadLocalCallback(
        at::RecordFunctionCallback([](const at::RecordFunction& function) -> std::unique_ptr<at::ObserverContext> {
            names.emplace_back(function.name());
            return nullptr;
        }));
    call();
    at::removeCallback(handle);
    return names;
}

class WayOnGpu : public testing::TestWithParam<ScanKernel> {};

TEST_P(WayOnGpu, AProfileNamesIt)
{
    UNROLL_NEEDS_GPU();
    const auto scan = GetParam().variant({300, 2, 8}, 0);
    const ScanNumbers in = arguments(*scan, drawTrial(*scan, 0).numbers, at::kFloat, at::kCUDA);
    const bool linear = GetParam().name != "sru_scan";
    for (const auto& [wish, words] : {std::pair(ScanWish::Columns, "by columns"),
                                      std::pair(ScanWish::Chunks, linear ? "chunks of" : "by columns")}) {
        const ScopedScanWish scope(wish);
        EXPECT_THAT(profiled([&] { scan->call(in); }),
                    testing::Contains(testing::AllOf(testing::StartsWith(GetParam().name), testing::HasSubstr(words))));
    }
}

TEST_P(StepsOnGpu, AProfileNamesTheWay)
{
    UNROLL_NEEDS_GPU();
    const auto steps = GetParam().variant({30, 2, 40}, 0);
    const ScanNumbers in = arguments(*steps, drawTrial(*steps, 0).numbers, at::kFloat, at::kCUDA);
    for (const auto& [wish, words] : {std::pair(StepsWish::Products, " by products"),
                                      std::pair(StepsWish::Persistent, " in one launch of 3 blocks")}) {
        const ScopedStepsWish scope(wish);
        EXPECT_THAT(profiled([&] { steps->call(in); }), testing::Contains(GetParam().name + words));
    }
}

std::vector<ScanKernel> kernelsThat(bool areScans)
{
    std::vector<ScanKernel> kernels = scanKernels();
    std::erase_if(kernels, [&](const ScanKernel& kernel) { return isScan(kernel) != areScans; });
    return kernels;
}

std::string nameOf(const testing::TestParamInfo<ScanKernel>& instance)
{
    return instance.param.name;
}

INSTANTIATE_TEST_SUITE_P(Every, ScanOnGpu, testing::ValuesIn(scanKernels()), nameOf);
INSTANTIATE_TEST_SUITE_P(Every, StepsOnGpu, testing::ValuesIn(kernelsThat(/*areScans=*/false)), nameOf);
INSTANTIATE_TEST_SUITE_P(Sizes, MatrixChunksOnGpu, testing::Values(2, 4, 8, 16));
INSTANTIATE_TEST_SUITE_P(Every, WayOnGpu, testing::ValuesIn(kernelsThat(/*areScans=*/true)), nameOf);

} // namespace
} // namespace unroll::kernels
