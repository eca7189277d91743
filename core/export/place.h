// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/result.h"
#include "core/export/export_format.h"

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace unroll {

// Places that users name for files of ours. What lies there already is replaced only where this program wrote it, as
// the same kind, and nobody has changed it since (format/own_mark.h); nothing at all is written into a run's folder.

/// Kinds of files, as their marks name them.
namespace own {
inline constexpr std::string_view kModel = "model", kReadme = "readme", kModelWeights = "model weights",
                                  kGolden = "golden", kConfusion = "confusion";
inline constexpr std::string_view kOnnxStep = "onnx step", kOnnxSequence = "onnx sequence";
inline constexpr std::string_view kWeights = "weights", kSignals = "signals", kPicture = "picture";
} // namespace own

/// In the folder of model.py, of models that predict labels.
inline constexpr const char* kConfusionFile = "confusion.csv";

/// Reasons not to write files there.
struct PlaceFaults {
    std::filesystem::path run; ///< the place lies in the folder of this run; empty: in none
    std::vector<std::string>
        replaced; ///< names of files that would be replaced and are not ours, whole and of the same kind
    std::vector<std::string> foreign; ///< names of other things in a folder that is to hold an export alone

    /// Whether nothing may be written. `consent` overrides everything except a run's folder.
    bool forbid(bool consent) const { return !run.empty() || (!consent && !(replaced.empty() && foreign.empty())); }
    /// What is wrong, in a sentence that may go on.
    std::string text() const;
};

PlaceFaults placeFaults(const std::filesystem::path& file, std::string_view kind);
PlaceFaults placeFaults(const ExportFormat& format, const std::string& out);
/// The same where the user is asked about files of ours too: nothing is read, and all that is there counts as replaced.
PlaceFaults filesInPlace(const ExportFormat& format, const std::string& out);

} // namespace unroll
