// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/export/export.h"
#include "core/format/safetensors.h"
#include "core/train/trained_run.h"

#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace unroll {

/// What a format's writer is given, and the report that it fills in.
struct ExportWork {
    const ExportRequest& request;
    const TrainedRun& run;
    std::vector<format::OwnedTensor> weights; ///< the checkpoint's
    const BlockRegistry& registry;
    const Builders& builders;
    const onnx::StepWriters& steps;
    ExportReport report;
};

/// Makes the folders of a file that is about to be written and notes it in the report, where it is still wished for.
Result<void> beginFile(ExportWork& work, const std::filesystem::path& file);
std::vector<format::TensorView> viewsOf(const std::vector<format::OwnedTensor>& tensors);
/// What the checkpoint's file says of its weights, and where they come from.
std::map<std::string, std::string> metadataOf(const TrainedRun& run);

/// Gives the weights the names that they have in model.py, and tells of those that differ; `metadata`: their own names.
void renameWeights(ExportWork& work, std::map<std::string, std::string>& metadata);

// The writers, as rows of exportFormats() name them.
Result<void> writePythonModel(ExportWork& work);
Result<void> writeSafetensorsFile(ExportWork& work);
Result<void> writeNpzFile(ExportWork& work);
Result<void> writeStateDict(ExportWork& work);
Result<void> writeStepProgram(ExportWork& work);
Result<void> writeOnnx(ExportWork& work);

} // namespace unroll
