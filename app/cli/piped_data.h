// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/result.h"
#include "core/block/registry.h"

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

namespace unroll::cli {

/// Data that comes through a pipe ("-" for standard input, /dev/stdin, a FIFO, a shell's <(...)), put into a file,
/// since it is read more than once. Anything else is left as it is.
class PipedData {
public:
    /// Replaces `path` by the file. `run`: of the run that trains on it, where the file stays; empty: a temporary file,
    /// for as long as this lives.
    Result<void> take(std::string& path, const std::filesystem::path& run = {});
    PipedData() = default;
    PipedData(const PipedData&) = delete;
    PipedData& operator=(const PipedData&) = delete;
    ~PipedData(); ///< removes what no run has come to own

private:
    std::filesystem::path m_file; ///< empty: nothing was piped
    std::filesystem::path m_run;
    bool m_whole = false; ///< all of it is there
};

using PipedFiles = std::vector<std::shared_ptr<PipedData>>;

/// Whether `path` is "-", a FIFO or a device.
bool isPiped(const std::string& path);

/// --data, and the files that --set names (text.validation_file=<(...)), each of them taken.
Result<PipedFiles> takePiped(std::string& data, std::vector<std::string>& assignments, const BlockRegistry& registry,
                             const std::filesystem::path& run = {});

} // namespace unroll::cli
