// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/option_values.h"
#include "app/cli/terminal.h"
#include "app/cli/verbs.h"

#include <CLI/CLI.hpp>
#include <cstring>
#include <filesystem>
#include <fmt/format.h>
#include <memory>
#include <unistd.h>

namespace unroll::cli {
namespace {

namespace fs = std::filesystem;

struct BenchOptions {
    std::string what = "kernels";
    std::string filter;
    bool json = false;
};

fs::path ownFolder()
{
    std::error_code error;
    return fs::read_symlink("/proc/self/exe", error).parent_path();
}

/// A benchmark program of the build that this program is from; empty where there is none.
fs::path findBenchmark(const std::string& name)
{
    std::error_code error;
    const fs::path folder = ownFolder();
    for (const char* place : {".", "../tests", "../../tests", "../libexec/unroll"})
        if (const fs::path program = folder / place / name; fs::exists(program, error))
            return fs::weakly_canonical(program, error);
    return {};
}

/// Becomes the benchmark program; comes back only when that fails.
int become(const fs::path& program, const BenchOptions& options)
{
    std::vector<std::string> words{program.string()};
    if (!options.filter.empty())
        words.push_back("--benchmark_filter=" + options.filter);
    if (options.json)
        words.push_back("--benchmark_format=json");
    std::vector<char*> arguments;
    for (std::string& word : words)
        arguments.push_back(word.data());
    arguments.push_back(nullptr);
    execv(program.c_str(), arguments.data());
    return tellError({fmt::format("cannot be started: {}", std::strerror(errno)), program.string()});
}

int bench(const BenchOptions& options)
{
    const std::string name = fmt::format("unroll_{}_bench", options.what);
    const fs::path program = findBenchmark(name);
    if (program.empty())
        return tellError({fmt::format("is not in the build tree of {}: a build without tests has none, nor has a "
                                      "program that was copied or installed, and all but step need Google Benchmark",
                                      ownFolder().string()),
                          name});
    return become(program, options);
}

} // namespace

void addBench(CLI::App& app, Action& chosen)
{
    auto options = std::make_shared<BenchOptions>();
    CLI::App* verb = app.add_subcommand(
        "bench", "Speed of the kernels, blocks, decoding steps, training or the check on this machine");
    verb->add_option("what", options->what, "kernels, blocks, step, train or check")
        ->check(oneOf({"kernels", "blocks", "step", "train", "check"}))
        ->capture_default_str();
    verb->add_option("--filter", options->filter, "a regular expression of names");
    verb->add_flag("--json", options->json, "output JSON");
    verb->callback([options, &chosen] { chosen = [options] { return bench(*options); }; });
}

} // namespace unroll::cli
