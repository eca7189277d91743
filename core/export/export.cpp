// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/export/export.h"

#include "core/check/ports.h"
#include "core/data/text_file.h"
#include "core/export/golden.h"
#include "core/export/python_names.h"
#include "core/export/python_source.h"
#include "core/format/atomic_file.h"
#include "core/format/csv.h"
#include "core/format/npz.h"
#include "core/format/own_mark.h"
#include "core/format/safetensors.h"
#include "core/train/describe_run.h"
#include "core/train/weight_names.h"

#include <filesystem>
#include <fmt/format.h>

namespace unroll {
namespace {

namespace fs = std::filesystem;
using Tensors = std::vector<format::OwnedTensor>;

/// What the checkpoint's file says of its weights, and where they come from.
std::map<std::string, std::string> metadataOf(const TrainedRun& run)
{
    std::map<std::string, std::string> metadata;
    if (const auto file = format::SafetensorsFile::open((run.checkpoint.folder / "weights.safetensors").string()))
        metadata = file->metadata();
    metadata["format"] = "pt";
    metadata["title"] = run.experiment.title;
    metadata["unroll_version"] = unrollVersion();
    metadata["step"] = std::to_string(run.checkpoint.step);
    return metadata;
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
    const std::string unit = lossUnitOf(run.checked);
    return text.empty() ? text : fmt::format("Measured (losses in {}):\n{}\n", unit, text);
}

std::string takenText(const ModelPorts& ports)
{
    const std::string read =
        ports.numbers ? "features are [T, B, inputs], time first and normalised as `normalise` in model.py does"
                      : "tokens are int64 [T, B], time first";
    return read + (ports.tellsNumbers ? "; targets are [T, B, targets], those of NaN are not scored."
                                      : "; targets are int64 [T, B], those of -100 are not scored.");
}

std::string readmeText(const TrainedRun& run, const ExportReport& report)
{
    const RunEnvironment& made = run.folder.environment();
    const ModelPorts ports = modelPorts(run.checked);
    std::string text = fmt::format("{}\n\n{}\n\n", run.experiment.title, run.experiment.summary);
    text += "model.py            the network as readable PyTorch; needs torch and nothing else\nweights.safetensors "
            "its weights, named node.weight\ngolden.safetensors  inputs and the expected outputs\n" +
            std::string(made.labels.empty()
                            ? ""
                            : "confusion.csv       how often each label was predicted for each in validation\n") +
            "\n    python model.py --verify\n\nruns the golden inputs in double and single precision and compares.\n\n "
            "   from model import load\n    model = load()\n    loss, " +
            ports.prediction + ", states = model(" + ports.input + ", targets)\n\n" + takenText(ports) +
            " Pass `states` in again to continue.\n`train(model, batches)` in model.py trains further, with the "
            "settings of the run.\n\n";
    text += fmt::format(
        "{} parameters after {} updates. Unroll {}, torch {}, seed {}.\nData: {}\nsha256 of the data: {}\n\n",
        report.parameters, report.step, made.version, made.torch, made.seed, made.data, made.dataHash);
    return text + measuredText(run);
}

/// The run's newest confusion table; empty: it has none.
std::string confusionOf(const TrainedRun& run)
{
    constexpr std::uint64_t kLargest = 64 << 20;
    const auto text = readFile(run.folder.path() / kConfusionFile, kLargest);
    return text && !run.folder.environment().labels.empty() ? *text : std::string();
}

Result<void> makeFolder(const fs::path& folder)
{
    std::error_code error;
    if (!folder.empty())
        fs::create_directories(folder, error);
    if (error)
        return fail(fmt::format("the folder cannot be created: {}", error.message()), folder.string());
    return {};
}

/// Notes a file that is about to be written, where that is still wished for.
Result<void> begin(const fs::path& file, const ExportRequest& request, ExportReport& report)
{
    if (request.beforeFile && !request.beforeFile(file.string()))
        return fail("the export was cancelled before this file", file.string());
    report.files.push_back(file.string());
    return {};
}

/// Under the names that they have in model.py; tells of those that differ.
void renameWeights(Tensors& weights, const Graph& graph, ExportReport& report,
                   std::map<std::string, std::string>& metadata)
{
    const PythonAttributes attributes(graph);
    for (format::OwnedTensor& tensor : weights) {
        std::string name = attributes.weightName(tensor.name);
        if (name != tensor.name)
            metadata[nameKey(name)] = tensor.name;
        if (name != tensor.name)
            report.notes.push_back(fmt::format(
                "{} is renamed {} in model.py, because Python or torch reserves the name", tensor.name, name));
        tensor.name = std::move(name);
    }
}

Result<void> writePython(const TrainedRun& run, Tensors& weights, const ExportRequest& request,
                         const BlockRegistry& registry, const Builders& builders, ExportReport& report)
{
    const auto source = pythonSource(run.experiment, run.checked,
                                     {unrollVersion(), report.step, run.folder.environment().alphabet,
                                      run.folder.environment().scales, run.folder.environment().labels});
    if (!source)
        return tl::unexpected(source.error());
    const fs::path folder = request.out;
    if (auto made = makeFolder(folder); !made)
        return made;
    std::map<std::string, std::string> metadata = metadataOf(run);
    renameWeights(weights, run.experiment.graph, report, metadata);
    const auto put = [&](const char* name, const auto& write) -> Result<void> {
        if (auto begun = begin(folder / name, request, report); !begun)
            return begun;
        return write(folder / name);
    };
    const auto text = [](std::string words) {
        return [words = std::move(words)](const fs::path& file) { return format::writeFileAtomically(file, words); };
    };
    const auto tensors = [&](const fs::path& file) {
        return format::writeSafetensors(file, viewsOf(weights), metadata, format::systemCalls(), own::kModelWeights);
    };
    const auto golden = [&](const fs::path& file) { return writeGolden(run, registry, builders, file); };
    const std::string confusion = confusionOf(run);
    return put("weights.safetensors", tensors)
        .and_then([&] {
            return confusion.empty() ? Result<void>()
                                     : put(kConfusionFile, text(format::markedText(confusion, own::kConfusion, "# ")));
        })
        .and_then([&] { return put("golden.safetensors", golden); })
        .and_then(
            [&] { return put("README.txt", text(format::markedText(readmeText(run, report), own::kReadme, ""))); })
        .and_then([&] { return put("model.py", text(format::markedText(*source, own::kModel, "\n# "))); });
}

/// A format of one file.
Result<void> writeFile(const TrainedRun& run, const Tensors& weights, const ExportRequest& request,
                       ExportReport& report)
{
    if (auto made = makeFolder(fs::path(request.out).parent_path()); !made)
        return made;
    if (auto begun = begin(request.out, request, report); !begun)
        return begun;
    if (request.format == ExportFormat::Safetensors)
        return format::writeSafetensors(request.out, viewsOf(weights), metadataOf(run), format::systemCalls(),
                                        own::kWeights);
    auto written = format::writeNpz(request.out, viewsOf(weights), format::systemCalls(), own::kWeights);
    if (!written)
        return tl::unexpected(written.error());
    report.notes = written->widened;
    return {};
}

} // namespace

Result<ExportReport> exportRun(const ExportRequest& request, const BlockRegistry& registry, const Builders& builders)
{
    if (const PlaceFaults faults = placeFaults(request.format, request.out); faults.forbid(request.force))
        return fail(faults.words(), request.out);
    auto run =
        openTrainedRun(request.run, registry, builders, {.checkpoint = request.checkpoint, .need = DataNeed::None});
    if (!run)
        return tl::unexpected(run.error());
    auto weights = format::readSafetensors(run->checkpoint.folder / "weights.safetensors");
    if (!weights)
        return tl::unexpected(weights.error());
    ExportReport report{run->checkpoint.step, run->checked.cost.parameters, {}, {}};
    const auto written = request.format == ExportFormat::Python
                             ? writePython(*run, *weights, request, registry, builders, report)
                             : writeFile(*run, *weights, request, report);
    if (!written)
        return tl::unexpected(written.error());
    return report;
}

} // namespace unroll
