// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/run_options.h"

#include "app/cli/terminal.h"

#include <CLI/CLI.hpp>

namespace unroll::cli {

Result<std::unique_ptr<Inspection>> openRun(const RunOptions& options, const BlockRegistry& registry)
{
    auto inspection = Inspection::open(options.run, registry, allBuilders(), options.inspection);
    if (inspection && !(*inspection)->deviceNote().empty())
        tell((*inspection)->deviceNote());
    return inspection;
}

void addRunOptions(CLI::App& verb, RunOptions& options)
{
    verb.add_option("RUN", options.run, "folder of a run")->required();
    verb.add_option("--data", options.inspection.dataPath, "read this file and not the run's data");
    verb.add_option("--checkpoint", options.inspection.checkpoint, "newest, best, or a step")->capture_default_str();
    verb.add_option("--device", options.inspection.device, "auto, cpu, cuda or cuda:1")->capture_default_str();
    verb.add_option("--threads", options.inspection.threads, "CPU threads; 0: all cores")
        ->check(CLI::Range(std::int64_t{0}, kMostThreads));
    verb.add_flag("--json", options.json, "one object a line");
}

} // namespace unroll::cli
