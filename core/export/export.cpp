// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/export/export.h"

#include "core/export/golden.h"
#include "core/export/python_names.h"
#include "core/export/python_source.h"
#include "core/format/atomic_file.h"
#include "core/format/csv.h"
#include "core/format/npz.h"
#include "core/format/safetensors.h"

#include <filesystem>
#include <fmt/format.h>

namespace unroll {
namespace {

namespace fs = std::filesystem;
using Tensors = std::vector<format::OwnedTensor>;

std::map<std::string, std::string> metadataOf(const TrainedRun& run)
{
    return {{"format", "pt"},
            {"title", run.experiment.title},
            {"unroll_version", unrollVersion()},
            {"step", std::to_string(run.checkpoint.step)}};
}

std::vector<format::TensorView> viewsOf(const Tensors& tensors)
{
    std::vector<format::TensorView> views;
    for (const format::OwnedTensor& tensor : tensors)
        views.push_back(tensor.view());
    return views;
}

/// The newest losses that the run measured up to this step, as lines.
std::string measuredText(const TrainedRun& run)
{
    const auto table = format::readCsvLog(run.folder.path() / "metrics.csv");
    if (!table)
        return {};
    std::map<std::string, std::pair<std::int64_t, double>> newest;
    for (const format::LogRow& row : table->rows)
        for (const auto& [name, value] : row.values)
            if (row.step <= run.checkpoint.step &&
                (name.ends_with("loss") || name.ends_with("acc") || name.ends_with("bpc")))
                newest[name] = {row.step, value};
    std::string text;
    for (const auto& [name, measured] : newest)
        text += fmt::format("    {:<12} {:.4f}  at step {}\n", name, measured.second, measured.first);
    return text.empty() ? text : "Measured (losses in nats a target):\n" + text + "\n";
}

std::string readmeText(const TrainedRun& run, const ExportReport& report)
{
    const RunEnvironment& made = run.folder.environment();
    std::string text = fmt::format("{}\n\n{}\n\n", run.experiment.title, run.experiment.summary);
    text += "model.py            the network as readable PyTorch; needs torch and nothing else\n"
            "weights.safetensors its weights, named node.weight\n"
            "golden.safetensors  inputs, and the outputs that they must give\n\n"
            "    python model.py --verify\n\n"
            "runs the golden inputs in double and in single precision and compares.\n\n"
            "    from model import load\n"
            "    model = load()\n"
            "    loss, logits, states = model(tokens, targets)\n\n"
            "tokens and targets are int64 [T, B], time first; targets of -100 are not scored. Pass `states` in again "
            "to go on.\n"
            "`train(model, batches)` in model.py trains further, with the settings of the run.\n\n";
    text += fmt::format(
        "{} parameters after {} updates. Unroll {}, torch {}, seed {}.\nData: {}\nsha256 of the data: {}\n\n",
        report.parameters, report.step, made.version, made.torch, made.seed, made.data, made.dataHash);
    return text + measuredText(run);
}

Result<void> writeText(const fs::path& path, const std::string& text, ExportReport& report)
{
    report.files.push_back(path.string());
    return format::writeFileAtomically(path, text);
}

Result<void> writePython(const TrainedRun& run, Tensors& weights, const ExportRequest& request,
                         const BlockRegistry& registry, const Builders& builders, ExportReport& report)
{
    const auto source =
        pythonSource(run.experiment, run.checked, {unrollVersion(), report.step, run.folder.environment().alphabet});
    if (!source)
        return tl::unexpected(source.error());
    const fs::path folder = request.out;
    std::error_code error;
    fs::create_directories(folder, error);
    if (error)
        return fail(fmt::format("the folder cannot be made: {}", error.message()), request.out);
    const PythonAttributes attributes(run.experiment.graph);
    for (format::OwnedTensor& tensor : weights) {
        std::string name = attributes.weightName(tensor.name);
        if (name != tensor.name)
            report.notes.push_back(fmt::format(
                "{} is called {} in model.py, where Python or torch keeps that name for itself", tensor.name, name));
        tensor.name = std::move(name);
    }
    report.files.push_back((folder / "weights.safetensors").string());
    if (auto written = format::writeSafetensors(folder / "weights.safetensors", viewsOf(weights), metadataOf(run));
        !written)
        return written;
    report.files.push_back((folder / "golden.safetensors").string());
    if (auto written = writeGolden(run, registry, builders, folder / "golden.safetensors"); !written)
        return written;
    if (auto written = writeText(folder / "README.txt", readmeText(run, report), report); !written)
        return written;
    return writeText(folder / "model.py", *source, report);
}

Result<void> writeNumpy(const Tensors& weights, const ExportRequest& request, ExportReport& report)
{
    report.files.push_back(request.out);
    auto written = format::writeNpz(request.out, viewsOf(weights));
    if (!written)
        return tl::unexpected(written.error());
    report.notes = written->widened;
    return {};
}

Result<void> writeWeights(const TrainedRun& run, const Tensors& weights, const ExportRequest& request,
                          ExportReport& report)
{
    report.files.push_back(request.out);
    return format::writeSafetensors(request.out, viewsOf(weights), metadataOf(run));
}

} // namespace

Result<ExportReport> exportRun(const ExportRequest& request, const BlockRegistry& registry, const Builders& builders)
{
    auto run = openTrainedRun(request.run, registry, builders, {"", request.checkpoint, DataNeed::None});
    if (!run)
        return tl::unexpected(run.error());
    auto weights = format::readSafetensors(run->checkpoint.folder / "weights.safetensors");
    if (!weights)
        return tl::unexpected(weights.error());
    ExportReport report{run->checkpoint.step, run->checked.cost.parameters, {}, {}};
    Result<void> written;
    if (request.format == ExportFormat::Python)
        written = writePython(*run, *weights, request, registry, builders, report);
    else if (request.format == ExportFormat::Npz)
        written = writeNumpy(*weights, request, report);
    else
        written = writeWeights(*run, *weights, request, report);
    if (!written)
        return tl::unexpected(written.error());
    return report;
}

} // namespace unroll
