// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <filesystem>

namespace unroll {

/// Held while a run's folder is written; the system lets go of it when the process ends, however it ends.
class FolderLock {
public:
    /// Not held: another writer has the folder. Someone who only asks whether a run is written is waited for, 10 s at
    /// most: a moment, unless the machine is busy. A file system without locks counts as held.
    explicit FolderLock(const std::filesystem::path& folder);
    FolderLock(const FolderLock&) = delete;
    FolderLock& operator=(const FolderLock&) = delete;
    ~FolderLock();

    bool held() const { return m_held; }

    /// Whether a writer has the folder now, in this process or another. False where that cannot be told.
    static bool isTaken(const std::filesystem::path& folder);

private:
    int m_file;
    bool m_held = false;
};

} // namespace unroll
