// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/option_values.h"
#include "app/cli/terminal.h"
#include "app/cli/verbs.h"

#include "core/base/home_path.h"
#include "core/base/number_text.h"
#include "core/export/export.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <memory>

namespace unroll::cli {
namespace {

struct ExportOptions {
    ExportRequest request;
    std::string format;
    bool json = false;
};

void sayReport(const ExportReport& report, const ExportOptions& options)
{
    if (!options.json) {
        for (const std::string& file : report.files)
            say(file);
        for (const std::string& note : report.notes)
            tell("note: " + note);
        tell(fmt::format("{} parameters after {} updates", grouped(report.parameters), grouped(report.step)));
        if (const std::string& verify = options.request.format->verify; !verify.empty())
            tell("verify with: " + fmt::format(fmt::runtime(verify), options.request.out));
        return;
    }
    Json json{JsonObject{}};
    json.add("step", report.step);
    json.add("parameters", report.parameters);
    Json files{JsonArray{}}, notes{JsonArray{}};
    for (const std::string& file : report.files)
        files.push(file);
    for (const std::string& note : report.notes)
        notes.push(note);
    json.add("files", files);
    json.add("notes", notes);
    sayJson(json);
}

std::vector<std::string> formatIds()
{
    std::vector<std::string> ids;
    for (const ExportFormat& each : exportFormats())
        ids.push_back(each.id);
    return ids;
}

std::string formatHelp()
{
    std::string text = "Formats:";
    for (const ExportFormat& each : exportFormats())
        text += fmt::format("\n  {:<12} {}\n{:15}Read by: {}", each.id, each.holds, "", each.readBy);
    return text;
}

int exportVerb(ExportOptions options)
{
    options.request.format = findExportFormat(options.format); // the parser has let nothing else through
    options.request.run = withHome(options.request.run);
    options.request.out = withHome(options.request.out);
    const PlaceFaults faults = placeFaults(*options.request.format, options.request.out);
    if (faults.forbid(options.request.force))
        return tellPlaceFaults(faults, options.request.out);
    const BlockRegistry registry = allSpecs();
    const auto report = exportRun(options.request, registry, allBuilders(), onnx::allStepWriters());
    if (!report)
        return tellError(report.error());
    sayReport(*report, options);
    return kOk;
}

} // namespace

void addExport(CLI::App& app, Action& chosen)
{
    auto options = std::make_shared<ExportOptions>();
    CLI::App* verb = app.add_subcommand("export", "Export a run's weights for other programs");
    verb->add_option("RUN", options->request.run, "folder of a run")->required();
    verb->add_option("--format", options->format, "export format, see below")->check(oneOf(formatIds()))->required();
    verb->add_option("--out", options->request.out, "file; for python and onnx a folder")->required();
    verb->add_option("--checkpoint", options->request.checkpoint, "newest, best, or a step")->capture_default_str();
    verb->add_flag("--force", options->request.force, "overwrite existing files and allow a non-empty folder");
    verb->add_flag("--json", options->json, "JSON, one object per line");
    verb->footer(formatHelp());
    verb->callback([options, &chosen] { chosen = [options] { return exportVerb(*options); }; });
}

} // namespace unroll::cli
