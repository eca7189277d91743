// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/train/device.h"

#include <ATen/Parallel.h>

#include <fmt/format.h>

#include <cctype>
#include <cstdlib>
#include <dlfcn.h>
#include <filesystem>
#include <mutex>
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

/// Asks the driver. The counts stay untouched on errors, so they are set first.
void askDriver(CudaFacts& facts)
{
    void* driver = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
    if (driver == nullptr) {
        facts.problem = "no NVIDIA driver (libcuda.so.1 was not found)";
        return;
    }
    using Init = int (*)(unsigned);
    using Count = int (*)(int*);
    auto init = reinterpret_cast<Init>(dlsym(driver, "cuInit"));
    auto count = reinterpret_cast<Count>(dlsym(driver, "cuDeviceGetCount"));
    const int status = init != nullptr ? init(0) : -1;
    if (status != 0 || count == nullptr || count(&facts.devices) != 0) {
        facts.devices = 0;
        facts.problem = fmt::format("the NVIDIA driver does not start (error {})", status);
        return;
    }
    facts.driver = true;
    if (facts.devices == 0)
        facts.problem = "the NVIDIA driver sees no GPU";
}

Result<std::string> cudaDevice(const std::string& wish, const CudaFacts& facts)
{
    if (facts.devices == 0)
        return fail(fmt::format("device {}: {}; choose cpu or auto", wish, facts.problem));
    if (!facts.plugin)
        return fail(fmt::format("device {}: the CUDA half of Unroll is not built ({} is missing beside the program)",
                                wish, kPlugin));
    int index = 0;
    if (wish.size() > 5)
        index = std::atoi(wish.c_str() + 5);
    if (index >= facts.devices)
        return fail(
            fmt::format("device {}: this machine has {} GPU{}", wish, facts.devices, facts.devices == 1 ? "" : "s"));
    return fmt::format("cuda:{}", index);
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

Result<std::string> resolveDevice(const std::string& wish)
{
    if (wish == "cpu")
        return wish;
    if (wish != "auto" && !namesCuda(wish))
        return fail(fmt::format("there is no device called {}; choose auto, cpu, cuda or cuda:1", wish));
    const CudaFacts facts = cudaFacts();
    if (wish == "auto")
        return facts.devices > 0 && facts.plugin ? std::string("cuda:0") : std::string("cpu");
    return cudaDevice(wish, facts);
}

Result<void> loadCudaPlugin()
{
    static std::mutex mutex;
    static bool loaded = false;
    const std::lock_guard lock(mutex);
    const CudaFacts facts = cudaFacts();
    if (loaded || facts.devices == 0 || !facts.plugin)
        return {};
    if (dlopen(facts.pluginPath.c_str(), RTLD_NOW | RTLD_GLOBAL) == nullptr)
        return fail(fmt::format("the CUDA half could not be loaded: {}", dlerror()), facts.pluginPath);
    loaded = true;
    return {};
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

} // namespace unroll
