// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/train/device.h"

#include "tests/support/short_runs.h"

#include <ATen/Context.h>

#include <gtest/gtest.h>

#include <algorithm>
#include <sched.h>
#include <thread>

namespace unroll {
namespace {

using at::Float32Backend;
using at::Float32Op;
using at::Float32Precision;
using testing::EndedRun;
using testing::tinyExperiment;

constexpr Float32Op kOps[] = {Float32Op::CONV, Float32Op::RNN, Float32Op::MATMUL};

bool isTf32(Float32Op op)
{
    return at::globalContext().float32Precision(Float32Backend::CUDA, op) == Float32Precision::TF32;
}

/// Also by the calls that torch's own kernels make, which throw where the flags contradict each other.
void expectEverywhere(bool tf32)
{
    for (const Float32Op op : kOps) {
        EXPECT_EQ(isTf32(op), tf32) << static_cast<int>(op);
        EXPECT_NE(at::globalContext().float32Precision(Float32Backend::MKLDNN, op), Float32Precision::TF32)
            << "the CPU is not meant";
    }
    EXPECT_EQ(at::globalContext().allowTF32CuBLAS(), tf32);
    EXPECT_EQ(at::globalContext().allowTF32CuDNN(), tf32);
    EXPECT_EQ(at::globalContext().allowTF32CuDNN(Float32Op::RNN), tf32);
    EXPECT_EQ(at::globalContext().allowTF32CuDNN(Float32Op::CONV), tf32);
}

TEST(SinglePrecision, IsIeeeOnceADeviceIsOpen)
{
    setSinglePrecision(SinglePrecision::Tf32);
    expectEverywhere(true);
    ASSERT_TRUE(openDevice("cpu", false));
    expectEverywhere(false);
    setSinglePrecision(SinglePrecision::Tf32);
    (void)openDevice("auto", true);
    expectEverywhere(false);
}

TEST(SinglePrecision, IsAsTheSettingsSay)
{
    Experiment experiment = tinyExperiment();
    experiment.training.steps = 1;
    for (const auto& [precision, tf32] : {std::pair(Precision::Tf32, true), std::pair(Precision::Fp32, false),
                                          std::pair(Precision::Tf32, true), std::pair(Precision::Bf16, false)}) {
        experiment.training.precision = precision;
        const EndedRun run(experiment);
        EXPECT_EQ(run.last.state, RunState::Finished) << run.last.failure;
        expectEverywhere(tf32);
    }
    setSinglePrecision(SinglePrecision::Ieee);
}

/// mpirun and srun bind each rank to cores of its own.
TEST(Threads, AreNoMoreThanTheCoresThatTheProcessIsBoundTo)
{
    std::thread([] {
        const auto all = static_cast<std::int64_t>(std::max(1u, std::thread::hardware_concurrency()));
        EXPECT_EQ(prepareWorkerThread(0, false, all + 1), 1);
        EXPECT_EQ(prepareWorkerThread(3, false), 3) << "what is asked for is done";
        cpu_set_t bound;
        ASSERT_EQ(sched_getaffinity(0, sizeof bound, &bound), 0);
        EXPECT_EQ(prepareWorkerThread(0, false), std::min<std::int64_t>(all, CPU_COUNT(&bound)));
        int first = 0;
        while (!CPU_ISSET(first, &bound))
            ++first;
        CPU_ZERO(&bound);
        CPU_SET(first, &bound);
        ASSERT_EQ(sched_setaffinity(0, sizeof bound, &bound), 0); // of this thread alone
        EXPECT_EQ(prepareWorkerThread(0, false), 1);
    }).join();
}

} // namespace
} // namespace unroll
