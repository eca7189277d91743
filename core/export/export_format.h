// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/result.h"

#include <string>
#include <string_view>
#include <vector>

namespace unroll {

struct ExportWork;

/// A file of a format that is a folder.
struct ExportedFile {
    std::string name;
    std::string_view kind; ///< as its mark names it (own:: in place.h)
    bool always = true;    ///< false: of some runs alone
};

/// A format: a row of exportFormats(), which the command line, the studio's dialog and exportRun() read. A new one is a
/// row and its writer.
struct ExportFormat {
    std::string id;     ///< as the command line takes it
    std::string title;  ///< as a list shows it
    std::string holds;  ///< what is in it, a sentence
    std::string readBy; ///< who reads it, a sentence
    std::string suffix; ///< of its one file, ".npz"; empty: it is a folder
    std::vector<ExportedFile>
        files;           ///< of that folder, in the order of writing; empty for one file, whose kind is own::kWeights
    std::string loading; ///< Python file that loads it; "exported" stands for the place
    std::string verify;  ///< what recomputes its golden values, as typed; {} stands for the place; empty: nothing does
    /// Writes the files, each started by beginFile().
    Result<void> (*write)(ExportWork& work) = nullptr;

    bool isFolder() const { return suffix.empty(); }
};

/// Every format that can be written, the fullest first.
const std::vector<ExportFormat>& exportFormats();
/// Null where there is no such format.
const ExportFormat* findExportFormat(const std::string& id);

/// The files that every export to `out` writes: `out` itself, or those in the folder `out`.
std::vector<std::string> exportedFiles(const ExportFormat& format, const std::string& out);
/// Python that loads what was exported to `out`, and runs as it stands where what it imports is installed.
std::string loadingSnippet(const ExportFormat& format, const std::string& out);

} // namespace unroll
