// SPDX-License-Identifier: GPL-3.0-or-later
// Writes docs/numerics.md, and of a GPU docs/numerics-gpu.md: how far every kernel is from its definition. Exit status
// 1 where a bound is broken.
#include "core/kernels/cpu/cpu_targets.h"
#include "core/kernels/vector_math/vector_math_case.h"
#include "core/train/device.h"
#include "tests/numerics/accuracy.h"
#include "tests/numerics/row_kernels.h"

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <iostream>
#include <iterator>
#include <map>
#include <sstream>

namespace {

using namespace unroll;
using namespace unroll::kernels;
using namespace unroll::kernels::test;

constexpr const char* kUsage = R"(unroll_numerics [option...]: how far every kernel is from its definition, as Markdown
  --filter TEXT   only kernels whose name holds TEXT
  --quick         a subset, as the tests run it; the functions over every 31st float
  --gpu           the CUDA kernels on the first GPU, in fp32 and bf16, each way over it
  --write FILE    into a file, not to the terminal
)";

struct Options {
    std::string filter;
    Extent extent = Extent::Whole;

    /// Between the floats that functions are measured at by an instruction set: odd, so that every low bit comes up.
    /// Plain C++ goes from one number to the next, a tenth as fast.
    std::int64_t stride(const std::string& target) const
    {
        return extent == Extent::Quick || target == cpuTargets().back() ? 31 : 1;
    }

    bool gpu = false;
    std::string file;
};

/// False: not understood.
bool read(int count, char** words, Options& options)
{
    for (int i = 1; i < count; ++i) {
        const std::string word = words[i];
        const bool more = i + 1 < count;
        if (word == "--quick")
            options.extent = Extent::Quick;
        else if (word == "--gpu")
            options.gpu = true;
        else if (word == "--filter" && more)
            options.filter = words[++i];
        else if (word == "--write" && more)
            options.file = words[++i];
        else
            return false;
    }
    return true;
}

std::string number(const char* format, double value)
{
    char text[64];
    std::snprintf(text, sizeof text, format, value);
    return text;
}

constexpr const char* kQuickPart = "\n**A quick part of it: T to 65.**\n";

void writeHead(std::ostream& out, Extent extent)
{
    out << R"(# How exact the kernels are

Written by `./dev bench numerics --write docs/numerics.md`, which fails where a bound is broken; `./dev test kernels` runs a quick part of it. The
figures are those of one machine: another's libm and instruction sets may move their last digit.

## Scans

Each kernel in fp32 against the definition step by step in fp64, gradients by autograd. The error is the RMS over the tensor, relative to the RMS of the
exact values. Bound: 1e-5, or twice the error of the same plain loop in fp32 where that is more. T is 1, 2, 63, 64, 65, 1000 and 4097; widths
are odd, for matrix_scan also those that it has code of its own for, 2, 4, 8 and 16; directions, masks, layouts, absent arguments and the kernel's own
options change from call to call; the extreme numbers are saturated gates (pre-activations of -30 and 30), long products, and sizes: gradients that
arrive in sizes of 1e-32 and 1e30, and where a kernel is linear in them its inputs, too. (Kernels read numbers below fp32's smallest normal one,
1.2e-38, as zero.) A row is the call that comes closest to its bound, on the worst of the instruction sets.

The CUDA kernels have a table of their own, numerics-gpu.md, written by `./dev bench numerics --gpu --write
docs/numerics-gpu.md` on a GPU. What the threads of the scans run is compiled for the CPU too, and tested
there in fp32 and fp64 against these kernels and in bf16, to T = 4097, against fp64: every output and gradient within 1e-2
(`./dev test cuda_threads`).
)";
    if (extent == Extent::Quick)
        out << kQuickPart;
}

void writeGpuHead(std::ostream& out, Extent extent)
{
    const std::string gpu = cudaFacts().gpus[0].name;
    out << "# How exact the kernels are on a GPU\n\nWritten by `./dev bench numerics --gpu --write "
           "docs/numerics-gpu.md`, "
           "on "
        << (gpu.empty() ? "an NVIDIA GPU" : "an " + gpu) << ".\n"
        << R"(
Each CUDA kernel against the definition step by step in fp64, with the calls of [docs/numerics.md](numerics.md) and of each row the one that comes
closest to its bound. Linear scans go over a GPU by columns and in chunks of steps, the others by torch's products step by step and in one
launch of all steps. fp32: bound as there. bf16: sequences and their gradients in bf16, states in fp32; bound 1e-2, or twice the error of the
plain fp32 loop where that is more. The numbers of every call are ones that bf16 holds exactly.
)";
    if (extent == Extent::Quick)
        out << kQuickPart;
}

void write(std::ostream& out, const Accuracy& accuracy)
{
    out << "\n### " << accuracy.kernel
        << "\n\n| | calls | closest to its bound | kernel | plain fp32 loop | bound | |\n"
        << "|---|---|---|---|---|---|---|\n";
    for (const AccuracyRow& row : accuracy.rows)
        out << "| " << row.output << " | " << row.calls << " | " << row.call << " | " << number("%.1e", row.ours)
            << " | " << number("%.1e", row.plain) << " | " << number("%.1e", row.bound()) << " | "
            << (row.holds() ? "holds" : "**BROKEN**") << " |\n";
}

