// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "tests/support/test_folder.h"

#include <cerrno>
#include <cstring>
#include <string>
#include <sys/mount.h>

namespace unroll::format {

/// A file system of a quarter of a MiB, where that may be mounted (root); else `fault` says why not.
class SmallDisk {
public:
    SmallDisk()
    {
        if (::mount("tmpfs", m_folder.path().c_str(), "tmpfs", 0, "size=256k") != 0)
            m_fault = std::string("a small tmpfs cannot be mounted here: ") + std::strerror(errno);
    }
    ~SmallDisk()
    {
        if (m_fault.empty())
            ::umount(m_folder.path().c_str());
    }
    SmallDisk(const SmallDisk&) = delete;
    SmallDisk& operator=(const SmallDisk&) = delete;

    const std::string& fault() const { return m_fault; }
    const TestFolder& folder() const { return m_folder; }

    void fill() const
    {
        std::ofstream out(m_folder / "filler", std::ios::binary);
        const std::string page(4096, 'f');
        while (out.write(page.data(), static_cast<std::streamsize>(page.size())).flush()) {}
    }
    void makeRoom() const { std::filesystem::remove(m_folder / "filler"); }

private:
    TestFolder m_folder;
    std::string m_fault;
};

} // namespace unroll::format
