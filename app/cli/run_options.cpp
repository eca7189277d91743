// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/run_options.h"

#include "app/cli/option_values.h"
#include "app/cli/piped_data.h"
#include "app/cli/terminal.h"

#include "core/base/home_path.h"

#include <CLI/CLI.hpp>

namespace unroll::cli {

Result<std::unique_ptr<Inspection>> openRun(const RunOptions& options, const BlockRegistry& registry)
{
    InspectionOptions wished = options.inspection;
    const auto piped = takePiped(wished.dataPath, wished.assignments, registry); // read when the inspection is open
    if (!piped)
        return tl::unexpected(piped.error());
    auto inspection = Inspection::open(withHome(options.run), registry, allBuilders(), wished);
    if (inspection && !(*inspection)->deviceNote().empty())
        tell((*inspection)->deviceNote());
    return inspection;
}

void tellDataNotes(const RunOptions& options, const Inspection& inspection)
{
    if (options.inspection.dataPath.empty())
        return;
    for (const DataNote& note : inspection.dataNotes())
        tell((note.warning ? "warning: " : "") + note.sentence);
}

void addRunOptions(CLI::App& verb, RunOptions& options)
{
    verb.add_option("RUN", options.run, "folder of a run")->required();
    verb.add_option("--data", options.inspection.dataPath,
                    "read this file instead of the run's data; - for standard input");
    verb.add_option("--checkpoint", options.inspection.checkpoint, "newest, best, or a step")->capture_default_str();
    verb.add_option("--device", options.inspection.device, "auto, cpu, cuda or cuda:1")->capture_default_str();
    addWhole(
        verb, "--threads", [&options](std::int64_t threads) { options.inspection.threads = threads; }, 0, kMostThreads,
        "CPU threads; 0: all cores");
    verb.add_flag("--json", options.json, "JSON, one object per line");
}

} // namespace unroll::cli
