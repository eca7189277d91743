// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/terminal.h"
#include "app/cli/verbs.h"

#include "core/base/number_words.h"
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
        if (options.request.format == ExportFormat::Python)
            tell(fmt::format("prove it: python {}/model.py --verify", options.request.out));
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

int exportVerb(ExportOptions options)
{
    if (options.format == "pt" || options.format == "onnx")
        return tellError({"this version does not write that format; there are safetensors, python and npz",
                          "--format " + options.format});
    options.request.format = options.format == "python" ? ExportFormat::Python
                             : options.format == "npz"  ? ExportFormat::Npz
                                                        : ExportFormat::Safetensors;
    const BlockRegistry registry = allSpecs();
    const auto report = exportRun(options.request, registry, allBuilders());
    if (!report)
        return tellError(report.error());
    sayReport(*report, options);
    return kOk;
}

} // namespace

void addExport(CLI::App& app, Action& chosen)
{
    auto options = std::make_shared<ExportOptions>();
    CLI::App* verb = app.add_subcommand("export", "A run's weights as files for other programs");
    verb->add_option("RUN", options->request.run, "folder of a run")->required();
    verb->add_option("--format", options->format,
                     "safetensors, npz, or python: a folder with model.py, weights and golden values")
        ->check(CLI::IsMember({"safetensors", "python", "npz", "pt", "onnx"}))
        ->required();
    verb->add_option("--out", options->request.out, "file; for python a folder")->required();
    verb->add_option("--checkpoint", options->request.checkpoint, "newest, best, or a step")->capture_default_str();
    verb->add_flag("--json", options->json, "one object a line");
    verb->callback([options, &chosen] { chosen = [options] { return exportVerb(*options); }; });
}

} // namespace unroll::cli
