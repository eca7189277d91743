// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>
#include <vector>

namespace unroll {

enum class ExportFormat {
    Python,      ///< a folder: model.py, weights.safetensors, golden.safetensors, README.txt
    Safetensors, ///< one file: the weights under their names
    Npz,         ///< the same for numpy
};

/// What is known of a format. The command line's help and the studio's dialog are made of this.
struct ExportFormatInfo {
    ExportFormat format;
    std::string id;                 ///< as the command line takes it
    std::string title;              ///< as a list shows it
    std::string holds;              ///< what is in it, a sentence
    std::string readBy;             ///< who reads it, a sentence
    std::string suffix;             ///< of its one file, ".npz"; empty: it is a folder
    std::vector<std::string> files; ///< names in that folder, in the order of writing; empty for one file
    std::string loading;            ///< Python that loads it; {} stands for the place as a literal
};

/// Every format that can be written, the fullest first.
const std::vector<ExportFormatInfo>& exportFormats();
const ExportFormatInfo& exportFormat(ExportFormat format);
/// Null where the command line knows no such format.
const ExportFormatInfo* findExportFormat(const std::string& id);

/// The files that an export to `out` writes: `out` itself, or those in the folder `out`.
std::vector<std::string> exportedFiles(ExportFormat format, const std::string& out);
/// Python that loads what was exported to `out`, and runs as it stands where what it imports is installed.
std::string loadingSnippet(ExportFormat format, const std::string& out);

} // namespace unroll
