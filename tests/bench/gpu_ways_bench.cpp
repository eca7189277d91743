// SPDX-License-Identifier: GPL-3.0-or-later
// Which way a kernel goes faster over a GPU: every scan by columns and in chunks, every recurrence with a matrix by
// products and in one launch, in turns in one process, beside what the kernel chooses by itself (chooseLaunch,
// chooseSteps). Prints Markdown: milliseconds of a call, forward and forward with gradients, medians; and for every
// kernel what the choice costs against the faster way.
#include "core/kernels/scan/scan_launch.h"
#include "core/kernels/steps/steps_launch.h"
#include "core/train/device.h"
#include "tests/kernels/scan_kernels.h"

#include <ATen/core/grad_mode.h>
#include <ATen/ops/ones_like.h>
#include <c10/core/impl/VirtualGuardImpl.h>
#include <torch/csrc/autograd/autograd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <fmt/format.h>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace unroll::kernels::test {
namespace {

constexpr std::int64_t kDrawnSteps = 16; ///< repeated along time: matrices are drawn by a decomposition on the CPU
constexpr std::int64_t kMostNumbers = 48 << 20; ///< of one sequence
constexpr int kRounds = 5;
constexpr double kSecondsARound = 4e-3;
constexpr int kWays = 3; ///< two, and what the kernel chooses

/// What a kernel is told before a call: one of its two ways, or nothing.
struct Wishes {
    std::optional<ScopedScanWish> scan;
    std::optional<ScopedStepsWish> steps;

    Wishes(bool isScan, int way)
    {
        constexpr std::array scans = {ScanWish::Columns, ScanWish::Chunks, ScanWish::Auto};
        constexpr std::array matrices = {StepsWish::Products, StepsWish::Persistent, StepsWish::Auto};
        if (isScan)
            scan.emplace(scans[static_cast<std::size_t>(way)]);
        else
            steps.emplace(matrices[static_cast<std::size_t>(way)]);
    }
};

void wait()
{
    c10::impl::VirtualGuardImpl(c10::kCUDA).synchronizeDevice(0);
}

/// A kernel's call on the GPU, without mask, forward in time, contiguous.
class Call {
public:
    Call(const ScanKernel& kernel, const ScanShape& shape, unsigned round) : m_case(kernel.variant(shape, round))
    {
        m_case->shape.steps = std::min(shape.steps, kDrawnSteps);
        m_case->reverse = m_case->masked = false;
        m_case->initial = true;
        m_case->layout = Layout::Contiguous;
        Draw draws(1);
        ScanNumbers drawn = m_case->draw(draws);
        for (at::Tensor& sequence : drawn.sequences) {
            std::vector<std::int64_t> times(static_cast<std::size_t>(sequence.dim()), 1);
            times[0] = shape.steps / m_case->shape.steps;
            sequence = sequence.repeat(times);
        }
        m_case->shape.steps = shape.steps;
        m_in = arguments(*m_case, drawn, at::kFloat, at::kCUDA);
        for (const Tensors* leaves : {&m_in.sequences, &m_in.constants})
            m_leaves.insert(m_leaves.end(), leaves->begin(), leaves->end());
        const at::NoGradGuard values;
        for (const at::Tensor& output : m_case->call(m_in))
            m_weights.push_back(at::ones_like(output));
    }

    std::string name(const ScanKernel& kernel) const { return kernel.name + (m_case->complex ? ", complex" : ""); }
    bool complex() const { return m_case->complex; }

    void forward() const
    {
        const at::NoGradGuard values;
        m_case->call(m_in);
    }
    void withGradients() const { torch::autograd::grad(m_case->call(m_in), m_leaves, m_weights); }

private:
    std::unique_ptr<ScanCase> m_case;
    ScanNumbers m_in;
    Tensors m_leaves, m_weights;
};

template <class Function>
double seconds(int calls, const Function& call)
{
    wait();
    const auto start = std::chrono::steady_clock::now();
    for (int i = 0; i < calls; ++i)
        call();
    wait();
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count() / calls;
}

/// Seconds of a call each way: medians of rounds that take turns.
template <class Function>
std::array<double, kWays> timed(bool isScan, const Function& call)
{
    std::array<std::vector<double>, kWays> found;
    std::array<int, kWays> calls{};
    for (int way = 0; way < kWays; ++way) {
        const Wishes told(isScan, way);
        call();
        calls[static_cast<std::size_t>(way)] = std::clamp(static_cast<int>(kSecondsARound / seconds(1, call)), 1, 100);
    }
    for (int round = 0; round < kRounds; ++round)
        for (std::size_t way = 0; way < kWays; ++way) {
            const Wishes told(isScan, static_cast<int>(way));
            found[way].push_back(seconds(calls[way], call));
        }
    std::array<double, kWays> medians{};
    for (std::size_t way = 0; way < kWays; ++way) {
        std::nth_element(found[way].begin(), found[way].begin() + kRounds / 2, found[way].end());
        medians[way] = found[way][kRounds / 2];
    }
    return medians;
}

/// How much slower than the faster way the choice is, over all calls of a kernel.
struct Toll {
    double sum = 0, worst = 1;
    int calls = 0;

