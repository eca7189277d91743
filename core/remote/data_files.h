// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/result.h"
#include "core/block/registry.h"
#include "core/experiment/experiment.h"

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace unroll {

/// A file that a run reads, by what is in it.
struct DataFile {
    std::string hash; ///< SHA-256 of the whole file
    std::string name; ///< without a folder
    std::uint64_t bytes = 0;
    std::filesystem::path path; ///< where it lies here; empty on the other side

    /// How it is named in place of its path: "unroll-data:HASH/NAME".
    std::string mark() const;
};

/// An experiment for another machine: every data path is a file's mark, with what it names in the file behind it.
struct PackedExperiment {
    Experiment experiment;
    std::vector<DataFile> files; ///< each once
};
/// Reads all data files once, for their hashes. `weights`: one more file, of the initial weights, or empty; it becomes
/// its mark. Errors: a file that cannot be read.
Result<PackedExperiment> packExperiment(const Experiment& experiment, const BlockRegistry& registry,
                                        std::string& weights);

/// Files that came from elsewhere, each once: FOLDER/HASH/NAME. What lies there under a hash has it: it was checked
/// when it came.
class ReceivedFiles {
public:
    explicit ReceivedFiles(std::filesystem::path folder) : m_folder(std::move(folder)) {}
    /// UNROLL_CACHE, else XDG_CACHE_HOME/unroll, else ~/.cache/unroll; and data/ in it.
    static std::filesystem::path usualFolder();

    std::filesystem::path place(const DataFile& file) const;
    /// Whether it is there, with as many bytes.
    bool has(const DataFile& file) const;
    /// Why a hash or a name cannot be taken; empty: they can.
    static std::string fault(const DataFile& file);

    const std::filesystem::path& folder() const { return m_folder; }

private:
    std::filesystem::path m_folder;
};

/// The same experiment with the paths of the files that were received; `weights` likewise.
Experiment unpackExperiment(Experiment experiment, const BlockRegistry& registry, const std::vector<DataFile>& files,
                            const ReceivedFiles& received, std::string& weights);

} // namespace unroll
