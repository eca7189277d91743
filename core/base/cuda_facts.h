// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace unroll {

/// The file of our CUDA half.
inline constexpr const char* kCudaHalf = "libunroll_cuda.so";

/// A GPU as the driver describes it.
struct GpuFacts {
    std::string name;         ///< "NVIDIA H100 80GB HBM3"; empty where the driver does not say
    std::uint64_t memory = 0; ///< in bytes; 0 where the driver does not say
};

/// What the machine offers, found out without torch: the driver is asked through libcuda.
struct CudaFacts {
    bool driver = false; ///< libcuda loads and initialises
    std::vector<GpuFacts> gpus;
    std::string problem; ///< why there is none; empty when there is
    bool plugin = false; ///< our CUDA half lies beside the program
    std::string pluginPath;
};
CudaFacts cudaFacts();

/// Which GPU a device of that name is: 0 of "cuda", 1 of "cuda:1". Nothing where it is not a GPU's name.
std::optional<int> gpuNamed(const std::string& device);

/// Where training would put its tensors, found out without loading anything.
struct DeviceMemory {
    std::uint64_t bytes = 0; ///< a GPU's whole memory, or what the machine has to spare
    std::string owner;       ///< "cuda:0"; empty for the machine
};
/// Of the device that "auto", "cpu" or a GPU's name comes to, as far as the driver tells.
DeviceMemory memoryFor(const std::string& wish);

} // namespace unroll
