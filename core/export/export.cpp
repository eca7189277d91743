// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/export/export.h"

#include "core/export/export_work.h"
#include "core/train/describe_run.h"

#include <filesystem>
#include <fmt/format.h>

namespace unroll {

namespace fs = std::filesystem;

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

std::vector<format::TensorView> viewsOf(const std::vector<format::OwnedTensor>& tensors)
{
    std::vector<format::TensorView> views;
    for (const format::OwnedTensor& tensor : tensors)
        views.push_back(tensor.view());
    return views;
}

Result<void> beginFile(ExportWork& work, const fs::path& file)
{
    std::error_code error;
    const fs::path folder = file.parent_path();
    if (!folder.empty())
        fs::create_directories(folder, error);
    if (error)
        return fail(fmt::format("the folder cannot be created: {}", error.message()), folder.string());
    const bool wished = !work.request.beforeFile || work.request.beforeFile(file.string());
    if (!wished || work.request.stop.stop_requested())
        return fail("the export was cancelled before this file", file.string());
    work.report.files.push_back(file.string());
    return {};
}

Result<ExportReport> exportRun(const ExportRequest& request, const BlockRegistry& registry, const Builders& builders,
                               const onnx::StepWriters& steps)
{
    if (const PlaceFaults faults = placeFaults(*request.format, request.out); faults.forbid(request.force))
        return fail(faults.text(), request.out);
    auto run =
        openTrainedRun(request.run, registry, builders, {.checkpoint = request.checkpoint, .need = DataNeed::None});
    if (!run)
        return tl::unexpected(run.error());
    auto weights = format::readSafetensors(run->checkpoint.folder / "weights.safetensors");
    if (!weights)
        return tl::unexpected(weights.error());
    ExportWork work{request,
                    *run,
                    std::move(*weights),
                    registry,
                    builders,
                    steps,
                    {run->checkpoint.step, run->checked.cost.parameters, {}, {}}};
    if (auto written = request.format->write(work); !written)
        return tl::unexpected(written.error());
    return std::move(work.report);
}

} // namespace unroll