/// False: a bound is broken.
bool writeScans(std::ostream& out, const Options& options)
{
    bool holds = true;
    for (const ScanKernel& kernel : scanKernels()) {
        if (kernel.name.find(options.filter) == std::string::npos)
            continue;
        std::cerr << kernel.name << " ...\n";
        for (const Accuracy& accuracy :
             options.gpu ? measureOnGpu(kernel, options.extent) : measure(kernel, options.extent)) {
            write(out, accuracy);
            holds = holds && accuracy.holds();
        }
    }
    return holds;
}

/// False: a bound is broken.
bool writeRowKernels(std::ostream& out, const Options& options)
{
    bool started = false, holds = true;
    for (const RowKernel& kernel : rowKernels()) {
        if (kernel.name.find(options.filter) == std::string::npos)
            continue;
        if (!started)
            out << "\n## Rows by themselves\n\nThe same for kernels without a recurrence, over 1 to 4097 rows and odd "
                   "widths; dense products also over sums of 8192. The ternary layer's\nnumbers keep 1/100 of a step "
                   "away from the middle between two integers, where the last bit of a sum decides which one is "
                   "taken.\ndense_product is what the layers take on this machine: MKL's, oneDNN's or AMX's "
                   "products. By AMX: where there is any.\n";
        started = true;
        std::cerr << kernel.name << " ...\n";
        const Accuracy accuracy = measure(kernel, options.extent);
        write(out, accuracy);
        holds = holds && accuracy.holds();
    }
    return holds;
}

/// By all instruction sets. Those that take the same floats go through them together: what takes long are the exact
/// results.
std::vector<LargestError> floatErrors(VectorFunction function, const Options& options)
{
    std::map<std::int64_t, std::vector<std::string>> targets; // by their stride
    for (const std::string& target : cpuTargets())
        targets[options.stride(target)].push_back(target);
    std::vector<LargestError> found;
    for (const auto& [stride, names] : targets)
        std::ranges::copy(largestFloatErrors(function, stride, names), std::back_inserter(found));
    return found;
}

/// False: a stated error is exceeded.
bool writeFunctions(std::ostream& out, const Options& options)
{
    const std::string best = cpuTargets().front(), plain = cpuTargets().back();
    const bool all = options.stride(best) == 1;
    out << "\n## Functions\n\nThe functions that the kernels inline, in units of the last place (ulp) of the exact "
           "result: floats against fp64, "
        << (all ? "all 2^32 of them\n(by " + plain + ", the code without vectors, every 31st)" : "every 31st of them")
        << ", NaN and infinities left out; doubles against long double at some\n350,000 places. Results below the "
           "smallest normal number m count as right within m (silu and gelu: within m times |x|). On the\nworst of "
           "the instruction sets.\n\n"
           "| | stated | float | at | double | at | |\n|---|---|---|---|---|---|---|\n";
    bool holds = true;
    for (const StatedError& stated : statedErrors()) {
        std::cerr << stated.name << " ...\n";
        LargestError inFloat, inDouble;
        for (const LargestError& f : floatErrors(stated.function, options))
            inFloat = f.ulps > inFloat.ulps ? f : inFloat;
        for (const std::string& target : cpuTargets()) {
            const ScopedCpuTarget scope(target);
            const LargestError d = largestDoubleError(stated.function);
            inDouble = d.ulps > inDouble.ulps ? d : inDouble;
        }
        const bool within = inFloat.ulps <= stated.ulps && inDouble.ulps <= stated.ulps;
        holds = holds && within;
        out << "| " << stated.name << " | " << number("%.0f", stated.ulps) << " | " << number("%.2f", inFloat.ulps)
            << " | " << number("%.9g", inFloat.at) << " | " << number("%.2f", inDouble.ulps) << " | "
            << number("%.6g", inDouble.at) << " | " << (within ? "holds" : "**BROKEN**") << " |\n";
    }
    return holds;
}

/// False: a bound is broken.
bool writeGpu(std::ostream& out, const Options& options)
{
    writeGpuHead(out, options.extent);
    bool holds = writeScans(out, options);
    out << "\n## Rows by themselves\n";
    for (const RowKernel& kernel : rowKernels()) {
        if (!kernel.hasCuda || kernel.name.find(options.filter) == std::string::npos)
            continue;
        std::cerr << kernel.name << " ...\n";
        const Accuracy accuracy = measure(kernel, options.extent, at::kCUDA);
        write(out, accuracy);
        holds = holds && accuracy.holds();
    }
    return holds;
}

bool writeAll(std::ostream& out, const Options& options)
{
    if (options.gpu)
        return writeGpu(out, options);
    writeHead(out, options.extent);
    bool holds = writeScans(out, options);
    holds = writeRowKernels(out, options) && holds;
    if (std::string("vector_math").find(options.filter) != std::string::npos)
        holds = writeFunctions(out, options) && holds;
    return holds;
}

} // namespace

int main(int count, char** words)
{
    Options options;
    if (!read(count, words, options)) {
        std::cerr << kUsage;
        return 2;
    }
    if (options.gpu)
        if (const auto device = openDevice("cuda", false); !device) {
            std::cerr << device.error().text() << "\n";
            return 2;
        }
    std::ostringstream page; // a file is written at the end: what was there stays where this is interrupted
    const bool holds = writeAll(options.file.empty() ? std::cout : page, options);
    if (!options.file.empty() && !(std::ofstream(options.file) << page.str() << std::flush)) {
        std::cerr << "cannot write " << options.file << "\n";
        return 2;
    }
    if (!holds)
        std::cerr << "A bound is broken: see the rows marked BROKEN.\n";
    return holds ? 0 : 1;
}
