// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/train/device.h"

#include "core/base/mutex.h"
#include "core/linalg/products.h"

#include <ATen/Context.h>
#include <ATen/Parallel.h>

#include <fmt/format.h>

#include <algorithm>
#include <dlfcn.h>
#include <omp.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <thread>
#include <unistd.h>

namespace unroll {

namespace {

/// Loads the CUDA half, once; never unloaded. The error is what the loader says.
Result<void> loadCudaHalf(const std::string& path)
{
    static Mutex mutex;
    static bool loaded UNROLL_GUARDED_BY(mutex) = false;
    const MutexLock lock(mutex);
    if (!loaded && dlopen(path.c_str(), RTLD_NOW | RTLD_GLOBAL) == nullptr)
        return fail(fmt::format("the CUDA backend could not be loaded: {}", dlerror()));
    loaded = true;
    return {};
}

/// Makes the GPUs usable, or says why they are not.
Result<void> openCuda(const CudaFacts& facts)
{
    if (facts.gpus.empty())
        return fail(facts.problem);
    if (!facts.plugin)
        return fail(
            fmt::format("the CUDA backend of Unroll is not built ({} is missing beside the program)", kCudaHalf));
    return loadCudaHalf(facts.pluginPath);
}

Result<OpenedDevice> namedGpu(const std::string& wish, int index, const CudaFacts& facts)
{
    if (auto usable = openCuda(facts); !usable)
        return fail(fmt::format("device {}: {}; choose cpu or auto", wish, usable.error().message));
    if (const std::size_t count = facts.gpus.size(); static_cast<std::size_t>(index) >= count)
        return fail(fmt::format("device {}: this machine has {} GPU{}", wish, count, count == 1 ? "" : "s"));
    return OpenedDevice{fmt::format("cuda:{}", index), {}};
}

OpenedDevice bestDevice(const CudaFacts& facts)
{
    const auto usable = openCuda(facts);
    if (usable)
        return {"cuda:0", {}};
    return {"cpu", facts.driver ? "the GPU is not used: " + usable.error().message : std::string()};
}

} // namespace

void setSinglePrecision(SinglePrecision precision)
{
    // Of cuBLAS, and of cuDNN's convolutions and recurrences. Not the newer call for each: torch refuses to run where
    // one way was used for some and the other for others.
    at::globalContext().setAllowTF32CuBLAS(precision == SinglePrecision::Tf32);
    at::globalContext().setAllowTF32CuDNN(precision == SinglePrecision::Tf32);
}

namespace {

Result<OpenedDevice> findDevice(const std::string& wish, bool mayFollow)
{
    if (wish == "cpu") {
        if (mayFollow)
            (void)openCuda(cudaFacts()); // what is wrong with it is for the run that wants it
        return OpenedDevice{wish, {}};
    }
    if (const auto index = gpuNamed(wish))
        return namedGpu(wish, *index, cudaFacts());
    if (wish == "auto")
        return bestDevice(cudaFacts());
    return fail(fmt::format("there is no device named {}; choose auto, cpu, cuda or cuda:1", wish));
}

} // namespace

Result<OpenedDevice> openDevice(const std::string& wish, bool mayFollow)
{
    auto opened = findDevice(wish, mayFollow); // loads the CUDA half, before anything of torch is touched
    setSinglePrecision(SinglePrecision::Ieee);
    return opened;
}

Result<void> loadCudaPlugin()
{
    const CudaFacts facts = cudaFacts();
    auto loaded = facts.gpus.empty() || !facts.plugin ? Result<void>() : loadCudaHalf(facts.pluginPath);
    setSinglePrecision(SinglePrecision::Ieee);
    return loaded;
}

Result<ChosenProducts> chooseProducts(Products wanted, const std::string& before)
{
    const std::string amx = "AMX", library(linalg::libraryName());
    if (wanted == Products::Amx && !linalg::hasAmxBackend())
        return fail(
            "products is amx, but this processor has no AMX, or the system does not let programs use it; set it "
            "to auto or library");
    const bool keepsAmx = before.empty() || before == amx;
    const bool isAmx = wanted == Products::Amx || (wanted == Products::Auto && keepsAmx && linalg::hasAmxBackend());
    linalg::setBackend(isAmx ? linalg::Backend::Amx : linalg::Backend::Library);
    ChosenProducts chosen{isAmx ? amx : library, {}};
    if (!before.empty() && before != chosen.name)
        chosen.note = fmt::format("trained with products by {} so far, from here on by {}: the last bits differ",
                                  before, chosen.name);
    return chosen;
}

ChosenProducts chooseProductsToRead(Products wanted, const std::string& before)
{
    const bool isMissing = wanted == Products::Amx && !linalg::hasAmxBackend();
    return chooseProducts(isMissing ? Products::Library : wanted, before).value();
}

std::int64_t prepareWorkerThread(std::int64_t threads, bool behindWindow, std::int64_t ranksHere)
{
    constexpr int kBehindTheWindow = 5;
    if (behindWindow)
        setpriority(PRIO_PROCESS, static_cast<id_t>(syscall(SYS_gettid)), kBehindTheWindow);
    const std::int64_t cores = std::max(1u, std::thread::hardware_concurrency());
    // mpirun, srun and taskset bind a process to some cores, which hardware_concurrency() of glibc 2.35 does not
    // regard.
    const std::int64_t bound = std::max(1, omp_get_num_procs());
    const std::int64_t share = std::clamp<std::int64_t>(cores / ranksHere, 1, bound);
    const std::int64_t wanted = threads > 0 ? threads : share;
    at::set_num_threads(static_cast<int>(wanted));
    return at::get_num_threads();
}

void endIdleThreads()
{
    omp_pause_resource_all(omp_pause_soft);
}

} // namespace unroll
