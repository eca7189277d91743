// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/numerics/accuracy.h"

#include "core/kernels/scan/scan_launch.h"
#include "core/kernels/steps/steps_launch.h"
#include "tests/numerics/collected.h"

namespace unroll::kernels::test {
namespace {

std::string sizesOf(const ScanShape& shape)
{
    return "T " + std::to_string(shape.steps) + ", B " + std::to_string(shape.batch) + ", d " +
           std::to_string(shape.width);
}

/// Is handed a case, its numbers, and words for the call.
using Taken = std::function<void(const ScanCase& scan, const Trial& trial, const std::string& call)>;

/// Calls with the numbers that a kernel draws.
void takeOrdinary(const ScanKernel& kernel, Extent extent, const Taken& take)
{
    const bool whole = extent == Extent::Whole;
    const std::vector<std::int64_t> lengths =
        whole ? std::vector<std::int64_t>{1, 2, 63, 64, 65, 1000, 4097} : std::vector<std::int64_t>{1, 2, 65};
    unsigned round = 0;
    for (std::int64_t steps : lengths)
        for (std::int64_t width : {7, 33})
            for (int i = 0; i < (whole ? 4 : 2); ++i, ++round) {
                const auto scan = kernel.variant({steps, 3, width}, round);
                take(*scan, drawTrial(*scan, round), sizesOf(scan->shape));
            }
    if (whole)
        for (std::int64_t steps : {1000, 4097})
            for (std::int64_t width : kernel.unrolled)
                for (int i = 0; i < 2; ++i, ++round) {
                    const auto scan = kernel.variant({steps, 3, width}, round);
                    take(*scan, drawTrial(*scan, round), sizesOf(scan->shape));
                }
}

/// Cases of a few lengths and widths, each with gradients on all outputs: of one that arrives on the last state alone,
/// hard numbers would leave nothing.
void eachHardCase(const ScanKernel& kernel, const std::vector<std::int64_t>& lengths, Extent extent,
                  const std::function<void(const ScanCase& scan, unsigned round)>& each)
{
    std::vector<std::int64_t> widths{9};
    if (extent == Extent::Whole)
        widths.insert(widths.end(), kernel.unrolled.begin(), kernel.unrolled.end());
    unsigned round = 0;
    for (std::int64_t steps : lengths)
        for (std::int64_t width : widths)
            for (int i = 0; i < 2; ++i, ++round) {
                const auto scan = kernel.variant({steps, 2, width}, round);
                scan->gradients = ~0u;
                each(*scan, round);
            }
}

void takeExtreme(const ScanKernel& kernel, Extent extent, const Taken& take)
{
    const std::vector<std::int64_t> lengths =
        extent == Extent::Whole ? std::vector<std::int64_t>{65, 1000, 4097} : std::vector<std::int64_t>{65};
    eachHardCase(kernel, lengths, extent, [&](const ScanCase& scan, unsigned round) {
        for (const Extreme& extreme : scan.extremes()) {
            Trial trial = drawTrial(scan, round);
            extreme.apply(trial.numbers);
            take(scan, trial, sizesOf(scan.shape) + "; " + extreme.what);
        }
    });
}

/// Gradients of the outputs in all sizes, as they are far from a loss.
void takeSizes(const ScanKernel& kernel, Extent extent, const Taken& take)
{
    const std::vector<std::int64_t> lengths =
        extent == Extent::Whole ? std::vector<std::int64_t>{65, 1000} : std::vector<std::int64_t>{65};
    eachHardCase(kernel, lengths, extent, [&](const ScanCase& scan, unsigned round) {
        for (const double size : kOtherSizes) {
            Trial trial = drawTrial(scan, round);
            for (at::Tensor& weight : trial.weights)
                weight.mul_(size);
            take(scan, trial, sizesOf(scan.shape) + "; gradients of " + factorText(size));
        }
    });
}

void takeAll(const ScanKernel& kernel, Extent extent, const Taken& take)
{
    takeOrdinary(kernel, extent, take);
    takeExtreme(kernel, extent, take);
    takeSizes(kernel, extent, take);
}

std::string nameOf(const ScanKernel& kernel, const ScanCase& scan)
{
    return kernel.name + (scan.complex ? ", complex" : "");
}

/// A way over a GPU, and a type of the sequences there.
struct Way {
    const char* words;
    ScanWish scans;
    StepsWish steps;
};
struct Type {
    const char* words;
    at::ScalarType real;
    double least; ///< of the bound
};

const std::vector<Way> linearWays{{", by columns", ScanWish::Columns, StepsWish::Auto},
                                  {", in chunks", ScanWish::Chunks, StepsWish::Auto}};
const std::vector<Way> steppedWays{{", by products", ScanWish::Auto, StepsWish::Products},
                                   {", in one launch", ScanWish::Auto, StepsWish::Persistent}};
const std::vector<Type> types{{"", at::kFloat, 1e-5}, {", bf16", at::kBFloat16, 1e-2}};

/// One call compared in all its outputs and gradients, each way over a GPU and in each type. bf16 would round the
/// numbers by itself, so they are rounded before: for every type the same.
void addOnGpu(Collected& to, const ScanKernel& kernel, const ScanCase& scan, const Trial& drawn,
              const std::string& call)
{
    const Trial trial = heldByBf16(scan, drawn);
    Compared compared{byPlainLoop(scan, trial, at::kDouble), byPlainLoop(scan, trial, at::kFloat), {}};
    for (const Way& way : isScan(kernel) ? linearWays : steppedWays) {
        const ScopedScanWish scans(way.scans);
        const ScopedStepsWish steps(way.steps);
        for (const Type& type : types) {
            if (type.real == at::kBFloat16 && (scan.complex || !isScan(kernel)))
                continue;
            compared.kernel = {byKernel(scan, trial, type.real, at::kCUDA)};
            compared.least = type.least;
            to.add(nameOf(kernel, scan) + way.words + type.words, call, compared);
        }
    }
}

} // namespace

std::vector<Accuracy> measure(const ScanKernel& kernel, Extent extent)
{
    Collected collected;
    takeAll(kernel, extent, [&](const ScanCase& scan, const Trial& trial, const std::string& call) {
        collected.add(nameOf(kernel, scan), call,
                      {byPlainLoop(scan, trial, at::kDouble), byPlainLoop(scan, trial, at::kFloat),
                       onEveryTarget([&] { return byKernel(scan, trial, at::kFloat); })});
    });
    return collected.take();
}

std::vector<Accuracy> measureOnGpu(const ScanKernel& kernel, Extent extent)
{
    Collected collected;
    takeAll(kernel, extent, [&](const ScanCase& scan, const Trial& trial, const std::string& call) {
        addOnGpu(collected, kernel, scan, trial, call);
    });
    return collected.take();
}

} // namespace unroll::kernels::test
