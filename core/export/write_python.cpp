// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/export/export_work.h"

#include "core/check/ports.h"
#include "core/data/text_file.h"
#include "core/export/golden.h"
#include "core/export/python_names.h"
#include "core/export/python_source.h"
#include "core/export/single_step.h"
#include "core/format/atomic_file.h"
#include "core/format/csv.h"
#include "core/format/own_mark.h"
#include "core/train/describe_run.h"
#include "core/train/weight_names.h"

#include <filesystem>
#include <fmt/format.h>

namespace unroll {
namespace {

namespace fs = std::filesystem;

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
    const std::string noStep = noSingleStep(run.experiment.graph, run.checked);
    std::string text = fmt::format("{}\n\n{}\n\n", run.experiment.title, run.experiment.summary);
    text +=
        "model.py            the network as readable PyTorch; needs torch and nothing else\nweights.safetensors "
        "its weights, named node.weight\ngolden.safetensors  inputs and the expected outputs\n" +
        std::string(made.labels.empty()
                        ? ""
                        : "confusion.csv       how often each label was predicted for each in validation\n") +
        "\n    python model.py --verify\n\nruns the golden inputs in double and single precision and compares.\n\n "
        "   from model import load\n    model = load()\n    loss, " +
        ports.prediction + ", states = model(" + ports.input + ", targets)\n\n" + takenText(ports) +
        " Pass `states` in again to continue.\n`train(model, batches)` in model.py trains further, with the "
        "settings of the run.\n\n" +
        (!noStep.empty()     ? fmt::format("It cannot be run step by step: {}.\n\n", noStep)
         : ports.perSequence ? std::string()
                             : "    python -c \"import model; print(model.save_step('step.pt2'))\"\n\nwrites one step "
                               "as a program of torch.export and prints the order of its states.\n\n");
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

} // namespace

void renameWeights(ExportWork& work, std::map<std::string, std::string>& metadata)
{
    const PythonAttributes attributes(work.run.experiment.graph);
    for (format::OwnedTensor& tensor : work.weights) {
        std::string name = attributes.weightName(tensor.name);
        if (name != tensor.name)
            metadata[nameKey(name)] = tensor.name;
        if (name != tensor.name)
            work.report.notes.push_back(fmt::format(
                "{} is renamed {} in model.py, because Python or torch reserves the name", tensor.name, name));
        tensor.name = std::move(name);
    }
}

Result<void> writePythonModel(ExportWork& work)
{
    const TrainedRun& run = work.run;
    const RunEnvironment& made = run.folder.environment();
    const std::vector<std::string> learned = made.learned().words;
    const auto source = pythonSource(run.experiment, run.checked,
                                     {unrollVersion(), work.report.step, learned.empty() ? made.alphabet : learned,
                                      made.scales, made.labels, !learned.empty()});
    if (!source)
        return tl::unexpected(source.error());
    std::map<std::string, std::string> metadata = metadataOf(run);
    renameWeights(work, metadata);
    const auto put = [&](const char* name, const auto& write) -> Result<void> {
        const fs::path file = fs::path(work.request.out) / name;
        if (auto started = beginFile(work, file); !started)
            return started;
        return write(file);
    };
    const auto text = [](std::string words) {
        return [words = std::move(words)](const fs::path& file) { return format::writeFileAtomically(file, words); };
    };
    const auto tensors = [&](const fs::path& file) {
        return format::writeSafetensors(file, viewsOf(work.weights), metadata, format::systemCalls(),
                                        own::kModelWeights);
    };
    const auto golden = [&](const fs::path& file) { return writeGolden(run, work.registry, work.builders, file); };
    const std::string confusion = confusionOf(run);
    return put("weights.safetensors", tensors)
        .and_then([&] {
            return confusion.empty() ? Result<void>()
                                     : put(kConfusionFile, text(format::markedText(confusion, own::kConfusion, "# ")));
        })
        .and_then([&] { return put("golden.safetensors", golden); })
        .and_then(
            [&] { return put("README.txt", text(format::markedText(readmeText(run, work.report), own::kReadme, ""))); })
        .and_then([&] { return put("model.py", text(format::markedText(*source, own::kModel, "\n# "))); });
}

} // namespace unroll
