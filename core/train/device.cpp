// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/train/device.h"

#include "core/base/memory.h"
#include "core/base/mutex.h"

#include <ATen/Context.h>
#include <ATen/Parallel.h>

#include <fmt/format.h>

#include <array>
#include <cctype>
#include <cstdlib>
#include <dlfcn.h>
#include <filesystem>
#include <omp.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <thread>
#include <unistd.h>

namespace unroll {

namespace {

constexpr const char* kPlugin = "libunroll_cuda.so";

/// Beside the program, in ../lib of it, or where the build put it.
std::string findPlugin()
{
    std::error_code error;
    const auto program = std::filesystem::read_symlink("/proc/self/exe", error).parent_path();
    for (const char* folder : {".", "../lib", "../core", "../../core", "lib"})
        if (const auto path = program / folder / kPlugin; std::filesystem::exists(path, error))
            return std::filesystem::weakly_canonical(path, error).string();
    return {};
}

/// How the driver counts: 13020 is CUDA 13.2. Ours is built for 13.
constexpr int kCudaNeeded = 13000;

template <class... Arguments>
int ask(void* driver, const char* name, Arguments... arguments)
{
    using Call = int (*)(Arguments...);
    auto call = reinterpret_cast<Call>(dlsym(driver, name));
    return call != nullptr ? call(arguments...) : -1;
}

GpuFacts askGpu(void* driver, int index)
{
    GpuFacts gpu;
    int device = 0;
    if (ask(driver, "cuDeviceGet", &device, index) != 0)
        return gpu;
    std::array<char, 256> name{};
    if (ask(driver, "cuDeviceGetName", name.data(), static_cast<int>(name.size()) - 1, device) == 0)
        gpu.name = name.data();
    if (std::size_t bytes = 0; ask(driver, "cuDeviceTotalMem_v2", &bytes, device) == 0)
        gpu.memory = bytes;
    return gpu;
}

/// Asks the driver. The counts stay untouched on errors, so they are set first.
void askDriver(CudaFacts& facts)
{
    void* driver = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
    if (driver == nullptr) {
        facts.problem = "no NVIDIA driver (libcuda.so.1 was not found)";
        return;
    }
    int version = 0, devices = 0;
    int status = ask(driver, "cuInit", 0u);
    if (status == 0)
        status = ask(driver, "cuDriverGetVersion", &version);
    if (status == 0)
        status = ask(driver, "cuDeviceGetCount", &devices);
    if (status != 0) {
        facts.problem = fmt::format("the NVIDIA driver does not start (error {})", status);
        return;
    }
    facts.driver = true;
    if (devices == 0)
        facts.problem = "the NVIDIA driver sees no GPU";
    else if (version < kCudaNeeded)
        facts.problem = fmt::format("the NVIDIA driver is for CUDA {}.{}; driver 580 or newer is needed",
                                    version / 1000, version % 1000 / 10);
    else
        for (int i = 0; i < devices; ++i)
            facts.gpus.push_back(askGpu(driver, i));
}

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
        return fail(fmt::format("the CUDA backend of Unroll is not built ({} is missing beside the program)", kPlugin));
    return loadCudaHalf(facts.pluginPath);
}

/// Of "cuda:1"; 0 where none is named.
int gpuIndex(const std::string& wish)
{
    return wish.size() > 5 ? std::atoi(wish.c_str() + 5) : 0;
}

Result<OpenedDevice> namedGpu(const std::string& wish, const CudaFacts& facts)
{
    if (auto usable = openCuda(facts); !usable)
        return fail(fmt::format("device {}: {}; choose cpu or auto", wish, usable.error().message));
    const int index = gpuIndex(wish);
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

bool namesCuda(const std::string& wish)
{
    if (wish == "cuda")
        return true;
    if (wish.rfind("cuda:", 0) != 0 || wish.size() == 5 || wish.size() > 8)
        return false;
    for (std::size_t i = 5; i < wish.size(); ++i)
        if (std::isdigit(static_cast<unsigned char>(wish[i])) == 0)
            return false;
    return true;
}

} // namespace

CudaFacts cudaFacts()
{
    CudaFacts facts;
    facts.pluginPath = findPlugin();
    facts.plugin = !facts.pluginPath.empty();
    askDriver(facts);
    return facts;
}

void setSinglePrecision(SinglePrecision precision)
{
    // Of cuBLAS, and of cuDNN's convolutions and recurrences. Not the newer call for each: torch refuses to run where one way was used for
    // some and the other for others.
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
    if (namesCuda(wish))
        return namedGpu(wish, cudaFacts());
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

DeviceMemory memoryFor(const std::string& wish)
{
    if (wish == "auto" || namesCuda(wish)) {
        const CudaFacts facts = cudaFacts();
        const auto index = static_cast<std::size_t>(gpuIndex(wish));
        if (facts.plugin && index < facts.gpus.size() && facts.gpus[index].memory > 0)
            return {facts.gpus[index].memory, fmt::format("cuda:{}", index)};
    }
    return {availableMemory(), {}};
}

Result<void> loadCudaPlugin()
{
    const CudaFacts facts = cudaFacts();
    auto loaded = facts.gpus.empty() || !facts.plugin ? Result<void>() : loadCudaHalf(facts.pluginPath);
    setSinglePrecision(SinglePrecision::Ieee);
    return loaded;
}

std::int64_t prepareWorkerThread(std::int64_t threads, bool behindWindow)
{
    constexpr int kBehindTheWindow = 5;
    if (behindWindow)
        setpriority(PRIO_PROCESS, static_cast<id_t>(syscall(SYS_gettid)), kBehindTheWindow);
    const std::int64_t cores = std::max(1u, std::thread::hardware_concurrency());
    const std::int64_t wanted = threads > 0 ? threads : cores;
    at::set_num_threads(static_cast<int>(wanted));
    return at::get_num_threads();
}

void endIdleThreads()
{
    omp_pause_resource_all(omp_pause_soft);
}

} // namespace unroll
