// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/result.h"
#include "core/remote/channel.h"

#include <filesystem>
#include <memory>
#include <string>

namespace unroll {

/// Where the process that trains the run in this folder can be met: a socket of the file system in a folder of the
/// user's own (UNROLL_SOCKETS, else /tmp/unroll-UID, mode 0700), named after the run's folder. It is not a port: nobody
/// but the same user of the same machine reaches it.
Result<std::filesystem::path> engineSocket(const std::string& runFolder);

/// Meets it. An error: nobody is there, or it is another user's.
Result<std::unique_ptr<Channel>> meetEngine(const std::string& runFolder);

/// The place where others can meet this process.
class EngineDoor {
public:
    /// An error: another process already serves this run, or the system refuses.
    static Result<std::unique_ptr<EngineDoor>> open(const std::string& runFolder);
    ~EngineDoor();
    EngineDoor(const EngineDoor&) = delete;
    EngineDoor& operator=(const EngineDoor&) = delete;

    int file() const { return m_file; } ///< to be waited for
    /// Who has come since; null: nobody.
    std::unique_ptr<Channel> next();
    /// The run's folder has another path now.
    void moved(const std::string& runFolder);

private:
    EngineDoor(int file, std::filesystem::path path) : m_file(file), m_path(std::move(path)) {}

    int m_file;
    std::filesystem::path m_path;
};

} // namespace unroll
