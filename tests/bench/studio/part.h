// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <vector>

namespace unroll::bench {

/// One part of unroll_studio_bench, by the name it is asked for.
struct Part {
    const char* name;
    const char* about; ///< what it times, for the list
    void (*run)();
    bool inAll = true; ///< false: only when asked for
};

/// All of them, in the order of their files.
inline std::vector<Part>& parts()
{
    static std::vector<Part> all;
    return all;
}

/// Lists a part; the last line of its file: `static const PartEntry part({"canvas", "a repaint, a pan, a zoom step",
/// canvas});`
struct PartEntry {
    explicit PartEntry(const Part& part) { parts().push_back(part); }
};

} // namespace unroll::bench
