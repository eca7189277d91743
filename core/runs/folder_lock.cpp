// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/runs/folder_lock.h"

#include <cerrno>
#include <chrono>
#include <fcntl.h>
#include <sys/file.h>
#include <thread>
#include <unistd.h>

namespace unroll {
namespace {

constexpr int kTries = 2000;
constexpr std::chrono::milliseconds kBetween{5};

int openFolder(const std::filesystem::path& folder)
{
    return ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
}

bool isRefused(int file, int kind)
{
    return flock(file, kind | LOCK_NB) != 0 && errno == EWOULDBLOCK;
}

/// Whether a writer has it, not only others who ask this. Nothing is held afterwards.
bool hasWriter(int file)
{
    const bool refused = isRefused(file, LOCK_SH);
    if (!refused)
        flock(file, LOCK_UN);
    return refused;
}

} // namespace

FolderLock::FolderLock(const std::filesystem::path& folder) : m_file(openFolder(folder))
{
    for (int tries = 1; m_file >= 0 && !m_held; ++tries) {
        m_held = !isRefused(m_file, LOCK_EX);
        if (m_held || tries == kTries || hasWriter(m_file))
            break;
        std::this_thread::sleep_for(kBetween);
    }
}

FolderLock::~FolderLock()
{
    if (m_file >= 0)
        ::close(m_file);
}

bool FolderLock::isTaken(const std::filesystem::path& folder)
{
    const int file = openFolder(folder);
    if (file < 0)
        return false;
    const bool taken = hasWriter(file);
    ::close(file);
    return taken;
}

} // namespace unroll
