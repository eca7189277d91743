// SPDX-License-Identifier: GPL-3.0-or-later
// What the threads of a GPU run, run on the CPU: every scan whose columns are walked, against its CPU kernel.
#include "core/kernels/delta_scan/delta_scan_column.h"
#include "core/kernels/delta_scan/delta_scan_op.h"
#include "core/kernels/diag_scan/diag_scan_column.h"
#include "core/kernels/diag_scan/diag_scan_op.h"
#include "core/kernels/gated_scan/gated_scan_column.h"
#include "core/kernels/gated_scan/gated_scan_op.h"
#include "core/kernels/outer_scan/outer_scan_column.h"
#include "core/kernels/outer_scan/outer_scan_op.h"
#include "core/kernels/sru_scan/sru_scan_column.h"
#include "core/kernels/sru_scan/sru_scan_op.h"
#include "core/kernels/testing/on_chunks.h"
#include "core/kernels/testing/scan_op_case.h"
#include "tests/kernels/scan_kernels.h"

#include <algorithm>

namespace unroll::kernels {
namespace {

using namespace test;

template <class Spec>
class ScanColumn : public testing::Test {};

using ColumnScans = testing::Types<DeltaScanSpec, DiagScanSpec, GatedScanSpec, OuterScanSpec, SruScanSpec>;
TYPED_TEST_SUITE(ScanColumn, ColumnScans);

/// The case of a round, which says what is absent and which way the passes run.
template <class Spec>
std::unique_ptr<ScanOpCase<Spec>> caseOf(unsigned round, std::int64_t steps, std::int64_t width)
{
    const auto& kernels = scanKernels();
    const auto kernel =
        std::find_if(kernels.begin(), kernels.end(), [](const auto& k) { return k.name == Spec::name; });
    return std::unique_ptr<ScanOpCase<Spec>>(
        dynamic_cast<ScanOpCase<Spec>*>(kernel->variant({steps, 2, width}, round).release()));
}

/// Of few numbers a single sum that nearly vanishes weighs ten times as much.
void expectNear(const std::vector<Named>& got, const std::vector<Named>& want, at::ScalarType type,
                const std::string& what)
{
    ASSERT_EQ(got.size(), want.size()) << what;
    for (std::size_t i = 0; i < got.size(); ++i) {
        const double allowed = allowedError(type) * (want[i].tensor.numel() < 10 ? 10 : 1);
        EXPECT_LE(relativeRms(got[i].tensor, want[i].tensor), allowed) << what << ": " << got[i].name << ", " << type;
    }
}

TYPED_TEST(ScanColumn, EqualsTheCpuKernel)
{
    for (unsigned round = 0; round < 240; ++round) {
        const auto scan = caseOf<TypeParam>(round, columnSteps(round), 5);
        const Trial trial = drawTrial(*scan, round);
        for (at::ScalarType real : {at::kFloat, at::kDouble})
            expectNear(byOps<TypeParam, OnColumns>(*scan, trial, real), byOps<TypeParam, OnCpu>(*scan, trial, real),
                       real, "round " + std::to_string(round) + ", " + scan->describe());
    }
}

TYPED_TEST(ScanColumn, ChunksInAnyTurnsEqualTheCpuKernel)
{
    if constexpr (Chunkable<typename TypeParam::template Forward<float, float>>) {
        for (at::ScalarType real : {at::kFloat, at::kDouble})
            expectChunksEqualTheCpu(
                real, []<class Device>(unsigned round, at::ScalarType type, std::int64_t steps, std::int64_t width) {
                    const auto scan = caseOf<TypeParam>(round, steps, width);
                    return byOps<TypeParam, Device>(*scan, drawTrial(*scan, 100 + round), type);
                });
    }
}

/// In bf16 on Threads, against the CPU kernel in fp64 with the same numbers. The sequence that the backward pass is
/// given is kept in bf16: where nothing decays, that rounding alone adds up over the steps, so that twice what it does
/// in fp64 is allowed too. Of few units a single sum that nearly vanishes weighs too much.
template <class Spec, class Threads>
void expectBf16NearFp64()
{
    constexpr std::int64_t lengths[] = {1, 2, 63, 64, 65, 1000, 4097};
    const ScopedHalfOnCpu half;
    for (unsigned round = 0; round < 42; ++round) {
        const auto scan = caseOf<Spec>(round, lengths[round % std::size(lengths)], 37);
        if (scan->complex)
            continue; // of which there is no bf16
        Trial trial = heldByBf16(*scan, drawTrial(*scan, round));
        for (std::size_t i = 0; i + 1 < trial.weights.size(); ++i)
            if (trial.weights[i].defined())
                trial.weights[i] = trial.weights[i].to(at::kBFloat16).to(at::kFloat);
        const auto got = byOps<Spec, Threads>(*scan, trial, at::kBFloat16);
        const auto want = byOps<Spec, OnCpu>(*scan, trial, at::kDouble);
        const auto kept = byOps<Spec, OnCpu>(*scan, trial, at::kDouble, [](const at::Tensor& sequence) {
            return sequence.to(at::kBFloat16).to(at::kDouble);
        });
        for (std::size_t i = 0; i < want.size(); ++i)
            EXPECT_LE(relativeRms(got[i].tensor, want[i].tensor),
                      std::max(kBf16Error, 2 * relativeRms(kept[i].tensor, want[i].tensor)))
                << scan->describe() << ": " << got[i].name;
    }
}

TYPED_TEST(ScanColumn, InBf16IsNearFp64)
{
    expectBf16NearFp64<TypeParam, OnColumns>();
    if constexpr (Chunkable<typename TypeParam::template Forward<float, float>>)
        expectBf16NearFp64<TypeParam, OnChunks>();
}

} // namespace
} // namespace unroll::kernels