    void add(const std::array<double, kWays>& s)
    {
        const double ratio = s[2] / std::min(s[0], s[1]);
        sum += std::log(ratio);
        worst = std::max(worst, ratio);
        ++calls;
    }
};

std::string row(const std::array<double, kWays>& s)
{
    return fmt::format("{:.3f} | {:.3f} | {:.2f} | {:.3f}", 1e3 * s[0], 1e3 * s[1], s[1] / s[0], 1e3 * s[2]);
}

void measure(const ScanKernel& kernel, const ScanShape& shape, unsigned round, Toll& toll)
{
    const Call call(kernel, shape, round);
    const bool scan = isScan(kernel);
    const auto forward = timed(scan, [&] { call.forward(); }), both = timed(scan, [&] { call.withGradients(); });
    toll.add(forward);
    toll.add(both);
    fmt::print("| {} | {} | {} | {} | {} | {} |\n", call.name(kernel), shape.steps, shape.batch, shape.width,
               row(forward), row(both));
    std::fflush(stdout);
}

std::vector<ScanShape> shapesOf(const ScanKernel& kernel)
{
    std::vector<ScanShape> shapes;
    if (!isScan(kernel)) {
        for (const std::int64_t width : {128, 256, 512, 1024})
            for (const std::int64_t batch : {8, 64, 128, 256, 512})
                shapes.push_back({128, batch, width});
    } else if (kernel.name == "matrix_scan") {
        for (const std::int64_t steps : {128, 1024})
            for (const std::int64_t width : {4, 8, 16})
                for (const std::int64_t batch : {16, 128, 1024, 4096})
                    shapes.push_back({steps, batch, width});
    } else {
        for (const std::int64_t steps : {128, 1024, 4096})
            for (const std::int64_t batch : {4, 16, 32, 64, 128})
                shapes.push_back({steps, batch, 512});
    }
    std::erase_if(shapes, [&](const ScanShape& s) {
        const std::int64_t rows = kernel.name == "matrix_scan" ? 2 * s.width * s.width : s.width;
        return s.steps * s.batch * rows > kMostNumbers;
    });
    return shapes;
}

/// A real and, where the kernel has it, a complex variant.
std::vector<unsigned> roundsOf(const ScanKernel& kernel)
{
    std::vector<unsigned> rounds;
    for (const bool complex : {false, true})
        for (unsigned round = 0; round < 16; ++round)
            if (kernel.variant({2, 2, 4}, round)->complex == complex) {
                rounds.push_back(round);
                break;
            }
    return rounds;
}

void measureAll(const std::string& only)
{
    for (const ScanKernel& kernel : scanKernels()) {
        if (kernel.name == "sru_scan" || kernel.name.find(only) == std::string::npos) // that one has one way
            continue;
        const auto [first, second] =
            isScan(kernel) ? std::pair("columns", "chunks") : std::pair("products", "one launch");
        fmt::print("\n| | T | B | d | {0} ms | {1} ms | ratio | chosen ms | {0}, gradients | {1}, gradients | ratio | "
                   "chosen |\n"
                   "|---|---|---|---|---|---|---|---|---|---|---|---|\n",
                   first, second);
        Toll toll;
        for (const unsigned round : roundsOf(kernel))
            for (const ScanShape& shape : shapesOf(kernel))
                measure(kernel, shape, round, toll);
        fmt::print(
            "\n{}: the choice takes {:.2f} times as long as the faster way (geometric mean of {}), {:.2f} at worst\n",
            kernel.name, std::exp(toll.sum / toll.calls), toll.calls, toll.worst);
    }
}

} // namespace
} // namespace unroll::kernels::test

/// unroll_gpu_ways [TEXT]: kernels whose name holds TEXT.
int main(int argc, char** argv)
{
    const auto device = unroll::openDevice("cuda", false);
    if (!device) {
        std::fprintf(stderr, "%s\n", device.error().text().c_str());
        return 1;
    }
    unroll::kernels::test::measureAll(argc > 1 ? argv[1] : "");
    return 0;
}
