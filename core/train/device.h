// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/result.h"

#include <cstdint>
#include <string>

namespace unroll {

/// What the machine offers, found out without torch: the driver is asked through libcuda.
struct CudaFacts {
    bool driver = false; ///< libcuda loads and initialises
    int devices = 0;
    std::string problem; ///< why there is none; empty when there is
    bool plugin = false; ///< our CUDA half lies beside the program
    std::string pluginPath;
};
CudaFacts cudaFacts();

/// A device as the settings name it, made definite: "cpu", "cuda:0". "auto" takes the first GPU where driver, GPU and plugin are there.
/// The error says what is missing.
Result<std::string> resolveDevice(const std::string& wish);

/// Loads the CUDA half where there is a GPU. torch caches its CUDA hooks on first use, so this must be the first thing of torch in the process,
/// whatever device is chosen; the worker calls it first. Loaded once, never unloaded. Thread-safe.
Result<void> loadCudaPlugin();

/// Sets torch's threads for the calling thread; behind a window it lowers its priority too, so that the window stays live. 0: all cores.
/// Returns the number set.
/// Call before the first parallel region of the thread.
std::int64_t prepareWorkerThread(std::int64_t threads, bool behindWindow);

} // namespace unroll
