// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/data/text_file.h"

#include "core/base/input_file.h"
#include "core/base/number_text.h"

#include <fmt/format.h>
#include <limits>

namespace unroll {

namespace {

/// Also where more is free: reading more than this takes longer than anybody waits without a word, for the check as for
/// the training.
constexpr uint64_t kMostMemory = 1'500'000'000;
constexpr uint64_t kLargest = std::numeric_limits<uint64_t>::max();

} // namespace

Result<std::string> readFile(const std::filesystem::path& file, uint64_t memoryLimit, uint64_t memoryPerByte)
{
    if (file.empty())
        return fail("no file is given");
    const auto open = InputFile::open(file);
    if (!open)
        return tl::unexpected(open.error());
    const uint64_t size = open->size();
    if (size == 0)
        return fail("is empty", file.string());
    if (size > memoryLimit / memoryPerByte)
        return fail(fmt::format("has {}; reading it needs about {} of memory, but {} are free", sizeText(size),
                                sizeText(size > kLargest / memoryPerByte ? kLargest : size * memoryPerByte),
                                sizeText(memoryLimit)),
                    file.string());
    if (size > kMostMemory / memoryPerByte)
        return fail(
            fmt::format("has {}; in memory it would need about {}, but the limit is {}: use a part of at most {}",
                        sizeText(size), sizeText(size * memoryPerByte), sizeText(kMostMemory),
                        sizeText(kMostMemory / memoryPerByte)),
            file.string());
    return open->readAll();
}

} // namespace unroll
