// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/cuda_facts.h"

#include "core/base/memory.h"

#include <fmt/format.h>

#include <array>
#include <cctype>
#include <cstddef>
#include <cstdlib>
#include <dlfcn.h>
#include <filesystem>

namespace unroll {

namespace {

/// Beside the program, in ../lib of it, or where the build put it.
std::string findPlugin()
{
    std::error_code error;
    const auto program = std::filesystem::read_symlink("/proc/self/exe", error).parent_path();
    for (const char* folder : {".", "../lib", "../core", "../../core", "lib"})
        if (const auto path = program / folder / kCudaHalf; std::filesystem::exists(path, error))
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

} // namespace

CudaFacts cudaFacts()
{
    CudaFacts facts;
    facts.pluginPath = findPlugin();
    facts.plugin = !facts.pluginPath.empty();
    askDriver(facts);
    return facts;
}

std::optional<int> gpuNamed(const std::string& device)
{
    if (device == "cuda")
        return 0;
    if (device.rfind("cuda:", 0) != 0 || device.size() == 5 || device.size() > 8)
        return std::nullopt;
    for (std::size_t i = 5; i < device.size(); ++i)
        if (std::isdigit(static_cast<unsigned char>(device[i])) == 0)
            return std::nullopt;
    return std::atoi(device.c_str() + 5);
}

DeviceMemory memoryFor(const std::string& wish)
{
    if (const auto named = wish == "auto" ? 0 : gpuNamed(wish)) {
        const CudaFacts facts = cudaFacts();
        const auto index = static_cast<std::size_t>(*named);
        if (facts.plugin && index < facts.gpus.size() && facts.gpus[index].memory > 0)
            return {facts.gpus[index].memory, fmt::format("cuda:{}", index)};
    }
    return {availableMemory(), {}};
}

} // namespace unroll
