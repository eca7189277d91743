// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/runs/frames_place.h"

#include <system_error>

namespace unroll {

namespace fs = std::filesystem;

fs::path framesFolder(const fs::path& run)
{
    return run / "frames";
}

std::int64_t countKeptFrames(const fs::path& run)
{
    std::int64_t count = 0;
    std::error_code error;
    for (fs::recursive_directory_iterator entry(framesFolder(run), error), end; !error && entry != end;
         entry.increment(error)) {
        std::error_code gone;
        count += entry.depth() == 1 && entry->path().extension() == ".safetensors" && entry->is_regular_file(gone);
    }
    return count;
}

} // namespace unroll
