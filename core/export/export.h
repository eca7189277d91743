// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/result.h"
#include "core/block/registry.h"
#include "core/export/export_format.h"
#include "core/export/place.h"
#include "core/model/builders.h"
#include "core/onnx/step.h"

#include <cstdint>
#include <functional>
#include <stop_token>
#include <string>
#include <vector>

namespace unroll {

struct ExportRequest {
    std::string run;                   ///< folder of the run
    std::string checkpoint = "newest"; ///< newest, best, or a step
    const ExportFormat* format = &exportFormats().front();
    std::string out; ///< file, or folder where the format is one; folders that are missing are made
    /// Asked before each file, with its path; false ends the export there, as an error. May be empty.
    std::function<bool(const std::string& file)> beforeFile{};
    /// Ends the export before the next file, as an error, and a Python that is writing one at once.
    std::stop_token stop{};
    /// Overwrites what placeFaults() lists.
    bool force = false;
};

struct ExportReport {
    std::int64_t step = 0; ///< updates behind the weights
    std::int64_t parameters = 0;
    std::vector<std::string> files; ///< written, whole
    std::vector<std::string> notes; ///< what a user should know, as sentences
};

/// Turns a run's checkpoint into files that others read. The run's data is not needed. Every file appears whole or not
/// at all, and none replaces a file that is not an export of ours (see place.h).
Result<ExportReport> exportRun(const ExportRequest& request, const BlockRegistry& registry, const Builders& builders,
                               const onnx::StepWriters& steps);

} // namespace unroll
