// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <exception>
#include <filesystem>
#include <unistd.h>

namespace unroll {

/// While it lives file modes bind this process, though root has started it. `folder` is opened to all, so that only
/// what lies in it decides.
class PlainUser {
public:
    explicit PlainUser(const std::filesystem::path& folder) : m_root(geteuid() == 0)
    {
        std::filesystem::permissions(folder, std::filesystem::perms::all);
        m_changed = m_root && seteuid(kNobody) == 0;
    }
    ~PlainUser()
    {
        if (m_changed && seteuid(0) != 0)
            std::terminate();
    }
    PlainUser(const PlainUser&) = delete;
    PlainUser& operator=(const PlainUser&) = delete;

private:
    static constexpr uid_t kNobody = 65534;
    bool m_root, m_changed = false;
};

} // namespace unroll
