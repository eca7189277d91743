// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/terminal.h"
#include "app/cli/verbs.h"
#include "core/base/cuda_facts.h"
#include "core/base/loaded_library.h"
#include "core/base/memory.h"
#include "core/base/number_text.h"
#include "core/experiment/experiment.h"
#include "core/experiment/gallery.h"
#include "core/export/python_program.h"
#include "core/group/place.h"
#include "core/kernels/scan/gpu_ways.h"
#include "core/train/describe_run.h"
#include "core/train/device.h"

#include <CLI/CLI.hpp>
#include <cstdlib>
#include <filesystem>
#include <fmt/format.h>
#include <map>
#include <memory>
#include <sstream>
#include <stdexcept>
#include <thread>

namespace unroll::cli {
namespace {

/// One thing that was examined.
struct Finding {
    std::string name;
    bool good = true;
    std::string found;
    std::string mend; ///< how to get what is missing; empty where nothing is
};

Finding processor()
{
    const char* level = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") ? "AVX-512"
                        : __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")       ? "AVX2"
                                                                                                : "";
    const unsigned cores = std::thread::hardware_concurrency();
    if (*level == '\0')
        return {"processor", false, fmt::format("{} cores without AVX2", cores),
                "the kernels use their slow baseline; nothing to install"};
    return {"processor", true, fmt::format("{} cores, {}", cores, level), ""};
}

Finding memory()
{
    const std::uint64_t bytes = availableMemory();
    constexpr std::int64_t kLittle = std::int64_t(1) << 30;
    return {"memory", bytes == 0 || bytes >= kLittle,
            bytes == 0 ? "unknown" : sizeText(static_cast<std::uint64_t>(bytes)) + " available",
            bytes != 0 && bytes < kLittle ? "close other programs: less than 1 GB is free" : ""};
}

Finding torch()
{
    const std::string library = loadedLibrary("libtorch_cpu");
    return {"torch", true, fmt::format("{}{}", torchVersion(), library.empty() ? "" : " from " + library), ""};
}

/// "NVIDIA H100 80GB HBM3, 85.5 GB; 2 times NVIDIA L4, 24.0 GB"
std::string gpuText(const std::vector<GpuFacts>& gpus)
{
    std::map<std::string, int> counts;
    for (const GpuFacts& gpu : gpus)
        ++counts[(gpu.name.empty() ? "NVIDIA GPU" : gpu.name) + (gpu.memory > 0 ? ", " + sizeText(gpu.memory) : "")];
    std::string words;
    for (const auto& [gpu, count] : counts)
        words += (words.empty() ? "" : "; ") + (count > 1 ? fmt::format("{} times {}", count, gpu) : gpu);
    return words;
}

Finding driver(const CudaFacts& facts)
{
    if (!facts.gpus.empty())
        return {"GPU", true, gpuText(facts.gpus), ""};
    return {"GPU", false, facts.problem,
            "for training on a GPU: an NVIDIA GPU with driver 580 or newer; training on the CPU needs neither"};
}

/// Where there is a GPU the CUDA half is really loaded: a library that lies there may still lack another.
Finding plugin(const CudaFacts& facts)
{
    if (facts.plugin) {
        const Result<void> loaded = loadCudaPlugin();
        return {"CUDA backend", loaded.has_value(), loaded ? facts.pluginPath : loaded.error().text(),
                loaded ? "" : "run ./dev test once: it installs the libraries that torch's CUDA part links to"};
    }
    return {"CUDA backend", false, "libunroll_cuda.so is not beside this program",
            "for training on a GPU: build with the CUDA toolkit 13 (nvcc) installed; without it everything runs on the "
            "CPU"};
}

/// Also where there is no GPU: a variable that is set wrongly is found before a run on another machine is.
Finding ways(bool anyGpu)
{
    try {
        return {"GPU kernels", true,
                fmt::format("{}{}", anyGpu ? "" : "on a GPU, which is not here: ", kernels::gpuWays()), ""};
    } catch (const std::invalid_argument& error) {
        return {"GPU kernels", false, error.what(), "unset the variable, or set it to one of these"};
    }
}

/// The first of PATH and `folders` that holds the program; empty where none does.
std::string findProgram(const std::string& name, std::vector<std::filesystem::path> folders)
{
    std::istringstream path(std::getenv("PATH") != nullptr ? std::getenv("PATH") : "");
    for (std::string folder; std::getline(path, folder, ':');)
        folders.emplace_back(folder);
    std::error_code error;
    for (const auto& folder : folders)
        if (const auto program = folder / name; std::filesystem::is_regular_file(program, error))
            return std::filesystem::weakly_canonical(program, error).string();
    return {};
}

Finding compiler()
{
    const std::string nvcc = findProgram("nvcc", {"/usr/local/cuda/bin"});
    if (!nvcc.empty())
        return {"nvcc", true, nvcc, ""};
    return {"nvcc", false, "no CUDA compiler",
            "to build the CUDA backend: the CUDA toolkit 13 of developer.nvidia.com, in /usr/local/cuda or on PATH"};
}

Finding studio()
{
    std::error_code error;
    const auto here = std::filesystem::read_symlink("/proc/self/exe", error).parent_path();
    const std::string program = findProgram("unroll", {here, here / "../studio"});
    if (program.empty())
        return {"studio", false, "not built",
                "it needs Qt 6 with Charts and Svg; ./dev run installs them and builds it"};
    const auto isSet = [](const char* name) { return std::getenv(name) != nullptr && *std::getenv(name) != '\0'; };
    const bool display = isSet("DISPLAY") || isSet("WAYLAND_DISPLAY");
    return {"studio", display, display ? program : program + "; no display is set",
            display ? "" : "log in to a desktop, or render an image: ./dev shot OUT.png"};
}

Finding python()
{
    if (const std::string program = pythonBesideTorch(); !program.empty())
        return {"python", true, program, ""};
    return {"python", false, "no Python installation beside torch",
            "for exported model.py files: any Python with torch 2"};
}

Finding gallery()
{
    const auto experiments = galleryExperiments();
    if (!experiments.empty())
        return {"experiments", true, fmt::format("{} in {}", experiments.size(), galleryFolder().string()), ""};
    return {"experiments", false, "the bundled experiments were not found",
            "set UNROLL_RESOURCES to the folder resources/ of Unroll"};
}

/// What auto would take.
Finding products()
{
    const auto chosen = chooseProducts(Products::Auto);
    return {"products", true,
            chosen->name == "AMX"
                ? "fp32 matrices by AMX, in three bfloat16 parts; training.products=library takes the library"
                : "fp32 matrices by " + chosen->name,
            ""};
}

Finding device()
{
    const auto chosen = openDevice("auto", false);
    if (!chosen)
        return {"--device auto", false, chosen.error().text(), ""};
    return {"--device auto", chosen->note.empty(), "trains on " + chosen->name, chosen->note};
}

int doctor(bool json)
{
    const CudaFacts cuda = cudaFacts();
    const std::vector<Finding> findings{{"unroll", true, unrollVersion(), ""},
                                        torch(),
                                        processor(),
                                        products(),
                                        memory(),
                                        driver(cuda),
                                        compiler(),
                                        plugin(cuda),
                                        ways(!cuda.gpus.empty()),
                                        studio(),
                                        python(),
                                        gallery(),
                                        device(),
                                        {"ranks", true, groupBackends(), ""}};
    std::vector<std::vector<std::string>> rows;
    std::vector<Colour> colours; // of their marks
    for (const Finding& finding : findings) {
        if (json) {
            Json object{JsonObject{}};
            object.add("name", finding.name);
            object.add("found", finding.good);
            object.add("detail", finding.found);
            object.add("mend", finding.mend);
            sayJson(object);
            continue;
        }
        rows.push_back({finding.good ? "ok" : "--", finding.name, finding.found});
        colours.push_back(finding.good ? Colour::Green : Colour::Yellow);
        if (!finding.mend.empty()) {
            rows.push_back({"", "", finding.mend});
            colours.push_back(Colour::Plain);
        }
    }
    sayTable(rows, colours);
    return kOk;
}

} // namespace

void addDoctor(CLI::App& app, Action& chosen)
{
    auto json = std::make_shared<bool>(false);
    CLI::App* verb = app.add_subcommand("doctor", "What this machine has, what is missing, how to get it");
    verb->add_flag("--json", *json, "JSON, one object per line");
    verb->callback([json, &chosen] { chosen = [json] { return doctor(*json); }; });
}

} // namespace unroll::cli
