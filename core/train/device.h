// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/cuda_facts.h"
#include "core/base/result.h"
#include "core/experiment/settings.h"

#include <cstdint>
#include <string>

namespace unroll {

/// A device as the settings name it, made definite.
struct OpenedDevice {
    std::string name; ///< "cpu", "cuda:0"
    std::string note; ///< why a GPU that is there is not taken; empty where nothing is to be said
};

/// Resolves the wish and loads the CUDA half where it is needed: torch caches its CUDA hooks on first use, so this must
/// be the first thing of torch in the process. "auto" takes the first GPU where driver, GPU and CUDA half work, else
/// the CPU. "cpu" touches no GPU, unless others `mayFollow` in this process and may want one. Errors: a GPU that was
/// named and cannot be used, with the reason. Thread-safe.
Result<OpenedDevice> openDevice(const std::string& wish, bool mayFollow);

/// How torch's libraries multiply fp32 numbers on GPUs: in fp32 (IEEE), or as TF32, factors rounded to 10 bits. Torch
/// itself has TF32 for fused RNN, LSTM and GRU and for convolutions unless it is told otherwise, so openDevice tells
/// it: IEEE. Of the whole process, until the next call.
enum class SinglePrecision { Ieee, Tf32 };
void setSinglePrecision(SinglePrecision precision);

/// Loads the CUDA half where there is a GPU for it; nothing where there is none. For programs that look at GPUs
/// themselves.
Result<void> loadCudaPlugin();

/// Sets torch's threads for the calling thread; behind a window it lowers its priority too, so that the window stays
/// live. 0: all cores, divided among the ranks on this machine, and no more than this process is bound to. Returns the
/// number set.
/// Call before the first parallel region of the thread.
std::int64_t prepareWorkerThread(std::int64_t threads, bool behindWindow, std::int64_t ranksHere = 1);

/// Sets what makes the fp32 products of the calling thread on the CPU. `before` is what a run that goes on was trained
/// with ("AMX", "MKL" ...), which `auto` keeps; empty: a new run. Errors: AMX was asked for and is not there.
struct ChosenProducts {
    std::string name; ///< as RunEnvironment::products
    std::string note; ///< that they round otherwise than before; empty where nothing is to be said
};
Result<ChosenProducts> chooseProducts(Products wanted, const std::string& before = {});
/// The same for a run that is only read (evaluated, sampled, examined): where AMX is wanted and not there, by the
/// library.
ChosenProducts chooseProductsToRead(Products wanted, const std::string& before);

/// Ends the threads that the calling thread's parallel regions keep for the next one, which will start new ones. Kept
/// threads count as users of a core: libgomp then lets other runs of this process wait lazily, and they slow by 40 %.
void endIdleThreads();

} // namespace unroll
